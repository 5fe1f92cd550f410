"""Capacity: what one core carries, and whether that predicts one, two and three API nodes.

Calibration runs one API process without any bound and reads the CPU of an operation by part. Each
case then bounds the parts: an API node is a process with a part of a core, PostgreSQL is another.
The model says: the part that is used up first sets the rate, and the others wait. Its error is
printed for each case; the target is a quarter.
"""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import load, quotas, server, speed
from bench.rounds import Sample

_USERS = 128


@dataclass(frozen=True, slots=True)
class Effort:
    """Samples of each case, and seconds of each."""

    rounds: int
    seconds: float


DEFAULT, QUICK = Effort(rounds=5, seconds=8), Effort(rounds=2, seconds=3)


@dataclass(frozen=True, slots=True)
class Case:
    """API nodes, and the part of a core of each, of PostgreSQL and of the worker."""

    name: str
    nodes: int
    node_cores: float
    postgres_cores: float
    worker_cores: float = 0.3

    def predict(self, cpu_us: Mapping[str, float]) -> float:
        """Return operations per second, from the CPU of one operation by part."""
        return min(
            self.nodes * self.node_cores / cpu_us["api"] * 1e6,
            self.postgres_cores / cpu_us["postgres"] * 1e6,
        )


CASES = (
    Case("one API node", 1, 0.2, 0.6),
    Case("two API nodes", 2, 0.2, 0.6),
    Case("three API nodes", 3, 0.2, 0.6),
    Case("three API nodes, PostgreSQL is the limit", 3, 0.3, 0.15),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Rates of a case: predicted, and the median of those measured."""

    case: Case
    predicted: float
    measured: float


def measure(effort: Effort, print_line: Callable[[str], None]) -> list[Found]:
    """Calibrate, then measure each case."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        with server.serving(data_dir, api_processes=1) as ours:
            accounts = server.open_accounts(ours, orgs=1, users=_USERS)
            samples = [_sample(ours, accounts, effort) for _ in range(effort.rounds)]
        parts = ("api", "worker", "postgres", "client")
        cpu_us = {part: median(each.cpu_us[part] for each in samples) for part in parts}
        spent = ", ".join(f"{part} {cpu_us[part]:,.0f} us" for part in parts)
        print_line(f"calibration: {median(e.per_s for e in samples):,.0f} operations/s; {spent}")
        found: list[Found] = []
        for case in CASES:
            with server.serving(data_dir, api_processes=case.nodes) as ours, ExitStack() as stack:
                nodes = [[pid] for pid in ours.pids("api")]
                stack.enter_context(quotas.quotas(case.node_cores, nodes))
                for cores, part in (
                    (case.postgres_cores, "postgres"),
                    (case.worker_cores, "worker"),
                ):
                    stack.enter_context(quotas.quotas(cores, [ours.pids(part)]))
                rates = [_sample(ours, accounts, effort).per_s for _ in range(effort.rounds)]
            found.append(Found(case, case.predict(cpu_us), median(rates)))
            print_line(f"{case.name}: {found[-1].measured:,.0f} operations/s")
        return found


def _sample(ours: server.Server, accounts: list[load.Account], effort: Effort) -> Sample:
    metered = speed.meter(ours)
    tally = load.closed(
        accounts,
        port=ours.port,
        connections=speed.CONNECTIONS,
        seconds=effort.seconds,
        meter=metered,
    )
    return speed.sample(tally, metered)


def markdown(found: list[Found]) -> str:
    """Return the cases as a table."""
    rows = [
        "| Case | Predicted, operations/s | Measured | Measured / predicted |",
        "|---|---|---|---|",
    ]
    rows += [
        f"| {each.case.name} | {each.predicted:,.0f} | {each.measured:,.0f} | "
        f"{each.measured / each.predicted:.2f} |"
        for each in found
    ]
    return "\n".join(rows)
