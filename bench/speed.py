"""Speed run: our API against pgbench and the conventional stack, and its latency."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import databases, load, machine, rival, scripts, server
from bench.rounds import Contender, Sample, Series, run_rounds

CONNECTIONS = 32
# Users to choose from: enough that two concurrent requests rarely use the same wallet.
USERS = 512
ORGS = 32

ONE = "ours, one organisation"
MANY = f"ours, {ORGS} organisations"
PGBENCH = "pgbench, our statements"
PLAIN = "pgbench, plain statements"
RIVAL = "FastAPI and SQLAlchemy"


@dataclass(frozen=True, slots=True)
class Effort:
    """Duration of the measurement."""

    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that was measured."""

    effort: Effort
    series: dict[str, Series]
    # Half the rate of `ONE`.
    paced: Series
    paced_per_s: float
    swaps: int
    memory: machine.Memory


def measure(effort: Effort, print_line: Callable[[str], None]) -> Result:
    """Measure everything on a temporary database."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        with server.serving(data_dir) as ours:
            print_line("Creating users and databases ...")
            one = server.open_accounts(ours, orgs=1, users=USERS)
            many = server.open_accounts(ours, orgs=ORGS, users=USERS)
            alone, plain = (
                databases.make_pgbench(ours.dsn, name, script, users=USERS)
                for name, script in (
                    ("bench_ours", scripts.ours()),
                    ("bench_plain", scripts.plain()),
                )
            )
            log = data_dir.with_suffix(".yardstick.log")
            with rival.serving(ours.dsn, users=USERS, log=log) as theirs:
                contenders = [
                    Contender(ONE, lambda: closed_loop(ours, one, effort)),
                    Contender(PGBENCH, lambda: _pgbench(ours, alone, effort)),
                    Contender(PLAIN, lambda: _pgbench(ours, plain, effort)),
                    Contender(MANY, lambda: closed_loop(ours, many, effort)),
                    Contender(RIVAL, lambda: _rival(ours, theirs, effort)),
                ]
                series = run_rounds(contenders, rounds=effort.rounds, print_line=print_line)
            rate = sorted(series[ONE].rates)[effort.rounds // 2] / 2
            pacing = Contender("half of that", lambda: _paced(ours, one, effort, rate))
            paced = run_rounds([pacing], rounds=effort.rounds, print_line=print_line)[pacing.name]
            return Result(effort, series, paced, rate, _swap_count(ours), memory(ours))


def memory(ours: server.Server, *others: str) -> machine.Memory:
    """Return the total memory of the API processes, the worker and other parts."""
    return machine.memory(pid for part in ("api", "worker", *others) for pid in ours.pids(part))


def sample(tally: load.Tally, meter: machine.Meter) -> Sample:
    """Return a run over HTTP as a sample; raise if a request was refused."""
    assert not tally.refusals, f"{len(tally.refusals)} refused, the first: {tally.refusals[0]}"
    return Sample(
        tally.per_s,
        {name: spent / tally.operations * 1e6 for name, spent in meter.cpu_s.items()},
        tally.percentile_ms(0.5),
        tally.percentile_ms(0.99),
    )


def meter(ours: server.Server) -> machine.Meter:
    """Return the CPU meter of our own processes."""
    return machine.Meter(lambda: {part: ours.pids(part) for part in ("api", "worker", "postgres")})


def closed_loop(ours: server.Server, accounts: list[load.Account], effort: Effort) -> Sample:
    """Run swaps over HTTP on all connections."""
    metered = meter(ours)
    tally = load.closed(
        accounts, port=ours.port, connections=CONNECTIONS, seconds=effort.seconds, meter=metered
    )
    return sample(tally, metered)


def _paced(
    ours: server.Server, accounts: list[load.Account], effort: Effort, per_s: float
) -> Sample:
    metered = meter(ours)
    tally = load.paced(
        accounts, port=ours.port, swaps_per_s=per_s / 2, seconds=effort.seconds, meter=metered
    )
    return sample(tally, metered)


def _rival(ours: server.Server, theirs: rival.Rival, effort: Effort) -> Sample:
    metered = machine.Meter(lambda: {"api": theirs.pids(), "postgres": ours.pids("postgres")})
    tally = load.closed(
        theirs.accounts,
        port=theirs.port,
        connections=CONNECTIONS,
        seconds=effort.seconds,
        meter=metered,
    )
    return sample(tally, metered)


def _pgbench(ours: server.Server, script: databases.Pgbench, effort: Effort) -> Sample:
    metered = machine.Meter(lambda: {"postgres": ours.pids("postgres")})
    metered.start()
    per_s = script.run(clients=CONNECTIONS, seconds=effort.seconds)
    metered.stop()
    operations = per_s * effort.seconds
    return Sample(per_s, {name: spent / operations * 1e6 for name, spent in metered.cpu_s.items()})


def _swap_count(ours: server.Server) -> int:
    """Return the number of swaps that our server has executed."""
    return databases.count(
        ours.dsn, "select count(*) from transfers where kind = 'WALLET.SWAP' and version = 4"
    )
