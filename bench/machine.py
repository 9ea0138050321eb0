"""What the figures were measured on: without it a figure says nothing."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ("pgqueuer", "asyncpg", "APScheduler", "huey", "croniter", "cronsim")


def describe() -> dict[str, str]:
    """The commit, the machine and how busy it is, versions. PostgreSQL's own is told by its server."""
    return {
        "commit": commit(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "processor": processor(),
        "memory": memory(),
        "system": platform.system(),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "peers": ", ".join(f"{name} {version}" for name in PEERS if (version := installed(name))),
    }


def installed(name: str) -> str | None:
    """A distribution's version, None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def commit() -> str:
    """The commit of the working tree, with `+` where files under src or bench differ from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "src", "bench")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def processor() -> str:
    """The processor's name, as Linux tells it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.processor() or platform.machine()


def memory() -> str:
    """The machine's memory."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return "unknown"
    return f"{pages * size / 2**30:.0f} GB"
