"""Results as a table to read and as JSON to compare."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from bench import machine
from bench.rounds import Ratio, Series, ratio
from bench.speed import MANY, ONE, PGBENCH, PLAIN, RIVAL, Result

FOLDER = Path(__file__).parent / "results"
_PARTS = ("client", "api", "worker", "postgres")


@dataclass(frozen=True, slots=True)
class Target:
    """Target, and the measured value."""

    name: str
    expected: str
    measured: str
    is_met: bool


def targets(result: Result) -> list[Target]:
    """Return the targets of docs/internals/speed.md with the values of this run."""
    ours = result.series[ONE]
    p99 = result.paced.median("p99_ms")
    assert p99 is not None
    ratios = [
        ("pgbench, our statements one by one", 0.65, ratio(ours, result.series[PGBENCH])),
        ("pgbench, plain statements", 1.3, ratio(ours, result.series[PLAIN])),
        ("FastAPI, pydantic and SQLAlchemy", 6.0, ratio(ours, result.series[RIVAL])),
        ("one busy house account against 32", 0.9, ratio(ours, result.series[MANY])),
    ]
    return [
        *(
            Target(name, f"at least {expected}", _spread(found), found.median >= expected)
            for name, expected, found in ratios
        ),
        Target("p99 at half the rate", "below 60 ms", f"{p99:.0f} ms", p99 < 60),
        Target(
            f"memory after {result.swaps:,} swaps",
            "below 250 MB",
            f"{result.memory.pss:.0f} MB PSS ({result.memory.rss:.0f} MB RSS)",
            # RSS counts what processes share once for each of them.
            result.memory.pss < 250,
        ),
    ]


def markdown(result: Result) -> str:
    """Return the tables as Markdown."""
    lines = [
        *("| | operations/s | least to most | p50 | p99 |", "|---|---|---|---|---|"),
        *(_rate_row(name, each) for name, each in result.series.items()),
        _rate_row(f"ours, paced at {result.paced_per_s:,.0f}", result.paced),
        "",
        "CPU microseconds per operation:",
        "",
        "| | client | API | worker | PostgreSQL | together | other work on the machine |",
        "|---|---|---|---|---|---|---|",
        *(_cpu_row(name, each) for name, each in result.series.items()),
        "",
        *("| ours against | target | median, least to most | |", "|---|---|---|---|"),
        *(
            f"| {each.name} | {each.expected} | {each.measured} |"
            f" {'met' if each.is_met else 'no'} |"
            for each in targets(result)
        ),
    ]
    return "\n".join(lines)


def write(name: str, title: str, table: str, figures: Mapping[str, Any]) -> Path:
    """Write figures to <date>-<name>.json and the table to <name>.md; return the former's path."""
    FOLDER.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    figures_ = {
        "at": now.isoformat(timespec="seconds"),
        "machine": machine.description(),
        **figures,
    }
    date = f"{now:%Y-%m-%d}"
    path = FOLDER / (f"{date}.json" if name == "latest" else f"{date}-{name}.json")
    path.write_text(f"{json.dumps(figures_, indent=1)}\n", encoding="utf-8")
    text = f"# {title}\n\n{now:%Y-%m-%d}, {machine.description()}.\n\n{table}\n"
    (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
    return path


def figures(result: Result) -> dict[str, Any]:
    """Return all samples of all rounds."""
    return {
        "rounds": result.effort.rounds,
        "seconds": result.effort.seconds,
        "series": {name: _samples(each) for name, each in result.series.items()},
        "paced": {"per_s": result.paced_per_s, "samples": _samples(result.paced)},
        "swaps": result.swaps,
        "memory_mb": asdict(result.memory),
        "targets": [asdict(each) for each in targets(result)],
    }


def _samples(series: Series) -> Sequence[Any]:
    return [asdict(each) for each in series.samples]


def _spread(found: Ratio) -> str:
    return f"{found.median:.2f} ({min(found.values):.2f} to {max(found.values):.2f})"


def _rate_row(name: str, series: Series) -> str:
    rates = series.rates
    p50, p99 = (
        "" if found is None else f"{found:.0f} ms"
        for found in (series.median("p50_ms"), series.median("p99_ms"))
    )
    spread = f"{min(rates):,.0f} to {max(rates):,.0f}"
    return f"| {name} | {median(rates):,.0f} | {spread} | {p50} | {p99} |"


def _cpu_row(name: str, series: Series) -> str:
    parts = [series.cpu_us(part) for part in _PARTS]
    cells = " | ".join(f"{part:,.0f}" for part in (*parts, sum(parts), series.cpu_us("others")))
    return f"| {name} | {cells} |"
