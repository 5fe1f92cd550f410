"""CPU per operation of the verbs that people use most, as ratios to plain statements in one run.

Each verb is called a fixed number of times by a few callers at once. The measurement ends when
everything that the calls started is done: a transfer counts with its worker steps until COMPLETED.
The unit is the CPU of PostgreSQL for one swap operation by plain statements (`bench/plain.sql`),
measured in the same run. `baseline.json` keeps the least ratios; `--check` fails if one has grown
by more than a third. Rounds in which the machine had other work are left out of it.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from bench import capacity, databases, scripts, server, speed
from landbridge.app.container import TRANSITIONS, open_container
from landbridge.app.settings import Settings
from landbridge.sandbox.scenarios.client import ScenarioClient, connected
from landbridge.sandbox.scenarios.people import (
    bank_account,
    fund,
    introduce,
    sign_up,
    verified,
)

BASELINE = Path(__file__).parent / "baseline.json"
GROWTH_MAX = 4 / 3
# Share of the CPU for other work, up to which a round counts. More work makes calls dearer, by the
# caches it takes, and statements less so.
OTHERS_MAX = 0.1
CALLERS = 16
_FUNDS = "1000000"
_SETTLE_TIMEOUT_S = 120.0
_PGBENCH_S = 3.0
_BATCH_SIZE = 50
_PARTS = ("api", "worker", "postgres")
# Bytes of the database on the disk, and of write-ahead log that it has ever written.
_SIZES = "select pg_database_size(current_database()), pg_current_wal_lsn() - '0/0'::pg_lsn"
_UNFINISHED = "select count(*) from transfers where (kind || ':' || status) <> all ($1::text[])"


@dataclass(frozen=True, slots=True)
class Effort:
    """Rounds, and calls of each verb per round as a multiple of its own number."""

    rounds: int
    scale: int


DEFAULT, QUICK = Effort(rounds=5, scale=2), Effort(rounds=2, scale=1)


@dataclass(frozen=True, slots=True)
class Parties:
    """Users of the calls: one per caller and role."""

    payers: Sequence[str]
    payees: Sequence[str]
    bank_accounts: Sequence[str]


Call = Callable[[ScenarioClient, Parties, int], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Verb:
    """A measured verb; `calls` per round, and what one caller does."""

    name: str
    calls: int
    call: Call


@dataclass(slots=True)
class VerbSeries:
    """Samples of one verb, one per round: CPU microseconds per call by part, calls per second.

    `stored` and `logged` are bytes per call: of the database, and of its write-ahead log.
    `predicted` is the rate that the CPU per call predicts, with that of the client.
    `unit_us` has the plain operation of the same round, `others` the share of the CPU that other
    work took, of this machine or of its host.
    """

    cpu_us: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    per_s: list[float] = field(default_factory=list[float])
    unit_us: list[float] = field(default_factory=list[float])
    others: list[float] = field(default_factory=list[float])
    predicted: list[float] = field(default_factory=list[float])
    stored: list[float] = field(default_factory=list[float])
    logged: list[float] = field(default_factory=list[float])

    @property
    def calls_us(self) -> list[float]:
        """CPU microseconds per call, of all parts together."""
        return [sum(each.values()) for each in self.cpu_us]

    @property
    def ratios(self) -> list[float]:
        """CPU per call in plain operations, by round."""
        return [call / unit for call, unit in zip(self.calls_us, self.unit_us, strict=True)]

    @property
    def ratio(self) -> float:
        """CPU per call in plain operations: median by median, since each round has its noise."""
        return median(self.calls_us) / median(self.unit_us)

    @property
    def least(self) -> float | None:
        """The least ratio of a round without other work; None if there was none."""
        pairs = zip(self.ratios, self.others, strict=True)
        return min((ratio for ratio, others in pairs if others <= OTHERS_MAX), default=None)


def _usdc(user: str, **amount: str) -> dict[str, Any]:
    return {"userId": user, "chain": "POLYGON", "currency": "usdc", **amount}


async def _swap(client: ScenarioClient, parties: Parties, caller: int) -> None:
    user = parties.payers[caller]
    body = {
        "requestId": str(uuid4()),
        "source": _usdc(user, amount="1.25"),
        "destination": {"chain": "POLYGON", "currency": "usdt"},
    }
    created = await client.post("/v2/wallets/swaps", body)
    await client.post(f"/v2/wallets/swaps/{created['transferDetails']['id']}/accept")


def _coins_of(parties: Parties, caller: int) -> dict[str, Any]:
    return {
        "requestId": str(uuid4()),
        "source": {"userId": parties.payers[caller]},
        "currency": "usdc",
        "chain": "POLYGON",
    }


async def _transfer(client: ScenarioClient, parties: Parties, caller: int) -> None:
    payee = {"userId": parties.payees[caller]}
    body = {**_coins_of(parties, caller), "amount": "1.25", "destination": payee}
    await client.post("/v2/wallets/transfers", body)


async def _batch(client: ScenarioClient, parties: Parties, caller: int) -> None:
    item = {"userId": parties.payees[caller], "amount": "1.25"}
    body = {**_coins_of(parties, caller), "destination": {"batch": [item] * _BATCH_SIZE}}
    await client.post("/v2/wallets/transfers/batches", body)


async def _onramp(client: ScenarioClient, parties: Parties, caller: int) -> None:
    user = parties.payers[caller]
    body = {
        "requestId": str(uuid4()),
        "source": {"userId": user, "currency": "usd", "amount": "100", "transferType": "wire"},
        "destination": _usdc(user),
    }
    created = await client.post("/v2/onramps", body)
    onramp = created["transferDetails"]["id"]
    await client.post(f"/v2/onramps/{onramp}/quote/accept")
    await client.post(f"/v2/sandbox/onramps/{onramp}/deposit", {})


async def _offramp(client: ScenarioClient, parties: Parties, caller: int) -> None:
    user = parties.payers[caller]
    account = {"userId": user, "accountId": parties.bank_accounts[caller], "currency": "usd"}
    body = {
        "requestId": str(uuid4()),
        "source": _usdc(user, amount="10"),
        "destination": account,
    }
    created = await client.post("/v2/offramps", body)
    await client.post(f"/v2/offramps/{created['transferDetails']['id']}/quote/accept")


async def _list(client: ScenarioClient, parties: Parties, caller: int) -> None:
    await client.raw("/v2/wallets/swaps", userId=parties.payers[caller], limit=50)


async def _balance(client: ScenarioClient, parties: Parties, caller: int) -> None:
    path = f"/v2/users/{parties.payers[caller]}/wallets/balance"
    await client.raw(path, chain="POLYGON", currency="usdc")


async def _kyc(client: ScenarioClient, _parties: Parties, _caller: int) -> None:
    user = await sign_up(client)
    await introduce(client, user)
    await client.post(f"/v2/users/{user}/kyc/submissions", {"rails": "USD"})


VERBS = (
    Verb("swap: create and accept", 400, _swap),
    Verb("transfer, to COMPLETED", 400, _transfer),
    Verb(f"batch of {_BATCH_SIZE}, to COMPLETED", 60, _batch),
    Verb("onramp, to COMPLETED", 150, _onramp),
    Verb("offramp, to COMPLETED", 150, _offramp),
    Verb("list page of 50 swaps", 400, _list),
    Verb("balance", 800, _balance),
    Verb("KYC: user, data, document, submission", 60, _kyc),
)


def measure(effort: Effort, print_line: Callable[[str], None]) -> dict[str, VerbSeries]:
    """Measure all verbs in turn, every other round in reverse order."""
    series = {verb.name: VerbSeries() for verb in VERBS}
    with (
        tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder,
        server.serving(Path(folder) / "data") as ours,
    ):
        plain = databases.make_pgbench(ours.dsn, "bench_plain", scripts.plain(), users=speed.USERS)
        asyncio.run(_measure(ours, plain, effort, series, print_line))
    return series


async def _measure(
    ours: server.Server,
    plain: databases.Pgbench,
    effort: Effort,
    series: dict[str, VerbSeries],
    print_line: Callable[[str], None],
) -> None:
    async with connected(f"http://127.0.0.1:{ours.port}", await _make_key(ours)) as client:
        parties = await _make_parties(client)
        for verb in VERBS:
            await _run(ours, client, parties, verb, max(verb.calls // 8, CALLERS))
        # The first statements on new tables cost three times as much, until they are analyzed.
        await asyncio.to_thread(_plain_us, ours, plain)
        await asyncio.to_thread(databases.read, plain.dsn, "analyze")
        for number in range(effort.rounds):
            unit_us = await asyncio.to_thread(_plain_us, ours, plain)
            for verb in VERBS if number % 2 == 0 else reversed(VERBS):
                calls = verb.calls * effort.scale
                before = await asyncio.to_thread(_sizes, ours)
                cpu_s, seconds = await _run(ours, client, parties, verb, calls)
                after = await asyncio.to_thread(_sizes, ours)
                cpu_us = {part: cpu_s[part] / calls * 1e6 for part in _PARTS}
                found = series[verb.name]
                found.cpu_us.append(cpu_us)
                found.per_s.append(calls / seconds)
                all_us = cpu_us | {"client": cpu_s["client"] / calls * 1e6}
                found.predicted.append(capacity.predict(all_us, server.API_PROCESSES))
                found.stored.append((after[0] - before[0]) / calls)
                found.logged.append((after[1] - before[1]) / calls)
                found.unit_us.append(unit_us)
                found.others.append((cpu_s["others"] + cpu_s["stolen"]) / sum(cpu_s.values()))
                print_line(f"round {number + 1}: {verb.name}: {found.ratios[-1]:.2f}")


async def _make_key(ours: server.Server) -> str:
    settings = Settings(data_dir=str(ours.data_dir), pool_size=2)
    async with open_container(settings, ours.dsn, name="bench") as container:
        org = await container.orgs.create("Bench")
        _, secret = await container.orgs.create_key(org.id, "bench", expires_at=None)
        return secret


async def _make_parties(client: ScenarioClient) -> Parties:
    payers = [await verified(client, funds=_FUNDS) for _ in range(CALLERS)]
    payees = [await sign_up(client, "Grace") for _ in range(CALLERS)]
    for user in payers:
        await fund(client, user, _FUNDS)
    return Parties(payers, payees, [await bank_account(client, user) for user in payers])


async def _run(
    ours: server.Server, client: ScenarioClient, parties: Parties, verb: Verb, calls: int
) -> tuple[dict[str, float], float]:
    """Return CPU seconds by part and seconds until everything was done."""
    meter = speed.meter(ours)
    started_s = time.perf_counter()
    meter.start()
    numbers = iter(range(calls))

    async def call(caller: int) -> None:
        for _ in numbers:
            await verb.call(client, parties, caller)

    await asyncio.gather(*map(call, range(CALLERS)))
    await asyncio.to_thread(_await_settled, ours)
    meter.stop()
    return meter.cpu_s, time.perf_counter() - started_s


def _await_settled(ours: server.Server) -> None:
    deadline_s = time.monotonic() + _SETTLE_TIMEOUT_S
    terminal = [
        f"{kind}:{status}"
        for kind, transitions in TRANSITIONS.items()
        for status in transitions.table
        if transitions.is_terminal(status)
    ]
    while databases.read(ours.dsn, _UNFINISHED, terminal)[0][0]:
        assert time.monotonic() < deadline_s, "payments were not completed in time"
        time.sleep(0.05)


def _sizes(ours: server.Server) -> tuple[int, int]:
    (stored, logged), *_ = databases.read(ours.dsn, _SIZES)
    return stored, int(logged)


def _plain_us(ours: server.Server, plain: databases.Pgbench) -> float:
    """Return CPU microseconds of PostgreSQL per operation by plain statements."""
    meter = speed.meter(ours)
    meter.start()
    per_s = plain.run(clients=CALLERS, seconds=_PGBENCH_S)
    meter.stop()
    return meter.cpu_s["postgres"] / (per_s * _PGBENCH_S) * 1e6


def markdown(series: dict[str, VerbSeries]) -> str:
    """Return the figures as a table."""
    rows = [
        "| Verb | plain swaps | range | API | worker | PostgreSQL | calls/s | by CPU | KB | WAL |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, found in series.items():
        parts = " | ".join(f"{median(each[part] for each in found.cpu_us):,.0f}" for part in _PARTS)
        spread = f"{min(found.ratios):.2f} to {max(found.ratios):.2f}"
        rates = f"{median(found.per_s):,.0f} | {median(found.predicted):,.0f}"
        kilobytes = " | ".join(f"{median(each) / 1e3:.1f}" for each in (found.stored, found.logged))
        rows.append(f"| {name} | {found.ratio:.2f} | {spread} | {parts} | {rates} | {kilobytes} |")
    explained = (
        "CPU per call: in plain operations of a swap, and in microseconds of each part. By CPU: "
        "the rate that it predicts, with the client. KB stored and KB of WAL per call."
    )
    return "\n".join([*rows, "", explained])


def grown(series: dict[str, VerbSeries]) -> dict[str, str]:
    """Return a sentence, by name, for every verb that costs over a third more than in the baseline.

    A verb that the baseline does not have is one of them: `--write` adds it.
    """
    baseline: dict[str, float] = {}
    if BASELINE.exists():
        baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    return {
        name: f"{name}: {found.least:.2f} plain operations, {baseline[name]:.2f} in the baseline"
        if name in baseline
        else f"{name}: not in the baseline"
        for name, found in series.items()
        if found.least is not None and found.least > baseline.get(name, 0) * GROWTH_MAX
    }


def disturbed(series: dict[str, VerbSeries]) -> list[str]:
    """Return the verbs without a round that can be compared."""
    return [name for name, found in series.items() if found.least is None]


def write_baseline(series: dict[str, VerbSeries]) -> None:
    """Keep the ratios that `grown` compares as the baseline."""
    ratios = {name: round(found.least, 2) for name, found in series.items() if found.least}
    BASELINE.write_text(f"{json.dumps(ratios, indent=2)}\n", encoding="utf-8")
