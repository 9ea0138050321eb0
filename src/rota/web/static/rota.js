// Keeps the page live: the part below #live is fetched again while the page is seen, and distances ("in 3 min") count on.
// Without this script the page shows the same and reloads itself.
(() => {
  "use strict";
  const live = document.getElementById("live");
  const status = document.getElementById("status");
  if (!live) return;

  const every = 2000;
  let tag = null;
  let skew = 0; // the server's clock minus this one's, in ms
  let failures = 0;

  const about = (seconds) => {
    const size = Math.abs(seconds);
    if (size >= 172800) return Math.floor(size / 86400) + " days";
    if (size >= 3600) return Math.floor(size / 3600) + " h";
    if (size >= 60) return Math.floor(size / 60) + " min";
    return Math.floor(size) + " s";
  };

  const tick = () => {
    const now = Date.now() + skew;
    for (const element of live.querySelectorAll("time[data-distance]")) {
      const seconds = (Date.parse(element.dateTime) - now) / 1000;
      const past = element.dataset.distance === "coming" ? "due now" : about(seconds) + " ago";
      element.textContent = seconds >= 0 ? "in " + about(seconds) : past;
    }
    for (const element of live.querySelectorAll("[data-since]")) {
      element.textContent = about((now - Date.parse(element.dataset.since)) / 1000);
    }
  };

  const say = (text) => {
    if (status) status.hidden = !text;
    if (status) status.textContent = text;
  };

  const load = async () => {
    const headers = tag ? { "If-None-Match": tag } : {};
    const answer = await fetch(live.dataset.source, { headers, cache: "no-store" });
    const at = Date.parse(answer.headers.get("X-Rota-Now") || "");
    if (!Number.isNaN(at)) skew = at - Date.now();
    if (answer.status === 304) return;
    if (!answer.ok) throw new Error(String(answer.status));
    if ("reload" in live.dataset) return location.reload(); // the trouble that this page told of is over
    tag = answer.headers.get("ETag");
    live.innerHTML = await answer.text();
  };

  const turn = async () => {
    try {
      if (!document.hidden) await load();
      failures = 0;
      say("");
    } catch {
      failures += 1;
      if (failures > 1) say("The server does not answer. What you see is from before; trying again.");
    }
    tick();
    setTimeout(turn, Math.min(every * (failures + 1), 15000));
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) load().then(tick).catch(() => {});
  });
  setInterval(tick, 1000);
  setTimeout(turn, every);
})();
