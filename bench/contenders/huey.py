"""Huey on SQLite with `synchronous=FULL`: one consumer process."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from huey import SqliteHuey  # type: ignore[import-untyped]


def work(url: str, count: int, workers: int) -> dict[str, Any]:
    """Seconds from the start of a consumer until `count` queued no-op tasks are done."""
    logging.getLogger("huey").setLevel(logging.ERROR)
    huey = SqliteHuey("bench", filename=url.removeprefix("sqlite:///"), fsync=True)
    over = threading.Event()
    ran = 0
    guard = threading.Lock()

    @huey.task()  # type: ignore[untyped-decorator]
    def noop() -> None:
        nonlocal ran
        with guard:
            ran += 1
        if ran == count:
            over.set()

    for _ in range(count):
        noop()
    consumer = huey.create_consumer(workers=workers, initial_delay=0.01, check_worker_health=False)
    begin = time.perf_counter()
    consumer.start()
    if not over.wait(120):
        raise RuntimeError(f"{ran} of {count} tasks ran")
    seconds = time.perf_counter() - begin
    consumer.stop(graceful=True)
    if huey.pending_count():
        raise RuntimeError("tasks are left")
    return {"seconds": seconds}
