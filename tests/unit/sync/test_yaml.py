"""YAML 1.2 core typing, bounds, and no exception for any text."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import example, given
from hypothesis import strategies as st

from rota.sync import yaml
from tests.support.effort import lines

CORE: list[tuple[str, Any]] = [
    ("12:30", "12:30"),
    ("on", "on"),
    ("NO", "NO"),
    ("yes", "yes"),
    ("2026-12-24", "2026-12-24"),
    ("1_000", "1_000"),
    ("0o17", 15),
    ("017", 17),
    ("0x1F", 31),
    ("-5", -5),
    ("+5", 5),
    ("1e3", 1000.0),
    (".5", 0.5),
    ("1.", 1.0),
    ("true", True),
    ("TRUE", True),
    ("tRue", "tRue"),
    ("null", None),
    ("~", None),
    ("", None),
    ('"true"', "true"),
    ("'5'", "5"),
    ("!!str 5", "5"),
    ("! 5", "5"),
    ("!!int '5'", 5),
    ("٣", "٣"),
    ("=", "="),
]


@pytest.mark.parametrize(("text", "value"), CORE)
@pytest.mark.parametrize("loader", ["C", "Python"])
def test_core_typing(text: str, value: Any, loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if loader == "Python":
        monkeypatch.setattr(yaml, "_LOADER", pyyaml.Loader)
    found = yaml.read(f"a: {text}\n".encode())
    assert not found.faults
    assert found.value == {"a": value}
    assert type(found.value["a"]) is type(value)


BAD: list[tuple[str, str, tuple[int, int]]] = [
    ("a: 1\nb: 2\na: 3\n", "the key 'a' stands here twice; the first is in line 1", (3, 1)),
    ("a: {b: 1, b: 2}", "twice", (1, 11)),
    ("a: .inf", "not a number that JSON can hold", (1, 4)),
    ("a: 1e999", "too large", (1, 4)),
    ("a: " + "1" * 400, "a number of 400 digits", (1, 4)),
    ("a: *b", "*b stands for nothing", (1, 4)),
    ("a: &a [*a]", "stands inside of what it stands for", (1, 8)),
    ("when: */5 * * * *", "belongs in quotes", (1, 7)),
    ("a:\n  - *", "belongs in quotes", (2, 5)),
    ("a: b: c", "belongs in quotes", (1, 5)),
    ("a: !python/object:os.system x", "the tag !python/object:os.system is not known", (1, 4)),
    ("a: !!python/name:os.system", "the tag !!python/name:os.system is not known", (1, 4)),
    ("a: !!set {x}", "!!set", (1, 4)),
    ("a: !!int x", "not of the type !!int", (1, 4)),
    ("? [a]\n: 1", "a key is a text", (1, 3)),
    ('a: "\\0"', "NUL", (1, 4)),
    ("a: \x07", "U+0007", (1, 4)),
    ("---\na: 1\n---\nb: 1\n", "a second document", (3, 1)),
    ("a: [1", "it begins in line 1", (2, 1)),
    ("- " * 60, "nested deeper than 50 levels", (1, 101)),
    ("[" * 1000, "nested deeper than 50 levels", (1, 51)),
]


@pytest.mark.parametrize(("text", "detail", "place"), BAD)
def test_what_is_wrong_and_where(text: str, detail: str, place: tuple[int, int]) -> None:
    found = yaml.read(text.encode())
    assert [f for f in found.faults if detail in f.detail], found.faults
    assert found.faults[0].place == place


def test_every_fault_at_once() -> None:
    found = yaml.read(b"a: .nan\nb: !x 1\nc: 1\nc: 2\n")
    assert [f.place.line for f in found.faults] == [1, 2, 4]


def test_not_utf8() -> None:
    (fault,) = yaml.read(b"a: 1\nb: \xc3\xa5\xff\n").faults
    assert "0xff" in fault.detail
    assert fault.place == (2, 5)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert yaml.read(b"\xef\xbb\xbfa: 1").value == {"a": 1}


def test_places() -> None:
    found = yaml.read(b"a:\n  - x\n  - {b: y}\n")
    assert found.place(("a",), key=True) == (1, 1)
    assert found.place(("a", 1, "b")) == (3, 9)
    assert found.place(("a", 1, "b"), key=True) == (3, 6)
    assert found.place(("a", 1, "c", "d")) == (3, 5)


def test_an_alias_is_what_it_stands_for() -> None:
    found = yaml.read(b"a: &x {k: [1, 2]}\nb: *x\n")
    assert found.value == {"a": {"k": [1, 2]}, "b": {"k": [1, 2]}}
    assert found.place(("b", "k", 1)) == (1, 15)
    assert found.value["a"] is not found.value["b"]


def test_alias_bombs_are_refused_at_once() -> None:
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 20)]
    text = "\n".join(bomb).encode()
    (fault,) = yaml.read(text).faults
    assert lines(lambda: yaml.read(text)) < 1_000_000
    assert "aliases followed" in fault.detail


def test_deep_aliases_are_refused() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 60)]
    (fault,) = yaml.read("\n".join(lines).encode()).faults
    assert "50 levels" in fault.detail


def test_a_file_that_is_too_large() -> None:
    (fault,) = yaml.read(b"#" * (yaml.MAX_BYTES + 1)).faults
    assert "at most 1,048,576" in fault.detail


YAMLISH = st.text(
    alphabet=st.sampled_from([*"ab01:-[]{},&*!|>'\"%@`#?~.eE+ \n\t\\ux", "\u0085", "\ufeff", "é"]), max_size=60
)


@given(st.one_of(st.text(), YAMLISH, st.binary().map(lambda b: b.decode("latin-1"))))
@example('a: "\\UFFFFFFFF"')
@example('a: "\\ud800"')
@example("%YAML 9.9\n---\na")
@example("%TAG ! x\n---\n!y z")
def test_any_text_is_read_by_both_parsers(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    for loader in (pyyaml.CLoader, pyyaml.Loader):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml, "_LOADER", loader)
            found = yaml.read(data)
        json.dumps(found.value, allow_nan=False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_json_reads_as_itself(value: Any) -> None:
    """YAML 1.2 contains JSON."""
    found = yaml.read(json.dumps(value, ensure_ascii=False).encode())
    assert not found.faults
    assert found.value == value
