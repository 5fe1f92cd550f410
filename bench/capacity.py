"""Capacity: whether the CPU of an operation predicts the rate of one, two and three API processes.

The CPU of an operation is read from a run of one API process. The model says: a rate ends where the
API processes have no CPU left, each of which has one core at most, or where the machine has none.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import server, speed

_USERS = 128
_PARTS = ("api", "worker", "postgres", "client")


@dataclass(frozen=True, slots=True)
class Found:
    """Operations per second with a number of API processes: predicted, and measured (median)."""

    api_processes: int
    predicted: float
    measured: float


def predict(cpu_us: Mapping[str, float], api_processes: int) -> float:
    """Return operations per second on this machine, from the CPU of one operation by part."""
    cores = os.cpu_count() or 1
    return min(api_processes / cpu_us["api"], cores / sum(cpu_us.values())) * 1e6


def measure(effort: speed.Effort, print_line: Callable[[str], None]) -> list[Found]:
    """Measure one API process, two and three, and predict all of them from the first."""
    cpu_us: dict[str, float] = {}
    found: list[Found] = []
    for number in (1, 2, 3):
        with (
            tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder,
            server.serving(Path(folder) / "data", api_processes=number) as ours,
        ):
            accounts = server.open_accounts(ours, orgs=1, users=_USERS)
            samples = [speed.closed_loop(ours, accounts, effort) for _ in range(effort.rounds)]
        cpu_us = cpu_us or {part: median(each.cpu_us[part] for each in samples) for part in _PARTS}
        found.append(Found(number, predict(cpu_us, number), median(each.per_s for each in samples)))
        print_line(f"{number} API process(es): {found[-1].measured:,.0f} operations/s")
    spent = ", ".join(f"{part} {cpu_us[part]:,.0f}" for part in _PARTS)
    print_line(f"CPU microseconds of an operation with one API process: {spent}")
    return found


def markdown(found: list[Found]) -> str:
    """Return the cases as a table."""
    rows = ["| API processes | Predicted, operations/s | Measured | Ratio |", "|---|---|---|---|"]
    rows += [
        f"| {each.api_processes} | {each.predicted:,.0f} | {each.measured:,.0f} | "
        f"{each.measured / each.predicted:.2f} |"
        for each in found
    ]
    return "\n".join(rows)
