"""Recurrences in words: one sentence, with the zone."""

from __future__ import annotations

import pytest

from rota.calendar.text import describe, parse

SENTENCES = [
    ("every day at 03:15", "At 03:15 every day"),
    ("0 2 * * *", "At 02:00 every day"),
    ("30 0 9 * * mon-fri", "At 09:00:30 from Monday to Friday"),
    ("0,30 9,17 * * *", "At 09:00, 09:30, 17:00 and 17:30 every day"),
    ("* * * * *", "Every minute"),
    ("* * * * * *", "Every second"),
    ("*/10 * * * * *", "Every 10 seconds"),
    ("15 * * * * *", "At second 15 of every minute"),
    ("*/5 * * * *", "Every 5 minutes"),
    ("*/15 9-16 * * 1-5", "Every 15 minutes from 09:00 to 16:45 from Monday to Friday"),
    ("*/15 9,17 * * *", "Every 15 minutes in hours 9 and 17 every day"),
    ("0 * * * *", "Every hour on the hour"),
    ("7 * * * *", "Every hour at minute 7"),
    ("0 */2 * * *", "Every 2 hours on the hour, from 00:00 every day"),
    ("30 9-17 * * *", "Every hour from 09:30 to 17:30 every day"),
    ("*/7 * * * *", "At minutes 0 to 56 in steps of 7 of every hour"),
    ("5,20 * * * *", "At minutes 5 and 20 of every hour"),
    ("0 0 1 * *", "At 00:00 on day 1 of every month"),
    ("0 0 1,15 1,7 *", "At 00:00 on days 1 and 15 of January and July"),
    ("0 0 L * *", "At 00:00 on the last day of every month"),
    ("0 0 L-2 * *", "At 00:00 on 2 days before the last day of every month"),
    ("0 0 LW * *", "At 00:00 on the last weekday (Monday to Friday) of every month"),
    ("0 0 15W * *", "At 00:00 on the weekday (Monday to Friday) nearest day 15 of every month"),
    ("0 10 * * MON#2", "At 10:00 on the second Monday of every month"),
    ("0 10 * 3 FRI#L", "At 10:00 on the last Friday of March"),
    ("0 0 13 * 5", "At 00:00 on day 13 of every month and also on Friday"),
    ("0 0 13 * +5", "At 00:00 on day 13 of every month if it is Friday"),
    ("0 0 * 1 SUN", "At 00:00 on Sunday in January"),
    ("0 0 9 * * * 2026", "At 09:00 every day in 2026"),
    ("0 0 9 * * * 2026-2030", "At 09:00 every day from 2026 to 2030"),
    ("every 15 minutes", "Every 15 minutes"),
    ("every 2 hours", "Every 2 hours of elapsed time"),
    ("every 90 s starting 2026-06-23T10:00", "Every 90 seconds, starting on Tuesday 23 June 2026 at 10:00"),
    ("every 5 minutes anchored 2026-06-23", "Every 5 minutes, counted from Tuesday 23 June 2026 at 00:00"),
    ("daily at 9am, 12:30 and 17:00", "At 09:00, 12:30 and 17:00 every day"),
    ("every 2 days", "At 00:00 every other day"),
    ("every 3 days at 9", "At 09:00 every 3 days"),
    ("weekdays at 9am", "At 09:00 from Monday to Friday"),
    ("weekends at noon", "At 12:00 on Saturday and Sunday"),
    ("every other tuesday at 14:00", "At 14:00 on Tuesday of every other week"),
    ("every 3 weeks on mon,thu at 08:30", "At 08:30 on Monday and Thursday of every 3rd week"),
    (
        "every 2 weeks on sun at 9 starting 2026-06-23",
        "At 09:00 on Sunday of every other week, starting on Tuesday 23 June 2026",
    ),
    ("monthly on day 31 at 00:00", "At 00:00 on day 31 (or the last day of a shorter month) of every month"),
    ("last day at 18:00", "At 18:00 on the last day of every month"),
    ("second and fourth tuesday at 10", "At 10:00 on the second and fourth Tuesday of every month"),
    ("first business day at 08:00", "At 08:00 on the first weekday from Monday to Friday of every month"),
    ("last fri of mar,sep", "At 00:00 on the last Friday of every March and September"),
    ("yearly on dec 24 at 18:00", "At 18:00 on 24 December of every year"),
    ("2026-12-24T18:00", "Once, on Thursday 24 December 2026 at 18:00"),
    ("2026-12-24T18:00Z", "Once, on Thursday 24 December 2026 at 19:00"),
    ("at 8; weekdays at 9", "At 08:00 every day; and at 09:00 from Monday to Friday"),
    ("at 9 except sun", "At 09:00 every day, except at 09:00 on Sunday"),
    ("every 15 minutes except weekends", "Every 15 minutes, except on Saturday and Sunday"),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES)
def test_sentence_with_its_zone(text: str, sentence: str) -> None:
    rec = parse(text, "Europe/Stockholm")
    assert rec.describe() == describe(rec) == f"{sentence}, Europe/Stockholm time"


def test_utc_is_called_utc() -> None:
    assert parse("at 9").describe() == "At 09:00 every day, UTC"


def test_reboot_has_no_zone() -> None:
    assert parse("@reboot", "Asia/Tokyo").describe() == "At each start of a node, never at a time of the clock"
