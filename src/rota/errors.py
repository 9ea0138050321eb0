"""Every exception of rota, one tree, each with its code.

A code is `X` + HTTP status + sequence + mnemonic; the status in it is the HTTP status, and `exit_code` is what the
command line ends with. `docs/reference/codes.md` lists them; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Error(Exception):
    """Base of all errors of rota.

    `code` names the kind, `errors` lists every single fault as `{"pointer": JSON pointer, "detail": text}`.
    """

    code: str = "X500001INTERN"
    exit_code: int = 1

    def __init__(self, message: str, *, errors: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.errors: list[dict[str, Any]] = list(errors)

    @property
    def status(self) -> int:
        """The HTTP status: the digits 2-4 of the code."""
        return int(self.code[1:4])


class InvalidSchedule(Error, ValueError):
    """A schedule text cannot be parsed. `column` counts from 1; `suggestion` is a text that parses, or None."""

    code = "X400003INVSCH"
    exit_code = 6

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        column: int = 1,
        found: str = "",
        allowed: str = "",
        suggestion: str | None = None,
    ) -> None:
        super().__init__(message)
        self.text = text
        self.column = column
        self.found = found
        self.allowed = allowed
        self.suggestion = suggestion


class InvalidWhen(Error, ValueError):
    """A create, update or sync was refused because of its `when`; `text` is the offending string."""

    code = "X400001CRNINV"
    exit_code = 6

    def __init__(self, message: str, *, text: str = "", errors: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message, errors=errors)
        self.text = text


class InvalidArguments(Error, ValueError):
    """Arguments do not fit the job's parameters; `errors` has all of them."""

    code = "X400002ARGINV"
    exit_code = 6


class NaiveDatetime(Error, ValueError):
    """A datetime without a zone was given where an instant is meant."""

    code = "X400004DTMNAI"
    exit_code = 6


class UnknownZone(Error, ValueError):
    """No such IANA time zone in the bundled zone data."""

    code = "X400005TZNUNK"
    exit_code = 6


class InvalidValue(Error, ValueError):
    """A field has a value that is not allowed; the message names field, value and what is allowed."""

    code = "X400006VALINV"
    exit_code = 6


class InvalidFile(Error, ValueError):
    """A rota.yaml (or another declared file) is not valid; every fault is in `errors` with file:line:column."""

    code = "X400007FILINV"
    exit_code = 6


class NotAllowed(Error):
    """The caller may not do this."""

    code = "X403001NOTALW"
    exit_code = 4


class NotFound(Error, LookupError):
    """Base: something named does not exist."""

    code = "X404901NOTFND"
    exit_code = 3


class ScheduleNotFound(NotFound):
    """No such schedule."""

    code = "X404902SCHNFD"


class JobNotFound(NotFound):
    """No such job in the registry."""

    code = "X404903JOBNFD"


class RunNotFound(NotFound):
    """No such run."""

    code = "X404904RUNNFD"


class LaneNotFound(NotFound):
    """No such lane."""

    code = "X404905LANNFD"


class NodeNotFound(NotFound):
    """No such node."""

    code = "X404906NODNFD"


class EventsForgotten(NotFound):
    """A cursor is older than the events that are kept; the message names the gap. Start again at its end."""

    code = "X410901EVTGON"


class Conflict(Error):
    """The thing is in a state in which this cannot be done."""

    code = "X409901CONFLT"
    exit_code = 5


class ScheduleExists(Conflict):
    """The key exists."""

    code = "X409900SCHDPL"


class RevisionMoved(Conflict):
    """The schedule was edited since it was read."""

    code = "X412901REVOLD"


class DatabaseUnavailable(Error):
    """The database cannot be reached, or is not one that rota can use."""

    code = "X503001DBAWAY"
    exit_code = 7


class DatabaseNotMigrated(DatabaseUnavailable):
    """The database has no tables of rota, or of another version; the message names the command that helps."""

    code = "X503002DBMIGR"


class TimedOut(Error):
    """A wait ended before what was waited for happened."""

    code = "X504001TIMOUT"
    exit_code = 9


class MissingExtra(Error):
    """An optional part of rota is not installed; the message has the install line."""

    code = "X501001EXTRAS"


class CannotCompute(Error):
    """A next occurrence cannot be computed: a fault in rota or in its data, never of one text."""

    code = "X200900SCHCAL"


class LocallyIncapable(Error):
    """What only this node lacks (a zone, an extra): other nodes may fire the schedule."""

    code = "X501002LACKNG"
