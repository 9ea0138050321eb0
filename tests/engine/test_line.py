"""The line on which a process hears and asks: one question at a time, each answered exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import psycopg
import pytest
from sqlalchemy.engine import make_url

from rota.store import hints, line, lone
from rota.store.line import Line, Lost
from rota.store.lone import Question, Statement
from tests.support.proxy import Proxy

ECHO = Statement.of("SELECT %s::text")
BACKENDS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class Ears:
    """What a line has told."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.lost = 0
        self.answers: list[line.Answer] = []

    def gone(self) -> None:
        self.lost += 1


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[tuple[Line, Ears]]:
    ears = Ears()
    made = Line(line.opened(url), ears.heard.append, ears.gone)
    try:
        yield made, ears
    finally:
        made.close()


async def soon(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not condition():  # noqa: ASYNC110 - the server's progress has no event here
            await asyncio.sleep(0.005)  # noqa: TID251 - a test's poll of it


def end_others(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_questions_are_answered_in_their_order(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            for text in ("a", None, "ü", ""):
                made.ask(ECHO.with_([text]), ears.answers.append)
            made.ask(Question(b"SELECT 1 WHERE false"), ears.answers.append)
            await soon(lambda: len(ears.answers) == 5)
            assert ears.answers == [b"a", None, "ü".encode(), b"", None]

    asyncio.run(main())


def test_a_question_may_be_asked_from_within_an_answer(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):

            def again(answer: line.Answer) -> None:
                ears.answers.append(answer)
                made.ask(ECHO.with_(["second"]), ears.answers.append)

            made.ask(ECHO.with_(["first"]), again)
            made.ask(ECHO.with_(["between"]), ears.answers.append)
            await soon(lambda: len(ears.answers) == 3)
            assert set(ears.answers) == {b"first", b"between", b"second"}

    asyncio.run(main())


def test_what_is_refused_has_no_answer_and_the_line_goes_on(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            for sql in ("SELECT 1 / %s::int", "SELECT nothing"):
                for _ in range(2):
                    made.ask(Statement.of(sql).with_([0] if "%s" in sql else []), ears.answers.append)
            made.ask(ECHO.with_(["well"]), ears.answers.append)
            await soon(lambda: len(ears.answers) == 5)
            assert [type(answer) for answer in ears.answers] == [line.Refused] * 4 + [bytes]
            assert ears.lost == 0

    asyncio.run(main())


def test_a_long_question_goes_out_in_parts(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            made.ask(Statement.of("SELECT length(%s::text)").with_(["x" * 20_000_000]), ears.answers.append)
            await soon(lambda: bool(ears.answers))
            assert ears.answers == [b"20000000"]

    asyncio.run(main())


def test_a_statement_is_prepared_once(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            for _ in range(3):
                made.ask(ECHO.with_(["a"]), ears.answers.append)
            made.ask(Question(b"SELECT count(*)::text FROM pg_prepared_statements"), ears.answers.append)
            await soon(lambda: len(ears.answers) == 4)
            assert ears.answers[-1] == b"1"

    asyncio.run(main())


def test_it_hears_others_and_not_itself(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            with psycopg.connect(pg_url, autocommit=True) as other:
                made.ask(Question(b"SELECT pg_notify('rota_wake', 'own')"), ears.answers.append)
                await soon(lambda: bool(ears.answers))
                with other.transaction():
                    for text in ("r", "s", "r"):
                        other.execute("SELECT pg_notify('rota_wake', %s)", [text])
                await soon(lambda: len(ears.heard) >= 2)
                assert ears.heard == ["r", "s"]

    asyncio.run(main())


def test_it_hears_while_an_answer_is_on_its_way(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            with psycopg.connect(pg_url, autocommit=True) as other:
                made.ask(Question(b"SELECT pg_sleep(0.2)"), ears.answers.append)
                other.execute("SELECT pg_notify('rota_wake', 'r')")
                await soon(lambda: bool(ears.answers and ears.heard))

    asyncio.run(main())


def test_a_line_that_ends_says_so_to_all_that_wait(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            made.ask(Question(b"SELECT pg_sleep(60)"), ears.answers.append)
            made.ask(ECHO.with_(["a"]), ears.answers.append)
            end_others(pg_url)
            await soon(lambda: ears.lost > 0)
            assert [isinstance(answer, Lost) for answer in ears.answers] == [True, True]
            assert ears.lost == 1

    asyncio.run(main())


def test_an_answer_that_does_not_come_ends_the_line(pg_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "ANSWER_S", 0.1)

    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            made.ask(Question(b"SELECT pg_sleep(60)"), ears.answers.append)
            await soon(lambda: ears.lost > 0)
            assert isinstance(ears.answers[0], Lost)

    asyncio.run(main())
    end_others(pg_url)


def test_one_that_is_closed_tells_nothing(pg_url: str) -> None:
    async def main() -> None:
        async with opened(pg_url) as (made, ears):
            made.ask(ECHO.with_(["a"]), ears.answers.append)
            made.close()
            await asyncio.sleep(0.05)  # noqa: TID251 - nothing is to come
            assert (ears.answers, ears.lost, ears.heard) == ([], 0, [])

    asyncio.run(main())


def test_hints_that_are_stopped_while_they_connect_leave_nothing(pg_url: str) -> None:
    async def main() -> None:
        with Proxy(pg_url) as proxy:
            for naps in range(5):
                made = hints.PostgresHints(make_url(proxy.url), lambda _: None)
                made.start()
                for _ in range(naps):
                    await asyncio.sleep(0)  # noqa: TID251 - lets it get on a bit
                await made.stop()

    asyncio.run(main())
    with psycopg.connect(pg_url) as conn:
        assert conn.execute(BACKENDS).fetchone() == (0,)


def test_what_is_hinted_at_meanwhile_goes_out_together(pg_url: str) -> None:
    heard: list[str] = []

    async def main() -> None:
        ears, mouth = (hints.PostgresHints(make_url(pg_url), told) for told in (heard.append, lambda _: None))
        ears.start()
        mouth.start()
        await soon(lambda: ears.listening and mouth.listening)
        heard.clear()
        for _ in range(100):
            mouth.send(["r"])
            mouth.send(["e"])
        await soon(lambda: {"r", "e"} <= set(heard))
        assert len(heard) < 10
        await ears.stop()
        await mouth.stop()

    asyncio.run(main())


def test_statements_are_told_apart_by_their_names() -> None:
    one, two = Statement.of("SELECT %s, %s"), Statement.of("SELECT %s, %s::int")
    assert (one.sql, two.sql) == (b"SELECT $1, $2", b"SELECT $1, $2::int")
    assert one.name != two.name
    assert len(one.name) < 64
    assert one.with_([1, ["a", 'b"']]).params == (b"1", b'{"a","b\\""}')
    assert lone.Question(b"SELECT 1").name == b""
