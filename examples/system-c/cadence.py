"""Change how often a source is harvested: `python cadence.py github polling`, `python cadence.py wiki webhooks`."""

import sys

from rota import Rota

CADENCE = {"webhooks": "every 6 hours", "polling": "every 15 minutes"}


def set_cadence(rota: Rota, source: str, way: str) -> str:
    """Give the source's schedule the cadence of how it is read; watermark and history stay. Its new words."""
    changed = rota.schedules.update(f"harvest-{source}", when=CADENCE[way], reason=f"{source} is now read by {way}")
    return changed.words


if __name__ == "__main__":
    print(set_cadence(Rota(), sys.argv[1], sys.argv[2]))
