"""Every line of bugs.jsonl about a running rota is a test with its number in the name."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ("runtime", "ops", "api", "ui")
# 157 (counts for dashboards) comes with the pages and /metrics; so does the alert of 93, whose rows, events and counts
# are tested.
LATER = {157}


def wanted() -> set[int]:
    lines = map(json.loads, (HERE / "data" / "bugs.jsonl").read_text("utf-8").splitlines())
    return {line["id"] for line in lines if line["kind"] in KINDS} - LATER


def covered() -> Counter[int]:
    """The numbers in the names of test functions here, read without running them."""
    found: Counter[int] = Counter()
    for path in HERE.glob("test_bugs_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                match = re.match(r"test_bug_(\d{3})_", node.name)
                if match:
                    found[int(match[1])] += 1
    return found


def test_no_report_is_forgotten() -> None:
    assert len(wanted()) >= 44
    assert wanted() - covered().keys() == set()


def test_what_comes_later_is_not_here_yet() -> None:
    assert not LATER & covered().keys()
