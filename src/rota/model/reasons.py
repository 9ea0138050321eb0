"""The closed list of dispositions and reasons, and their words: one text for `why`, pages and API."""

from __future__ import annotations

from typing import Final

FIRED: Final = "fired"
COALESCED: Final = "coalesced"
SKIPPED: Final = "skipped"

OVERLAP: Final = "overlap"
DUPLICATE: Final = "duplicate"
LATE: Final = "late"
TOO_OLD: Final = "too_old"
OVER_MAX: Final = "over_max"
PAUSED: Final = "paused"
EDITED: Final = "edited"
OPERATOR: Final = "operator"
CLOCK: Final = "clock"
ZONE_DATA: Final = "zone_data"

SKIP_REASONS: Final = (OVERLAP, DUPLICATE, LATE, TOO_OLD, OVER_MAX, PAUSED, EDITED, OPERATOR, CLOCK, ZONE_DATA)

WORDS: Final[dict[str, tuple[str, str]]] = {
    OVERLAP: (
        "it was skipped because another run held its single-flight key (overlap: {overlap})",
        "to let runs wait use overlap: queue_one or queue_all, to let them run side by side overlap: allow",
    ),
    DUPLICATE: (
        "it was skipped because a run for this very occurrence existed already",
        "nothing is to change: one occurrence becomes at most one run",
    ),
    LATE: (
        "it was skipped because the scheduler came to it later than its grace allows (grace: {grace})",
        "to start it late all the same raise or remove grace (catchup: none means grace: 60s)",
    ),
    TOO_OLD: (
        "it was skipped because it was older than the catch-up window (catchup_window: {catchup_window})",
        "to catch up further back raise catchup_window",
    ),
    OVER_MAX: (
        "it was skipped because a catch-up fires at most catchup_max occurrences, the newest (catchup_max: {catchup_max})",
        "to catch up with more raise catchup_max",
    ),
    PAUSED: (
        "it was skipped because the schedule was paused (on_resume: skip)",
        "to catch up after a pause use on_resume: catchup",
    ),
    EDITED: (
        "it was skipped because the timing was edited before it was decided (on_edit: skip)",
        "to decide what is due before an edit of the timing use on_edit: catchup",
    ),
    OPERATOR: (
        "it was skipped by an operator",
        "to take back the skip of a coming occurrence use rota schedule unskip; to run a past one, backfill it",
    ),
    CLOCK: (
        "it was skipped because a clock that stood wrong had already decided it",
        "keep the clocks of the database's machine synchronised",
    ),
    ZONE_DATA: (
        "it was skipped because its wall time had fired already before the zone data changed",
        "nothing is to change: one wall time fires once",
    ),
    COALESCED: (
        "it was folded into the run of {into} (catchup: {catchup})",
        "to run each missed occurrence use catchup: all",
    ),
}
"""reason -> (what happened, what to change). Each value is a clause with the policy that decided."""
