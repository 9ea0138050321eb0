"""Zones: the bundled data and nothing else, and clock changes equal to what zoneinfo says of every zone."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from rota.calendar import civil
from rota.calendar.tzfile import changes_of
from rota.errors import NaiveDatetime, UnknownZone


def test_every_zone_has_the_offsets_of_zoneinfo() -> None:
    draw = random.Random(3)
    for name in sorted(civil.zone_names()):
        clock, tz = civil.zone_map(name), civil.zone(name)
        changes = draw.sample(clock.changes, min(len(clock.changes), 12))
        points = [at + tick for at, _, _ in changes for tick in (-1, 0)]
        points += [draw.randrange(90_000, civil.END_WALL - 90_000) for _ in range(6)]
        for at in points:
            local = civil.utc_datetime(at).astimezone(tz)
            assert local.utcoffset() == timedelta(seconds=clock.offset(at)), (name, at)


def test_segments_cover_all_wall_times_and_changes_are_far_apart() -> None:
    for name in civil.zone_names():
        clock = civil.zone_map(name)
        assert clock.first == -clock.segments[0].offset
        assert clock.end == civil.END_WALL - clock.segments[-1].offset
        for one, two in pairwise(clock.segments):
            assert one.end == two.start
        instants = [at for at, _, _ in clock.changes]
        assert all(b - a > 2 * civil.DAY for a, b in pairwise(instants)), name
        assert all(abs(after - before) <= civil.DAY for _, before, after in clock.changes)


def test_clock_changes() -> None:
    found = civil.clock_changes("Europe/Stockholm", datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    hour = timedelta(hours=1)
    assert found == [
        civil.ClockChange(datetime(2026, 3, 29, 1, tzinfo=UTC), hour, 2 * hour),
        civil.ClockChange(datetime(2026, 10, 25, 1, tzinfo=UTC), 2 * hour, hour),
    ]
    assert civil.clock_changes(civil.zone("Europe/Stockholm"), found[0].at, found[1].at) == found[1:]
    assert civil.clock_changes("UTC", datetime(1970, 1, 1, tzinfo=UTC), datetime(2199, 1, 1, tzinfo=UTC)) == []
    assert civil.clock_changes("America/New_York", datetime(2198, 1, 1, tzinfo=UTC), datetime(2199, 1, 1, tzinfo=UTC))


def test_wall_times_become_instants() -> None:
    stockholm = civil.zone_map("Europe/Stockholm")

    def instant(*wall: int) -> datetime:
        return civil.utc_datetime(stockholm.instant(civil.wall_seconds(datetime(*wall))))  # type: ignore[arg-type]  # noqa: DTZ001

    assert instant(2026, 3, 29, 2, 30) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert instant(2026, 10, 25, 2, 30) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert instant(2026, 7, 1, 12) == datetime(2026, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Europe/Stokholm", "Europe/Stockholm"),
        ("europe/stockholm", "Europe/Stockholm"),
        ("New York", "America/New_York"),
        ("../../etc/passwd", "IANA"),
        ("", "IANA"),
        ("\ud800", "IANA"),
    ],
)
def test_an_unknown_zone_is_refused_with_the_nearest(name: str, hint: str) -> None:
    for call in (civil.zone, civil.zone_map):
        with pytest.raises(UnknownZone, match=hint) as caught:
            call(name)
        assert caught.value.code == "X400005TZNUNK"


def test_zones_do_not_come_from_the_host() -> None:
    code = (
        "import zoneinfo; zoneinfo.reset_tzpath(['/nowhere']);"
        "from rota.calendar import civil; print(civil.zone('Europe/Berlin').key, civil.zone_map('UTC').changes)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"TZ": "Asia/Tokyo"}
    )
    assert done.stdout.split() == ["Europe/Berlin", "[]"]
    assert civil.zone_data_version()[:2] == "20"


def test_months() -> None:
    assert civil.MONTHS == 230 * 12
    assert civil.month_of(0) == 0
    assert civil.month_of(civil.END_DAY - 1) == civil.MONTHS - 1
    for month in range(0, civil.MONTHS, 7):
        first = date(1970 + month // 12, month % 12 + 1, 1)
        assert civil.MONTH_START[month] == civil.day_number(first)
        assert civil.MONTH_SHAPE[month] % 7 == first.weekday()
    assert len(set(civil.MONTH_SHAPE)) == 28


def test_instants_are_aware() -> None:
    assert civil.utc_seconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1
    with pytest.raises(NaiveDatetime):
        civil.utc_seconds(datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(TypeError):
        civil.utc_seconds(date(2026, 1, 1))  # type: ignore[arg-type]


def test_posix_rules_of_all_forms() -> None:
    def tzfile(footer: str) -> bytes:
        header = b"TZif2" + bytes(15) + bytes(8) + bytes(8) + (1).to_bytes(4, "big") + (4).to_bytes(4, "big")
        block = header + bytes(6) + b"LMT\0"
        return block + block + b"\n" + footer.encode() + b"\n"

    first, changes = changes_of(tzfile("AAA-1BBB,J60/0,J300/0"), 1972)
    assert first == 3600
    starts = [civil.utc_datetime(at) for at, _, after in changes if after == 7200]
    assert [(at + timedelta(hours=1)).date() for at in starts] == [date(1970, 3, 1), date(1971, 3, 1), date(1972, 3, 1)]
    _, changes = changes_of(tzfile("AAA5BBB4:30,59/3,300/-1:30"), 1972)
    ends = [(civil.utc_datetime(at - 16200), before) for at, before, _ in changes if before == -16200]
    assert ends[0][0] == datetime(1970, 10, 27, 22, 30, tzinfo=UTC) - timedelta(days=0)
    with pytest.raises(ValueError, match="TZif"):
        changes_of(b"nope" + bytes(60), 2000)
