"""Results of the report run, as tables."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median

from bench import report

SMALL = 100_000
P99_MS_TARGET, GROWTH_TARGET = 50.0, 2.0
FOLDED_TARGET, PAGE_TARGET, MEMORY_MB_TARGET = 5_000, 1.5, 60.0


@dataclass(frozen=True, slots=True)
class Effort:
    """Size of the seeded data, and the number of requests per report."""

    transactions: int
    days: int
    request_count: int


@dataclass(slots=True)
class Times:
    """Response times in milliseconds."""

    ms: list[float] = field(default_factory=list[float])

    @property
    def p50(self) -> float:
        """Median."""
        return median(self.ms)

    @property
    def p95(self) -> float:
        """95th percentile by nearest rank; the maximum of fewer than twenty samples."""
        return sorted(self.ms)[-(-len(self.ms) * 95 // 100) - 1]

    @property
    def p99(self) -> float:
        """99th percentile by nearest rank; the maximum of fewer than a hundred samples."""
        return sorted(self.ms)[-(-len(self.ms) * 99 // 100) - 1]


@dataclass(kw_only=True)
class Findings:
    """Measurements of a run."""

    effort: Effort
    seeded_per_s: Mapping[str, float]
    # By case: times of the small and of the large organisation.
    cases: dict[str, tuple[Times, Times]] = field(default_factory=dict[str, tuple[Times, Times]])
    plain_ms: float = 0
    duckdb_ms: float = 0
    same_ms: float = 0
    folded_per_s: float = 0
    first_page: Times = field(default_factory=Times)
    deep_page: Times = field(default_factory=Times)
    # A report of the small organisation: alone, and while the large one runs a heavy template.
    alone: Times = field(default_factory=Times)
    beside: Times = field(default_factory=Times)
    # The heavy template itself, over so many days.
    heavy: Times = field(default_factory=Times)
    heavy_refused: int = 0
    heavy_days: int = 0
    csv_rows: int = 0
    csv_per_s: float = 0
    csv_mb: float = 0


def store_report(found: Findings, *, is_stored: bool, print_line: Callable[[str], None]) -> None:
    """Print the tables; store them if the run was complete."""
    table = markdown(found)
    print(f"\n{table}\n")
    if is_stored:
        print_line(f"Stored in {report.write('reports', 'Reports', table, asdict(found))}.")


def markdown(found: Findings) -> str:
    """Return the tables as Markdown."""
    count = found.effort.transactions
    worst = max(large.p99 for _, large in found.cases.values())
    growth = max(large.p50 / small.p50 for small, large in found.cases.values())
    pages = found.deep_page.p50 / found.first_page.p50
    return "\n".join(
        [
            f"{SMALL:,} transactions against {count:,}, over {found.effort.days} days each; ms.",
            "",
            *(
                "| report | small p50 | p99 | large p50 | p99 | growth |",
                "|---|---|---|---|---|---|",
            ),
            *(
                f"| {name} | {small.p50:.1f} | {small.p99:.1f} | {large.p50:.1f} | {large.p99:.1f}"
                f" | {large.p50 / small.p50:.2f} |"
                for name, (small, large) in found.cases.items()
            ),
            "",
            f"Records of each month by kind and status, {count:,} of them:",
            "",
            *("| | ms |", "|---|---|"),
            f"| this, over HTTP | {found.same_ms:,.1f} |",
            f"| plain SQL on the same tables | {found.plain_ms:,.0f} |",
            f"| DuckDB on a Parquet file of them | {found.duckdb_ms:,.0f} |",
            "",
            *_neighbour(found),
            *("| | target | measured | |", "|---|---|---|---|"),
            _target("slowest p99, ms", f"below {P99_MS_TARGET:.0f}", worst, worst < P99_MS_TARGET),
            _target("growth", f"at most {GROWTH_TARGET:.0f}", growth, growth <= GROWTH_TARGET),
            _target(
                "changes folded per second",
                f"at least {FOLDED_TARGET:,}",
                found.folded_per_s,
                found.folded_per_s >= FOLDED_TARGET,
            ),
            _target("deep page over first", f"at most {PAGE_TARGET}", pages, pages <= PAGE_TARGET),
            _target(
                f"MB more for a CSV of {found.csv_rows:,} rows",
                f"below {MEMORY_MB_TARGET:.0f}",
                found.csv_mb,
                found.csv_mb < MEMORY_MB_TARGET,
            ),
            _target("rows of it per second", "", found.csv_per_s, is_met=True),
            *(
                _target(f"seeded per second ({name})", "", per_s, is_met=True)
                for name, per_s in found.seeded_per_s.items()
            ),
        ]
    )


def _neighbour(found: Findings) -> list[str]:
    heavy = f"{found.heavy.p50:,.0f} ms" if found.heavy.ms else "none answered"
    sentence = (
        "A report of the small organisation, while six clients of the large one repeat a template"
        f" that reads its records of {found.heavy_days} days ({len(found.heavy.ms)} answered,"
        f" median {heavy}; {found.heavy_refused} refused):"
    )
    return [
        sentence,
        "",
        *("| | p50 | p99 |", "|---|---|---|"),
        f"| alone | {found.alone.p50:.1f} | {found.alone.p99:.1f} |",
        f"| beside | {found.beside.p50:.1f} | {found.beside.p99:.1f} |",
        "",
    ]


def _target(name: str, expected: str, measured: float, is_met: bool) -> str:  # noqa: FBT001  a row
    shown = f"{measured:,.0f}" if measured >= 10 else f"{measured:.2f}"
    return f"| {name} | {expected} | {shown} | {'met' if is_met else 'no'} |"
