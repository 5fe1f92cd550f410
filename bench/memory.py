"""Long run: a million swaps, with memory, rate and query plans over time."""

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import databases, load, machine, report, server
from bench.speed import CONNECTIONS, ORGS, USERS, memory, meter, sample

_SLICE_S = 30.0
# A statement that scans a large table has a bad plan.
_WALKED = """
select relname, seq_scan, seq_tup_read, n_live_tup
from pg_stat_user_tables
where relname in ('transfers', 'entries', 'changes', 'accounts')
order by relname
"""


@dataclass(frozen=True, slots=True)
class Slice:
    """Half a minute of full load."""

    swaps: int
    per_s: float
    p99_ms: float | None
    cpu_us: dict[str, float]
    memory: machine.Memory
    # With the supervisor and the fork server.
    whole: machine.Memory


def measure(swaps: int, print_line: Callable[[str], None]) -> None:
    """Run this many swaps in 32 organisations; print and store the measurements."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        with server.serving(data_dir) as ours:
            accounts = server.open_accounts(ours, orgs=ORGS, users=USERS)
            slices: list[Slice] = []
            done = 0
            while done < swaps:
                metered = meter(ours)
                tally = load.closed(
                    accounts,
                    port=ours.port,
                    connections=CONNECTIONS,
                    seconds=_SLICE_S,
                    meter=metered,
                )
                done += tally.swaps
                seen = sample(tally, metered)
                slices.append(
                    Slice(
                        done,
                        seen.per_s,
                        seen.p99_ms,
                        dict(seen.cpu_us),
                        memory(ours),
                        memory(ours, "serve", "fork-server"),
                    )
                )
                print_line(_row(slices[-1]))
            walked = databases.read(ours.dsn, _WALKED)
            size_mb = databases.count(
                ours.dsn, "select pg_database_size(current_database()) / 1048576"
            )
    table = _table(slices, walked, size_mb)
    print(table)
    found = {"slices": [asdict(each) for each in slices], "database_mb": size_mb}
    report.write("memory", f"Memory and rate over {done:,} swaps", table, found)


def _table(slices: list[Slice], walked: list[tuple[object, ...]], size_mb: int) -> str:
    """Return the rows of the first slice, each tenth of the run, and the last slice."""
    step = max(len(slices) // 10, 1)
    shown = [*slices[:-1:step], slices[-1]]
    heads = (
        "swaps so far | operations/s | p99 | API CPU | PostgreSQL CPU "
        "| PSS | USS | RSS | PSS with supervisor"
    )
    return "\n".join(
        [
            "API processes and worker together; CPU in microseconds per operation.",
            *("", f"| {heads} |", "|---|---|---|---|---|---|---|---|---|"),
            *(_row(each) for each in shown),
            *("", f"The database has {size_mb:,} MB.", ""),
            *("| table | full scans | rows read by them | rows |", "|---|---|---|---|"),
            *(f"| {name} | {scans} | {read:,} | {rows:,} |" for name, scans, read, rows in walked),
        ]
    )


def _row(each: Slice) -> str:
    took = each.memory
    return (
        f"| {each.swaps:,} | {each.per_s:,.0f} | {each.p99_ms:.0f} ms "
        f"| {each.cpu_us['api']:.0f} | {each.cpu_us['postgres']:.0f} "
        f"| {took.pss:.0f} MB | {took.uss:.0f} MB | {took.rss:.0f} MB "
        f"| {each.whole.pss:.0f} MB |"
    )
