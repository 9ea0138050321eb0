"""Scheduling inside an application: five jobs of a small shop, whose own data is in an SQLite file of its own.

`rota up shop:rota` runs it with pages, `python shop.py` without.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from rota import Context, Retry, Rota

rota = Rota()

DATABASE = Path(os.environ.get("SHOP_DATABASE", "shop.db"))
TABLES = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, expires_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents
    (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, written_at TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS digests (city TEXT, day TEXT, text TEXT, PRIMARY KEY (city, day));
CREATE TABLE IF NOT EXISTS charges (idempotency_key TEXT PRIMARY KEY, at TEXT NOT NULL, attempts INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS prices (invocation TEXT PRIMARY KEY, attempt INTEGER NOT NULL);
"""


@contextmanager
def shop() -> Iterator[sqlite3.Connection]:
    """The shop's database; what was written is committed at the end, or not at all."""
    with closing(sqlite3.connect(DATABASE, timeout=10)) as connection:
        connection.executescript(TABLES)
        with connection:
            yield connection


def occurrence(ctx: Context) -> datetime:
    """The instant that a run is about: its occurrence, or now if somebody asked for it by hand."""
    return ctx.scheduled_for or datetime.now(UTC)  # noqa: TID251 - the application's clock, not rota's


# 1. Clean-up. The occurrence is the measure, not the clock: a run that comes late deletes what it would have deleted.
@rota.job(when="every 15 minutes", lane="upkeep")
def expire_sessions(ctx: Context) -> int:
    until = occurrence(ctx)
    with shop() as db:
        return db.execute("DELETE FROM sessions WHERE expires_at <= ?", (until.isoformat(),)).rowcount


# 2. A digest each morning, in each city's own morning. `since` is the last digest that succeeded.
@rota.job(lane="mail", retry=Retry(attempts=3, backoff="exponential", base="1m"))
def digest(ctx: Context, city: str, zone: str) -> str:
    at = occurrence(ctx).astimezone(ZoneInfo(zone))
    text = f"Good morning, {city}. News since {ctx.since.astimezone(ZoneInfo(zone)) if ctx.since else 'the beginning'}."
    with shop() as db:
        db.execute("INSERT OR REPLACE INTO digests VALUES (?, ?, ?)", (city, f"{at:%Y-%m-%d}", text))
    return text


for city, zone in {"Stockholm": "Europe/Stockholm", "New York": "America/New_York", "Tokyo": "Asia/Tokyo"}.items():
    digest.schedule(
        "weekdays at 08:00",
        name=f"digest-{city.lower().replace(' ', '-')}",
        timezone=zone,
        args={"city": city, "zone": zone},
        labels={"consumer": "newsroom"},
    )


# 3. One job, many schedules, each with arguments of its own. More can be added at run time: rota.schedules.add(...).
@rota.job(lane="upkeep", timeout="10m")
def archive(ctx: Context, workspace: str, keep_days: int = 30) -> int:
    until = occurrence(ctx)
    with shop() as db:
        done = db.execute(
            "UPDATE documents SET archived = 1"
            " WHERE workspace = ? AND NOT archived AND julianday(written_at) < julianday(?) - ?",
            (workspace, until.isoformat(), keep_days),
        ).rowcount
    ctx.log(f"archived {done} documents of {workspace}")
    return done


archive.schedule("every day at 03:15", name="archive-acme", args={"workspace": "acme"})
archive.schedule("every day at 03:30", name="archive-globex", args={"workspace": "globex", "keep_days": 365})


# 4. Somebody else's system. The invocation is the same for every attempt of one run and differs between runs: the other
# side does the work once, however often it is asked.
@rota.job(when="hourly", lane="partners", retry=5, on_lost="retry")
def charge_subscriptions(ctx: Context) -> str:
    with shop() as partner:
        partner.execute(
            "INSERT INTO charges VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET attempts = attempts + 1",
            (ctx.invocation, occurrence(ctx).isoformat()),
        )
    return ctx.invocation


# 5. It crashes, and heals: two attempts fail, the third succeeds. Other exceptions than these are not tried again.
@rota.job(
    when="every 6 hours",
    lane="partners",
    retry=Retry(attempts=5, backoff="exponential", base="1s", on=(ConnectionError,)),
    disable_after=10,
)
def import_prices(ctx: Context) -> int:
    if ctx.attempt < 3:
        raise ConnectionError(f"the price list did not answer at attempt {ctx.attempt}")
    with shop() as db:
        db.execute("INSERT INTO prices VALUES (?, ?)", (ctx.invocation, ctx.attempt))
    return ctx.attempt


if __name__ == "__main__":
    rota.serve()
