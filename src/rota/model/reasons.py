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
        "was skipped because {holder} held its single-flight key (overlap: {overlap})",
        "to let runs wait use overlap: queue_one or queue_all, to let them run side by side overlap: allow",
    ),
    DUPLICATE: (
        "was skipped because a run for this very occurrence existed already (one occurrence, at most one run)",
        "nothing needs to change",
    ),
    LATE: (
        "was skipped because it would have started later than it may{outage} (grace: {grace})",
        "to start it late all the same raise or remove grace, and use another catchup than none, which means grace: 60s",
    ),
    TOO_OLD: (
        "was skipped because it was older than a catch-up may reach{outage} (catchup_window: {catchup_window})",
        "to catch up further back raise catchup_window",
    ),
    OVER_MAX: (
        "was skipped because a catch-up fires only the newest occurrences{outage} (catchup_max: {catchup_max})",
        "to catch up with more raise catchup_max",
    ),
    PAUSED: (
        "was skipped because the schedule was paused{by} (on_resume: {on_resume})",
        "to catch up after a pause use on_resume: catchup",
    ),
    EDITED: (
        "was skipped because the timing was edited{by} before it was decided (on_edit: {on_edit})",
        "to decide what is due before an edit of the timing use on_edit: catchup",
    ),
    OPERATOR: (
        "was skipped because {operator} (an operator's word stands before every policy)",
        "to run it after all backfill it: rota schedule backfill {name} --from {instant} --to {instant}",
    ),
    CLOCK: (
        "was skipped because a clock that stood wrong had decided it already (a watermark never falls below what ran)",
        "keep the clock of the database's machine synchronised",
    ),
    ZONE_DATA: (
        "was skipped because its wall time had fired before the zone data changed (one wall time fires once)",
        "nothing needs to change",
    ),
    COALESCED: (
        "was folded into {into}, because {missed} (catchup: {catchup})",
        "to run each missed occurrence use catchup: all",
    ),
}
"""reason -> (what happened, with its cause and the rule that decided; what to change). Predicates: the occurrence's
own time is the subject. Filled by `rota.model.telling`."""
