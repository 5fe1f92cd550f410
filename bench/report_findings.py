"""What the report run has found, as tables."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median

from bench import report

SMALL = 100_000
P99_MS_WANTED, GROWTH_WANTED = 50.0, 2.0
FOLDED_WANTED, PAGE_WANTED, MEMORY_MB_WANTED = 5_000, 1.5, 60.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is seeded, and how often each report is asked for."""

    transactions: int
    days: int
    asked: int


@dataclass(slots=True)
class Times:
    """How long each answer took, in ms."""

    ms: list[float] = field(default_factory=list[float])

    @property
    def p50(self) -> float:
        """The middle."""
        return median(self.ms)

    @property
    def p95(self) -> float:
        """The nearest rank; of fewer than twenty the last."""
        return sorted(self.ms)[-(-len(self.ms) * 95 // 100) - 1]

    @property
    def p99(self) -> float:
        """The nearest rank; of fewer than a hundred the last."""
        return sorted(self.ms)[-(-len(self.ms) * 99 // 100) - 1]


@dataclass(kw_only=True)
class Findings:
    """What was measured."""

    effort: Effort
    seeded_per_s: Mapping[str, float]
    # By case: the small organisation's and the large one's.
    cases: dict[str, tuple[Times, Times]] = field(default_factory=dict[str, tuple[Times, Times]])
    plain_ms: float = 0
    duckdb_ms: float = 0
    same_ms: float = 0
    folded_per_s: float = 0
    first_page: Times = field(default_factory=Times)
    deep_page: Times = field(default_factory=Times)
    csv_rows: int = 0
    csv_per_s: float = 0
    csv_mb: float = 0


def keep(found: Findings, *, is_kept: bool, say: Callable[[str], None]) -> None:
    """Print the tables; keep them if they are worth it."""
    table = markdown(found)
    print(f"\n{table}\n")
    if is_kept:
        say(f"Kept in {report.write('reports', 'Reports', table, asdict(found))}.")


def markdown(found: Findings) -> str:
    """The tables."""
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
            *("| | wanted | measured | |", "|---|---|---|---|"),
            _target("slowest p99, ms", f"below {P99_MS_WANTED:.0f}", worst, worst < P99_MS_WANTED),
            _target("growth", f"at most {GROWTH_WANTED:.0f}", growth, growth <= GROWTH_WANTED),
            _target(
                "changes folded per second",
                f"at least {FOLDED_WANTED:,}",
                found.folded_per_s,
                found.folded_per_s >= FOLDED_WANTED,
            ),
            _target("deep page over first", f"at most {PAGE_WANTED}", pages, pages <= PAGE_WANTED),
            _target(
                f"MB more for a CSV of {found.csv_rows:,} rows",
                f"below {MEMORY_MB_WANTED:.0f}",
                found.csv_mb,
                found.csv_mb < MEMORY_MB_WANTED,
            ),
            _target("rows of it per second", "", found.csv_per_s, is_met=True),
            *(
                _target(f"seeded per second ({name})", "", per_s, is_met=True)
                for name, per_s in found.seeded_per_s.items()
            ),
        ]
    )


def _target(name: str, wanted: str, measured: float, is_met: bool) -> str:  # noqa: FBT001  a row
    shown = f"{measured:,.0f}" if measured >= 10 else f"{measured:.2f}"
    return f"| {name} | {wanted} | {shown} | {'met' if is_met else 'no'} |"
