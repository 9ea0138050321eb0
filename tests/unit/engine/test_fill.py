"""Placeholders, and what comes from outside made storable."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import InvalidValue
from rota.model.storable import RESULT_LIMIT, clean_text, is_clean, storable
from rota.targets.fill import (
    Values,
    as_text,
    check_json,
    check_placeholders,
    check_url,
    fill_header,
    fill_json,
    fill_text,
    fill_url,
    variable,
)
from tests.unit.engine.invoke_support import NOON, run_of

ARGS: dict[str, Any] = {
    "x": "a/b ?&#{{since}} 日",
    "n": 30,
    "none": None,
    "list": [1, "é"],
    "dots": "..",
    "line": "a\r\nb: c",
}
VALUES = Values.of(run_of(args=ARGS))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{occurrence}}", "2026-03-29T14:00:00+02:00"),
        ("{{occurrence:%Y-%m-%d}}", "2026-03-29"),
        ("{{ occurrence : %H:%M }}", " 14:00 "),
        ("{{since}}|{{since:%Y}}", "|"),
        ("{{invocation}}", VALUES.invocation),
        ("{{args.n}} {{args.none}} {{args.list}}", '30  [1, "é"]'),
        ("{{args.x}}", ARGS["x"]),
        ("{occurrence} {{}", "{occurrence} {{}"),
        ("{{{occurrence:%d}}}", "{29}"),
        ('{"a": {"b": "{{occurrence:%d}}"}}', '{"a": {"b": "29"}}'),
        ("no placeholder", "no placeholder"),
    ],
)
def test_text(text: str, filled: str) -> None:
    check_placeholders(text)
    assert fill_text(text, VALUES) == filled


def test_without_an_occurrence_the_request_counts() -> None:
    values = Values.of(run_of(scheduled_for=None, created_at=NOON.replace(microsecond=500_000), since=NOON))
    assert fill_text("{{occurrence}} {{since:%Z}}", values) == "2026-03-29T14:00:00.500000+02:00 CEST"
    assert values.environment()["ROTA_SINCE"] == "2026-03-29T14:00:00+02:00"
    utc = Values.of(run_of(timezone="UTC", scheduled_for=datetime(2026, 1, 1, tzinfo=UTC)))
    assert utc.environment()["ROTA_OCCURRENCE"] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "bad",
    ["{{ocurrence}}", "{{}}", "{{args}}", "{{args.}}", "{{.Names}}", "{{occurrence:}}", "{{occurrence:%Q}}", "{{since:%}}",
     "{{invocation:%Y}}", "{{args.a b}}"],
)  # fmt: skip
def test_unknown_placeholders_are_errors_that_name_the_field(bad: str) -> None:
    with pytest.raises(InvalidValue, match=r"^env\.DAY: "):
        check_placeholders(f"a {bad} b", "env.DAY")
    with pytest.raises(InvalidValue, match=r"^json\.a\[1\]: "):
        check_json({"a": ["ok", bad]}, "json")


def test_json_keeps_types() -> None:
    given_json = {"at": "{{occurrence}}", "since": "{{since}}", "n": "{{args.n}}", "text": "n={{args.n}}",
                  "list": ["{{args.list}}", 1, True, None], "{{args.n}}": "{single}",
                  "two": "{{args.n}}{{args.n}}"}  # fmt: skip
    check_json(given_json, "json")
    assert fill_json(given_json, VALUES) == {
        "at": "2026-03-29T14:00:00+02:00",
        "since": None,
        "n": 30,
        "text": "n=30",
        "list": [[1, "é"], 1, True, None],
        "{{args.n}}": "{single}",
        "two": "3030",
    }


def test_url_pieces_are_encoded_and_stay_pieces() -> None:
    url = "https://example.org/a/{{args.x}}?q={{args.list}}"
    check_url(url)
    assert fill_url(url, VALUES) == (
        "https://example.org/a/a%2Fb%20%3F%26%23%7B%7Bsince%7D%7D%20%E6%97%A5?q=%5B1%2C%20%22%C3%A9%22%5D"
    )
    with pytest.raises(InvalidValue, match="change the path"):
        fill_url("https://example.org/{{args.dots}}/x", VALUES)


@pytest.mark.parametrize(
    "bad",
    ["ftp://a/", "example.org", "https://", "https://{{args.x}}/", "https://a.{{args.x}}:1/", "https://u:p@a/", "http://a:0/",
     "http://a:99999/", "https://a b/", "https://[::1/", "https://a/{{nope}}", "file:///etc/passwd", "https://a\n/"],
)  # fmt: skip
def test_bad_urls(bad: str) -> None:
    with pytest.raises(InvalidValue):
        check_url(bad)


def test_headers_stay_one_line() -> None:
    assert fill_header("x {{args.n}}", VALUES, "headers.X") == "x 30"
    with pytest.raises(InvalidValue, match=r"^headers\.X: .*line break"):
        fill_header("{{args.line}}", VALUES, "headers.X")


def test_missing_argument() -> None:
    with pytest.raises(InvalidValue, match="has no argument nope"):
        fill_text("{{args.nope}}", VALUES)


@given(st.text())
def test_a_value_is_never_read_again(value: str) -> None:
    values = Values(NOON, None, "i", {"v": value})
    assert fill_text("<{{args.v}}>", values) == f"<{value}>"
    assert fill_json(["{{args.v}}"], values) == [value]
    assert as_text(value) == value


def test_variable_names() -> None:
    assert [variable(n) for n in ("workspace", "x-y.z", "é", "a=b")] == ["WORKSPACE", "X_Y_Z", "_", "A_B"]


@given(st.text(st.characters(codec=None)), st.integers(60, 200))
def test_clean_text(text: str, limit: int) -> None:
    cleaned = clean_text(text, limit)
    assert is_clean(cleaned)
    assert len(cleaned) <= limit
    cleaned.encode()
    assert clean_text("\ud83d\ude00") == "😀"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)) | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
)


@given(JSON)
def test_storable_takes_everything(value: object) -> None:
    stored = storable(value, 500)
    text = json.dumps(json.loads(stored.text), ensure_ascii=False, allow_nan=False)
    assert is_clean(text)
    assert "\\u0000" not in text.replace("\\\\", "")
    assert len(stored.text) < 20_000


def test_storable_leaves_json_alone_and_is_bounded() -> None:
    fine = {"a": [1, 2.5, None, True, "日", {"b": "c \\u0000"}]}
    stored = storable(fine)
    assert (json.loads(stored.text), stored.note) == (fine, None)
    cycle: list[Any] = []
    cycle.append(cycle)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    many = list(range(1_000_000))
    for value in (
        cycle,
        deep,
        many,
        {"k": "x" * 10_000_000},
        {1, 2},
        b"x" * 10_000_000,
        10**5000,
        {(1, 2): 3},
        {"a": float("inf")},
    ):
        stored = storable(value)
        assert stored.note
        assert len(stored.text) < RESULT_LIMIT
        assert set(json.loads(stored.text)) & {"$repr", "$truncated"}
    assert json.loads(storable(many).text)["size"] == 1_000_000


class Hostile(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise SystemExit


def test_storable_survives_hostile_objects() -> None:
    class Bad:
        def __repr__(self) -> str:
            raise SystemExit

    assert "raised SystemExit" in storable(Bad()).text
    assert storable(Hostile(a=1)).text
