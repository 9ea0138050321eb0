"""Texts by chance: schedule texts that are nearly right, and texts that are anything."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rota.calendar import vocabulary

CASES: Final = Path(__file__).resolve().parents[2] / "tests" / "cases" / "data"
NUMBERS: Final = (
    "0",
    "1",
    "2",
    "5",
    "7",
    "12",
    "15",
    "23",
    "24",
    "29",
    "30",
    "31",
    "45",
    "59",
    "60",
    "99",
    "1000",
    "-1",
)
GRAMMAR: Final = (
    *("every", "other", "day", "days", "week", "weeks", "month", "months", "year", "hour", "hours", "minute", "minutes"),
    *("second", "seconds", "at", "on", "the", "of", "and", "or", "to", "in", "from", "between", "except", "starting"),
    *("anchored", "weekdays", "weekends", "noon", "midnight", "today", "tomorrow", "once", "business", "last", "first"),
    *("third", "fourth", "1st", "2nd", "31st", "9am", "9:30pm", "12:00", "23:59:59", "2026-02-29", "2028-02-29"),
    *("2026-01-02T10:00", "2026-03-29T02:30:00+01:00", "2h30m", "90s", "1w", "H", "@daily", "@every", "@reboot", "L", "LW"),
    *(",", ";", "+", "-", "?", "*", "*/5", "1-5", "5-1", "fri-mon", "fri#2", "5L", "15W", "RRULE:FREQ=DAILY", "~"),
    *vocabulary.WEEKDAYS, *vocabulary.MONTHS,
)  # fmt: skip
ODD: Final = (
    "\x00", "\n", "\r\n", "\t", "\ud800", "\u202e", "\u00a0", "\ufeff", "İ", "ß", "٣", "²", "½", "日", "😀", "'", '"', "\\",
    "{{", "%s", "%00", "../", "<script>", "; DROP TABLE runs;--", "$(id)", "`id`", "\x1b[31m", "\x7f",
)  # fmt: skip
_FIELDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
LONGEST: Final = 1200


def corpus() -> list[str]:
    """Every schedule text of the shared cases, right and wrong."""
    found = set()
    for name in ("vectors.jsonl", "invalid.jsonl"):
        for line in (CASES / name).read_text("utf-8").splitlines():
            expression = json.loads(line)["expr"]
            found.add(expression if isinstance(expression, str) else "; ".join(expression))
    return sorted(found)


class Texts:
    """Draws texts; equal seeds draw equal ones."""

    def __init__(self, draw: random.Random, seeds: Sequence[str]) -> None:
        self.draw = draw
        self._seeds = list(seeds)
        self._ways: tuple[tuple[int, Callable[[], str]], ...] = (
            (5, self._changed), (4, self._cron), (3, self._words), (4, self._sentence), (1, self._anything),
            (1, self._repeated), (2, self._joined),
        )  # fmt: skip
        self._all = [way for weight, way in self._ways for _ in range(weight)]

    def one(self) -> str:
        """A text of at most LONGEST characters."""
        return self.draw.choice(self._all)()[:LONGEST]

    def _seed(self) -> str:
        return self.draw.choice(self._seeds)

    def _changed(self) -> str:
        """A known text with a few changes of characters or words."""
        text = self._seed()
        for _ in range(self.draw.choice((0, 1, 1, 2, 4))):
            text = self.change(text)
        return text

    def change(self, text: str) -> str:
        """One change."""
        place = self.draw.randint(0, len(text))
        end = min(len(text), place + self.draw.randint(0, 5))
        return self.draw.choice(
            (
                text[:place] + text[end:],
                text[:place] + self._piece() + text[place:],
                text[:place] + self._piece() + text[end:],
                text[:place] + text[place:end] * 2 + text[end:],
                text[:place] + text[place:].swapcase(),
                self._shuffled(text),
                text[:place] + self._seed()[self.draw.randint(0, 10) :],
            )
        )

    def _shuffled(self, text: str) -> str:
        words = text.split(" ")
        one, other = self.draw.randrange(len(words)), self.draw.randrange(len(words))
        words[one], words[other] = words[other], words[one]
        return " ".join(words)

    def _piece(self) -> str:
        kind = self.draw.random()
        if kind < 0.35:
            return self.draw.choice("0123456789*/,-+?#LWHaz@:; .TZ()[]")
        if kind < 0.6:
            return self.draw.choice(GRAMMAR)
        if kind < 0.8:
            return self.draw.choice(NUMBERS)
        return self.draw.choice(ODD) if kind < 0.95 else chr(self.draw.randrange(0x110000))

    def _cron(self) -> str:
        count = self.draw.choice((5, 5, 5, 5, 6, 6, 4, 7))
        ranges = (((0, 59),) if count == 6 else ()) + _FIELDS
        odd = self.draw.random() < 0.3
        fields = [self._field(*ranges[min(n, len(ranges) - 1)], odd=odd) for n in range(count)]
        zone = self.draw.choice(("", "", "", "", "CRON_TZ=Asia/Tokyo ", "TZ=UTC "))
        return zone + " ".join(fields)

    def _field(self, low: int, high: int, *, odd: bool) -> str:
        return ",".join(self._item(low, high, odd=odd) for _ in range(self.draw.choice((1, 1, 1, 2, 3, 20))))

    def _item(self, low: int, high: int, *, odd: bool) -> str:
        draw = self.draw
        number, other = sorted((draw.randint(low, high), draw.randint(low, high)))
        plain = ("*", str(number), f"{number}-{other}", f"*/{max(other, 1)}", f"{number}-{other}/{draw.randint(1, 9)}")
        if not odd:
            return draw.choice(plain)
        return draw.choice(
            (
                *plain, f"{number}/{other}", f"{other}-{number}", str(high + 1), f"*/{draw.randint(0, 70)}",
                draw.choice(("L", "W", "LW", "?", "H", f"H/{other}", f"H({low}-{other})", f"{number}W", f"{number}L", "L-3")),
                f"{draw.choice(vocabulary.WEEKDAY_NAMES)}#{draw.randint(0, 6)}", draw.choice(vocabulary.MONTH_NAMES).upper(),
            )
        )  # fmt: skip

    def _sentence(self) -> str:
        """A rule in words as the grammar has it, with numbers by chance."""
        draw = self.draw
        unit = draw.choice(("minute", "hour", "day", "week", "month", "second"))
        number = draw.choice((1, 2, 3, 5, 7, 10, 12, 15, 24, 30, 45, 90, 1000, draw.randint(0, 100_000)))
        time = f"{draw.randint(0, 24):02}:{draw.randint(0, 60):02}"
        day, other = draw.choice(vocabulary.WEEKDAY_NAMES), draw.choice(vocabulary.WEEKDAY_NAMES)
        month = draw.choice(vocabulary.MONTH_LONG)
        date = f"{draw.choice((1970, 2025, 2026, 2027, 2028, 2199, 2200))}-{draw.randint(1, 12):02}-{draw.randint(1, 31):02}"
        base = draw.choice(
            (
                f"every {number} {unit}s", f"every {unit}", f"every day at {time}", f"every {day} at {time}",
                f"{day}-{other} at {time}", f"weekdays at {time}", f"every {number} days at {time}", f"at {time}",
                f"on the {draw.choice(('1st', '2nd', '31st', 'last', 'third'))} {draw.choice(('', day))} of {month} at {time}",
                f"{month} {draw.randint(1, 31)} at {time}", f"{date}T{time}", f"in {number} {unit}s",
                f"daily at {time}", f"once at {date}T{time}:00",
                f"every 2nd {day} of the month at {time}", f"{day} and {other} at {time}, {time}",
            )
        )  # fmt: skip
        more = draw.choice(
            ("", "", "", f" starting {date}", f" anchored {date}", f" except {day}", f" except {month}", f" in {month}")
        )
        text = base + more
        return text if draw.random() < 0.8 else self.change(text)

    def _words(self) -> str:
        count = self.draw.choice((1, 2, 3, 4, 5, 6, 8, 12, 30))
        words = [self.draw.choice(NUMBERS if self.draw.random() < 0.25 else GRAMMAR) for _ in range(count)]
        return (" " if self.draw.random() < 0.95 else self.draw.choice(("", "  ", "\t"))).join(words)

    def _anything(self) -> str:
        return "".join(self._piece() for _ in range(self.draw.choice((1, 2, 5, 20, 100))))

    def _repeated(self) -> str:
        """Long and all alike: what is slow where something is quadratic, or worse."""
        piece = self.draw.choice(
            (self._piece(), self._seed() + self.draw.choice((";", ",", " and ", " except ")), "1-59,")
        )
        return (piece or "*") * self.draw.choice((10, 100, 1000))

    def _joined(self) -> str:
        """Several rules in one."""
        between = self.draw.choice((" ; ", ";", " except ", " and ", ", "))
        makers = (self._seed, self._seed, self._cron, self._sentence)
        return between.join(self.draw.choice(makers)() for _ in range(self.draw.randint(2, 6)))
