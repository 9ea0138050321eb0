"""One field of a cron text: what it may hold, and reading it into a bit mask and special days.

The dialect is OCPS 1.0 with its drafts 1.1 to 1.4, and the additions of the calendar's design: `N/S`, `L-n`, `H`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from rota.calendar.rules import FIRST_YEAR, LAST_YEAR

MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """What one field may hold: numbers `low` to `high` (`last` is the end of `*` and `N/S`), and names for some.

    `singles` has the value of every one-value text, `quick` the mask of every field text that needs no reading.
    """

    name: str
    low: int
    high: int
    last: int
    names: dict[str, int] = field(default_factory=dict)
    singles: dict[str, int] = field(default_factory=dict)
    quick: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many values the field has: the largest step."""
        return self.last - self.low + 1

    @property
    def allowed(self) -> str:
        """What the field takes, for a message."""
        text = f"{self.low}-{self.high}"
        if self.names:
            keys = list(self.names)
            text += f" or {keys[0]}-{keys[-1]}"
        return text


def _spec(name: str, low: int, high: int, names: tuple[str, ...] = ()) -> Spec:
    last = 6 if name == "weekday" else high
    named = {text: low + i for i, text in enumerate(names)}
    singles = {str(n): n for n in range(low, high + 1)} | named | {k.lower(): v for k, v in named.items()}
    singles |= {f"{n:02}": n for n in range(low, high + 1)}
    quick = {text: 1 << (0 if n > last else n) for text, n in singles.items()}
    quick["*"] = run(low, last, 1)
    if name in {"day of month", "weekday"}:
        quick["?"] = quick["*"]
    return Spec(name, low, high, last, named, singles, quick)


def run(low: int, high: int, step: int) -> int:
    """The mask of low, low + step, ... up to high."""
    if step == 1:
        return (1 << (high + 1)) - (1 << low)
    mask = 0
    for n in range(low, high + 1, step):
        mask |= 1 << n
    return mask


SECOND = _spec("second", 0, 59)
MINUTE = _spec("minute", 0, 59)
HOUR = _spec("hour", 0, 23)
DAY = _spec("day of month", 1, 31)
MONTH = _spec("month", 1, 12, MONTH_NAMES)
WEEKDAY = _spec("weekday", 0, 7, WEEKDAY_NAMES)
YEAR = _spec("year", FIRST_YEAR, LAST_YEAR)


class FieldError(Exception):
    """A field is not valid: at `offset` in it stands `found`. `repair` replaces the whole field, where one is known.

    `step` is set for a step beyond the field, which only an interval can say.
    """

    def __init__(self, offset: int, found: str, allowed: str, problem: str, *, repair: str = "", step: int = 0) -> None:
        super().__init__(problem)
        self.offset = offset
        self.found = found
        self.allowed = allowed
        self.problem = problem
        self.repair = repair
        self.step = step
        self.index = -1


def is_number(text: str) -> bool:
    """True for ASCII digits only, and few: int() alone takes signs, blanks, underscores and digits of all scripts."""
    return text.isascii() and text.isdigit() and len(text) <= 4


def _single(spec: Spec, text: str, *, end: bool = False) -> int:
    """The value of one number or name; `end`: it ends a range, where SUN is 7."""
    value = spec.singles.get(text)
    if value is None:
        value = spec.names.get(text.upper(), -1)
        if value < 0:
            raise _not_single(spec, text)
    return 7 if end and value == 0 and spec is WEEKDAY and text.isalpha() else value


def _not_single(spec: Spec, text: str) -> FieldError:
    if is_number(text):
        value = int(text)
        if spec.low <= value <= spec.high:
            return FieldError(
                0, text, spec.allowed, f"{text} has more digits than the {spec.name} needs", repair=str(value)
            )
        repair = "0" if spec.low == 0 and value == spec.high + 1 and spec is not WEEKDAY else ""
        return FieldError(0, text, spec.allowed, f"{spec.name} {text} is out of range", repair=repair)
    if not text:
        return FieldError(0, text, spec.allowed, f"the {spec.name} is missing")
    if text in {"l", "lw", "h", "w"} or (text[:-1].isdigit() and text[-1] in "lw"):
        return FieldError(0, text, spec.allowed, "L, W and H are upper case only", repair=text.upper())
    repair = nearest_name(spec, text)
    if text.isascii():
        return FieldError(0, text, spec.allowed, f"{text!r} is no {spec.name}", repair=repair)
    return FieldError(0, text, spec.allowed, f"{text!r} is no {spec.name}: only ASCII letters and digits are read")


def nearest_name(spec: Spec, text: str) -> str:
    """The three-letter name that `text` begins with or most resembles; empty where there is none."""
    upper = text.upper()
    if upper[:3] in spec.names and upper.isalpha():
        return upper[:3]
    if not spec.names or not upper.isalpha() or len(upper) > 12:
        return ""
    from difflib import get_close_matches

    near = get_close_matches(upper, spec.names, n=1, cutoff=0.6)
    return near[0] if near else ""


def _step(spec: Spec, text: str, at: int) -> int:
    if not is_number(text):
        raise FieldError(
            at, text, f"1-{spec.size}", f"the step {text!r} is not a number" if text else "a step is missing"
        )
    step = int(text)
    if step == 0:
        raise FieldError(at, text, f"1-{spec.size}", "a step of 0 never moves")
    if step > spec.size:
        problem = f"the step {step} is larger than the field, {spec.size} values"
        raise FieldError(at, text, f"1-{spec.size}", problem, step=step)
    return step


def item_mask(spec: Spec, text: str) -> int:
    """The mask of one item of a list: `*`, a number, a name, a range, each perhaps with a step."""
    value = spec.singles.get(text)
    if value is not None:
        return 1 << value
    base, slash, step_text = text.partition("/")
    step = 1
    if slash:
        step = _step(spec, step_text, len(base) + 1)
    if base == "*":
        return run(spec.low, spec.last, step)
    first, dash, second = base.partition("-")
    low = _single(spec, first)
    if not dash:
        if low > spec.last:  # 7/2: from Sunday to the end, which is Saturday
            raise FieldError(0, text, "0-6 before a step", "a step from 7 has no days to go to", repair=f"0/{step}")
        return run(low, spec.last, step) if slash else 1 << low
    try:
        high = _single(spec, second, end=True)
    except FieldError as fault:
        fault.offset += len(first) + 1
        fault.repair = fault.repair and f"{first}-{fault.repair}" + (f"/{step}" if slash else "")
        raise
    if high < low:
        raise _backwards(spec, base, low, high, step)
    return run(low, high, step)


def _backwards(spec: Spec, text: str, low: int, high: int, step: int) -> FieldError:
    """A range like 22-2, with the two ranges (or, with a step, the list) that say the same."""
    if spec is YEAR:
        return FieldError(0, text, "a range that goes up", f"the range {text} runs backwards", repair=f"{high}-{low}")
    if step == 1:
        repair = f"{_range(low, spec.last)},{_range(spec.low, high)}"
    else:
        size = spec.size
        count = high + size - low
        repair = ",".join(str((low - spec.low + n) % size + spec.low) for n in range(0, count + 1, step))
    return FieldError(0, text, "a range that goes up", f"the range {text} runs backwards", repair=repair)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def hashed(key: str, spec: Spec, size: int) -> int:
    """A number below `size` from the schedule's key and the field's name: the same everywhere and for ever."""
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8, person=spec.name.encode("ascii"))
    return int.from_bytes(digest.digest(), "big") % size


def resolve_hash(spec: Spec, text: str, key: str | None) -> str:
    """The plain item that `H`, `H/n` or `H(a-b)` stands for.

    `H` in the day of month is 1 to 28, so that it exists in every month.
    """
    allowed = "H, H/n or H(a-b)"
    if spec is YEAR:
        raise FieldError(0, text, spec.allowed, "H has no meaning for a year")
    plain = text == "H"
    stepped = text.startswith("H/")
    if not plain and not stepped and not (text.startswith("H(") and text.endswith(")")):
        raise FieldError(0, text, allowed, f"{text!r} is not a form of H")
    if key is None:
        raise FieldError(
            0,
            text,
            f"{spec.allowed}, or a schedule with a name",
            "H is chosen by the key of a schedule, and there is none here",
        )
    if plain:
        size = 28 if spec is DAY else spec.size
        return str(spec.low + hashed(key, spec, size))
    if stepped:
        step = _step(spec, text[2:], 2)
        return f"{spec.low + hashed(key, spec, step)}-{spec.last}/{step}"
    first, _, second = text[2:-1].partition("-")
    if not (is_number(first) and is_number(second)):
        raise FieldError(2, text[2:-1], "two numbers like H(0-29)", f"{text!r} is not a form of H")
    low, high = int(first), int(second)
    if not spec.low <= low <= high <= spec.last:
        raise FieldError(2, text[2:-1], f"{spec.low}-{spec.last}, going up", f"{text} is not within the {spec.name}")
    return str(low + hashed(key, spec, high - low + 1))


@dataclass(slots=True)
class Special:
    """The days of a cron text that are not plain numbers, as they are read. See `Cron`."""

    last_offsets: tuple[int, ...] = ()
    last_weekday: bool = False
    nearest: int = 0
    nth: tuple[tuple[int, int], ...] = ()


def read_field(spec: Spec, text: str, key: str | None, special: Special) -> tuple[int, str]:
    """The mask of a field and its text with H resolved; special days are put into `special`. Raises FieldError."""
    if spec is WEEKDAY and text.startswith("+"):
        inner = text[1:]
        if inner == "?" or not inner:
            raise FieldError(1, inner, spec.allowed, "after + come weekdays")
        try:
            mask, resolved = read_field(spec, inner, key, special) if inner[0] != "+" else _no_plus(inner)
        except FieldError as fault:
            fault.offset += 1
            fault.repair = fault.repair and "+" + fault.repair
            raise
        return mask, "+" + resolved
    mask = 0
    items = text.split(",")
    for index in range(len(items)):
        try:
            if items[index][:1] == "H":
                items[index] = resolve_hash(spec, items[index], key)
            mask |= _item(spec, items[index], special, alone=len(items) == 1)
        except FieldError as fault:
            fault.offset += sum(len(other) + 1 for other in text.split(",")[:index])
            if fault.repair:
                fault.repair = ",".join([*text.split(",")[:index], fault.repair, *text.split(",")[index + 1 :]])
            raise
    if spec is WEEKDAY and mask >> 7:
        mask = mask & 127 | 1
    return mask, ",".join(items)


def _no_plus(text: str) -> tuple[int, str]:
    raise FieldError(
        0, text, "one +, first in the weekday field", "+ stands once, as the first character", repair=text.lstrip("+")
    )


def _item(spec: Spec, text: str, special: Special, *, alone: bool) -> int:
    value = spec.singles.get(text)
    if value is not None:
        return 1 << value
    if spec is DAY and ("L" in text or "W" in text):
        return _special_day(text, special, alone=alone)
    if spec is WEEKDAY and ("#" in text or text.endswith("L")):
        return _special_weekday(text, special)
    if "?" in text:
        allowed = "? alone, in day of month or weekday" if spec in {DAY, WEEKDAY} else spec.allowed
        repair = "*" if text == "?" and alone else ""
        raise FieldError(0, text, allowed, "? is only for the two day fields, as the whole field", repair=repair)
    return item_mask(spec, text)


def _special_day(text: str, special: Special, *, alone: bool) -> int:
    """`L`, `L-n`, `LW`, `nW`: adds to `special`; no plain days."""
    if text == "L":
        special.last_offsets = tuple(sorted({*special.last_offsets, 0}))
    elif text == "LW":
        special.last_weekday = True
    elif text.startswith("L-"):
        if not is_number(text[2:]) or not 1 <= int(text[2:]) <= 30:
            raise FieldError(2, text[2:], "1-30", f"{text!r}: L-n takes a number of days before the last", repair="L")
        special.last_offsets = tuple(sorted({*special.last_offsets, int(text[2:])}))
    elif text.endswith("W") and is_number(text[:-1]):
        if not 1 <= int(text[:-1]) <= 31:
            raise FieldError(0, text, "1W-31W", f"there is no day {text[:-1]}")
        if not alone:
            raise FieldError(0, text, "nW alone, or a list without W", "nW is alone in its field")
        special.nearest = int(text[:-1])
    else:
        repair = "LW" if text == "WL" else ""
        raise FieldError(0, text, "1-31, L, L-n, LW or nW", f"{text!r} is no day of month", repair=repair)
    return 0


def _special_weekday(text: str, special: Special) -> int:
    """`D#n`, `D#L`, `DL`: adds to `special`; no plain weekdays."""
    allowed = "D#1 to D#5, D#L or DL, where D is one weekday (0-7 or SUN-SAT)"
    day_text, sharp, nth_text = text.partition("#")
    if not sharp:
        day_text, nth_text = text[:-1], "L"
    day = WEEKDAY.singles.get(day_text, WEEKDAY.names.get(day_text.upper(), -1))
    if day < 0:
        if not day_text:
            problem = "L in the weekday field needs a weekday before it" if text == "L" else "a weekday is missing"
            raise FieldError(0, text, allowed, problem)
        raise FieldError(0, text, allowed, f"{day_text!r} is not one weekday")
    if nth_text == "L":
        n = -1
    elif nth_text in {"1", "2", "3", "4", "5"}:
        n = int(nth_text)
    else:
        repair = f"{day_text}#L" if nth_text == "l" else ""
        raise FieldError(
            len(day_text) + 1, nth_text, "1-5 or L", f"a month has no weekday number {nth_text!r}", repair=repair
        )
    special.nth = tuple(sorted({*special.nth, (day % 7, n)}))
    return 0
