"""Cron texts: reading one into a `Cron` rule, and writing a rule's canonical text."""

from __future__ import annotations

from rota.calendar import rules
from rota.calendar.cron_fields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, YEAR, FieldError, Special, read_field
from rota.calendar.rules import FIRST_YEAR, Cron, bits

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MAX_LENGTH = 1000

_SPECS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY, YEAR)
SPECS_BY_COUNT = {5: _SPECS[1:6], 6: _SPECS[:6], 7: _SPECS}


def parse_cron(text: str, key: str | None = None) -> Cron:
    """Read a cron text of five, six or seven fields, or a nickname. `key` resolves `H`, for this schedule alone.

    Raises InvalidSchedule with the column, what was found there, what is allowed, and a text that would be valid
    where one can be guessed. `@reboot` is no cron text: `rota.parse` reads it.
    """
    try:
        return read_cron(text, key)
    except FieldError as fault:
        from rota.calendar.cron_errors import explained

        raise explained(text, fault) from None


def read_cron(text: str, key: str | None = None) -> Cron:
    """What parse_cron does, with a bare FieldError: its `index` is the field's, or -1 if fields are not the matter."""
    body = text.strip(" \t\r\n")
    fields = NICKNAMES.get(body.lower(), "").split() if body.startswith("@") else body.split()
    specs = SPECS_BY_COUNT.get(len(fields))
    if specs is None or len(body) > MAX_LENGTH or not (body.isprintable() or body.replace("\t", " ").isprintable()):
        raise FieldError(0, body, "", "no five to seven fields")
    special = Special()
    masks = [1] if len(fields) == 5 else []
    for index, spec in enumerate(specs):
        mask = spec.quick.get(fields[index])
        if mask is None:
            try:
                mask, fields[index] = read_field(spec, fields[index], key, special)
            except FieldError as fault:
                fault.index = index
                raise
        masks.append(mask)
    return _rule(text, fields, masks, special)


def _rule(text: str, fields: list[str], masks: list[int], special: Special) -> Cron:
    count = len(fields)
    first = 0 if count == 5 else 1
    day, weekday = fields[first + 2], fields[first + 4]
    clock = fields[0] + fields[1] + (fields[2] if first else "")
    day_restricted = day not in {"*", "?"}
    weekday_restricted = weekday not in {"*", "?", "+*"}
    return Cron(
        second_mask=masks[0],
        minute_mask=masks[1],
        hour_mask=masks[2],
        day_mask=masks[3],
        month_mask=masks[4],
        weekday_mask=masks[5],
        year_mask=masks[6] >> FIRST_YEAR if count == 7 else rules.ALL_YEARS,
        last_offsets=special.last_offsets,
        last_weekday=special.last_weekday,
        nearest=special.nearest,
        nth=special.nth,
        day_restricted=day_restricted,
        weekday_restricted=weekday_restricted,
        plus=day_restricted and weekday_restricted and weekday[0] == "+",
        interval_like="*" in clock or "-" in clock or "/" in clock,
        nfields=count,
        resolved=" ".join(fields),
        text=text,
    )


def canonical_cron(rule: Cron) -> str:
    """The one text of all rules equal to `rule`: numbers, Sunday 0, sorted lists, seconds and years only if needed.

    A fixed-time rule has plain lists in its time fields, an interval-like one has `*`, a range or a step in at least
    one, so that the class survives.
    """
    clock = [_clock(mask, size, rule) for mask, size in ((rule.second_mask, 60), (rule.minute_mask, 60))]
    clock.append(_clock(rule.hour_mask, 24, rule))
    if rule.interval_like and not any(mark in text for text in clock for mark in "*-/"):
        first, _, rest = clock[1].partition(",")
        clock[1] = f"{first}-{first}" + (f",{rest}" if rest else "")
    parts = clock if clock[0] != "0" or rule.year_mask != rules.ALL_YEARS else clock[1:]
    parts = [*parts, _day_field(rule), _values(rule.month_mask, 1, 12), _weekday_field(rule)]
    if rule.year_mask != rules.ALL_YEARS:
        parts.append(_values(rule.year_mask, FIRST_YEAR, rules.LAST_YEAR))
    return " ".join(parts)


def _clock(mask: int, size: int, rule: Cron) -> str:
    if rule.interval_like:
        return _values(mask, 0, size - 1)
    return ",".join(map(str, bits(mask)))


def _day_field(rule: Cron) -> str:
    if not rule.day_restricted:
        return "*"
    if rule.nearest:
        return f"{rule.nearest}W"
    items = [_values(rule.day_mask, 1, 31, star=False)] if rule.day_mask else []
    items += [f"L-{n}" if n else "L" for n in rule.last_offsets]
    return ",".join(items + ["LW"] * rule.last_weekday)


def _weekday_field(rule: Cron) -> str:
    if not rule.weekday_restricted:
        return "*"
    items = [_values(rule.weekday_mask, 0, 6, star=False)] if rule.weekday_mask else []
    items += [f"{day}#{'L' if n < 0 else n}" for day, n in rule.nth]
    return "+" * rule.plus + ",".join(items)


def _values(mask: int, low: int, high: int, *, star: bool = True) -> str:
    """A set of numbers as a field: `*` (or the whole range where `*` means something else), `*/N`, ranges, a list."""
    base = FIRST_YEAR if low == FIRST_YEAR else 0
    if mask == (1 << high + 1 - base) - (1 << low - base):
        return "*" if star else f"{low}-{high}"
    numbers = bits(mask, base)
    if len(numbers) > 2 and numbers[0] == low:
        step = numbers[1] - numbers[0]
        if step > 1 and numbers == tuple(range(low, high + 1, step)):
            return f"*/{step}"
    items: list[str] = []
    start = previous = numbers[0]
    for number in [*numbers[1:], -1]:
        if number == previous + 1:
            previous = number
            continue
        if previous - start > 1:
            items.append(f"{start}-{previous}")
        else:
            items += [str(n) for n in range(start, previous + 1)]
        start = previous = number
    return ",".join(items)
