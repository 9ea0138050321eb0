"""The calendar beside croniter and cronsim: `bench/calendar.py`, which also runs by itself."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.machine import ROOT
from bench.report import Line, Ratio, Section
from bench.sizes import Sizes

GOALS = {"warm/croniter": 10.0, "warm/cronsim": 3.0, "cold/croniter": 4.0}


def section(sizes: Sizes) -> Section:
    """The table: how many times faster rota finds the next occurrence, geometric means over 21 texts in two zones."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calendar.json"
        quick = [] if sizes.peers else ["--quick"]
        command = [sys.executable, str(ROOT / "bench" / "calendar.py"), "--json", str(file), *quick]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if not file.exists():
            raise RuntimeError(f"bench/calendar.py ended with {done.returncode}: {done.stderr[-2000:]}")
        found = json.loads(file.read_text())
    lines = []
    for peer in ("croniter", "cronsim"):
        marks = tuple(
            Ratio(f"calendar/{how}/{peer}", found["ratios"][f"{how}/{peer}"], "higher", GOALS.get(f"{how}/{peer}"))
            for how in ("warm", "cold")
        )
        lines.append(Line(peer, tuple(found["ratios"][f"{how}/{peer}"] for how in ("warm", "cold")), marks))
    limits = (
        Ratio("calendar/slowest_ms", found["slowest_us"] / 1000, "lower", 1.0, absolute=True),
        Ratio("calendar/never_ms", found["never_ms"], "lower", 15.0, absolute=True),
    )
    return Section(
        "Calendar: the next occurrence, 21 cron texts in UTC and New York", ("warm, times", "cold, times"), tuple(lines),
        "Warm: one more occurrence; cold: read the text and find the first; geometric means of how many times rota is"
        f" faster. The slowest of all took {limits[0].text()} ms, the slowest text that never matches"
        f" {limits[1].text()} ms.", limits,
    )  # fmt: skip
