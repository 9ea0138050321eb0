"""How much each form of the bench does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """One form: counts of schedules, runs and samples, lengths in seconds, how many interleaved rounds.

    `slow_runs` are for peers that commit each job by itself: their rate does not depend on the number. `peers` False:
    only what yields a ratio that the baseline can hold.
    """

    rounds: int
    fire: tuple[int, ...]
    start: int
    runs: int
    slow_runs: int
    samples: int
    spread: int
    spread_s: int
    idle: int
    idle_s: int
    probes: int
    commands: int
    peers: bool


FULL = Sizes(
    rounds=5, fire=(10_000,), start=10_000, runs=20_000, slow_runs=1000, samples=300, spread=1000, spread_s=20,
    idle=100_000, idle_s=60, probes=1000, commands=21, peers=True,
)  # fmt: skip
LONG = Sizes(
    rounds=5, fire=(10_000, 100_000), start=100_000, runs=50_000, slow_runs=1000, samples=500, spread=1000, spread_s=60,
    idle=1_000_000, idle_s=120, probes=2000, commands=21, peers=True,
)  # fmt: skip
SMOKE = Sizes(
    rounds=3, fire=(2000,), start=2000, runs=3000, slow_runs=200, samples=60, spread=300, spread_s=4,
    idle=20_000, idle_s=3, probes=300, commands=7, peers=False,
)  # fmt: skip
