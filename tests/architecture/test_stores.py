"""The databases that the fixtures hand out: migrated, and the test's own."""

from __future__ import annotations

import pytest

from rota.store import migrate
from rota.store.database import Database


def revision(url: str) -> str | None:
    database = Database(url)
    try:
        return migrate.status(database)[0]
    finally:
        database.close()


def test_a_store_is_migrated(store_url: str) -> None:
    assert revision(store_url) == migrate.HEAD


def test_an_empty_one_is_not(pg_empty_url: str) -> None:
    assert revision(pg_empty_url) is None


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_its_own(store_url: str, turn: int) -> None:
    database = Database(store_url)
    try:
        database.call(lambda conn: conn.exec_driver_sql("CREATE TABLE mine (x integer)"))
    finally:
        database.close()
    assert turn
