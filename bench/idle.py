"""CPU time of a server that nobody uses."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import databases, machine, server

_PARTS = ("api", "worker", "postgres", "serve", "fork-server")
# What a start leaves behind: compiled statements, the first run of each schedule.
_SETTLE_S = 10.0
# Every change of a new organisation is in its tree: nothing new is left to work on.
_SEQUENCED = "select count(*) from proof_trees"
# Each was compared with its chains for the first time, and at another minute, as over months.
_COMPARED = """
select count(*) from (
    select from recon_sources group by org_id having every(last_good_at is not null)
) s
"""
_SPREAD = "update recon_sources set last_run_at = last_run_at - random() * interval '15 minutes'"
_COMMITS = "select xact_commit from pg_stat_database where datname = current_database()"


def measure(seconds: float, organisations: int, print_line: Callable[[str], None]) -> None:
    """Print the share of a core of each part, and the transactions per second.

    `organisations` are added first. Whatever a new one causes is over when measuring begins.
    """
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        with server.serving(data_dir) as ours:
            server.add_organisations(ours, organisations)
            for done in (_SEQUENCED, _COMPARED):
                while databases.count(ours.dsn, done) < organisations:
                    time.sleep(1)
            databases.read(ours.dsn, _SPREAD)
            time.sleep(_SETTLE_S)
            commits = databases.count(ours.dsn, _COMMITS)
            before = {part: machine.precise_cpu_s(ours.pids(part)) for part in _PARTS}
            time.sleep(seconds)
            after = {part: machine.precise_cpu_s(ours.pids(part)) for part in _PARTS}
            commits = databases.count(ours.dsn, _COMMITS) - commits
    spent = {part: (after[part] - before[part]) / seconds for part in _PARTS}
    for part in _PARTS:
        print_line(f"{part}: {spent[part]:.2%} of a core")
    print_line(f"all: {sum(spent.values()):.2%} of a core, {commits / seconds:.0f} transactions/s")
