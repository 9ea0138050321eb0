"""A sweep that a child process carries out and may be killed in: for tests.support.crashing."""

from __future__ import annotations

import asyncio

from rota.engine.keeper import Keeper
from rota.model.settings import Settings
from rota.store import nodes
from rota.store.database import Database
from tests.support.hands import HandClock


def sweep(database: Database, clock: HandClock) -> None:
    """Join under a fresh id, watch for a lease, fence whoever stood still, sweep; leave no word of the end."""
    settings = Settings()
    node = nodes.fresh_id()
    database.call(nodes.join, nodes.Node(node, ("scheduler",), None, 0, "0", "0"), clock.now())
    keeper = Keeper(database, settings, node=node)

    async def main() -> None:
        for _ in range(5):
            await keeper.turn(sweep=False)
            clock.on(seconds=settings.renewal.total_seconds())
        await keeper.turn(sweep=True)

    asyncio.run(main())
