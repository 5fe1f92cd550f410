"""Report run: response times of reports for a small and a large organisation.

Both are seeded into one installation and requested over HTTP in turn. The same run also measures:
the same query as plain SQL, and by DuckDB over a Parquet file that our download has written; the
first and the 10,000th page of a list; the speed of the rollup updater; the memory of a long
download.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import duckdb

from bench import copies, databases, machine, neighbours, server
from bench.report_findings import SMALL, Effort, Findings, Times

_PAGE, _DEEP = 10, 10_000
_CSV_ROWS = 1_000_000
# More transactions than this are copies of so many that the ledger wrote.
_PART = 500_000

# The query of all three: records of each month by kind and status, and their number.
PLAIN = """
select date_trunc('month', created_at, 'UTC') as month, kind, status, count(*)
from transfers
where org_id = $1 and created_at >= $2 and created_at < $3
group by 1, 2, 3
"""
DUCKDB = """
select strftime(createdAt, '%Y-%m') as month, transferType, status, count(*)
from read_parquet(?)
group by 1, 2, 3
"""


DEFAULT = Effort(transactions=10_000_000, days=730, request_count=50)
QUICK = Effort(transactions=300_000, days=730, request_count=10)


@dataclass(frozen=True, slots=True)
class Org:
    """Seeded organisation."""

    name: str
    id: str
    key: str
    seeded_per_s: float


@dataclass(frozen=True, slots=True)
class Case:
    """One report; `params` as they are sent."""

    name: str
    template: str
    params: Mapping[str, Any]


class Client:
    """Keep-alive connection with an organisation's API key."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=600)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def request_json(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON of a response that must succeed."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, sent, self._headers)
        with self._connection.getresponse() as answer:
            content = answer.read()
            assert answer.status in {200, 201}, (path, body, content[:500])
            return json.loads(content)

    def status(self, method: str, path: str, body: Any) -> int:
        """Return the status of a request that may be refused."""
        self._connection.request(method, path, json.dumps(body), self._headers)
        with self._connection.getresponse() as answer:
            answer.read()
            return answer.status

    def timed(self, method: str, path: str, body: Any = None) -> float:
        """Return the milliseconds of a request that must succeed."""
        began = time.perf_counter()
        self.request_json(method, path, body)
        return (time.perf_counter() - began) * 1000

    def download(self, path: str, body: Any, into: Path) -> float:
        """Save a long response to a file; return the seconds."""
        began = time.perf_counter()
        self._connection.request("POST", path, json.dumps(body), self._headers)
        with self._connection.getresponse() as answer, into.open("wb") as file:
            assert answer.status == 200, answer.read(500)
            while piece := answer.read(1 << 20):
                file.write(piece)
        return time.perf_counter() - began


def measure(
    effort: Effort, print_line: Callable[[str], None], kept: Path | None = None
) -> Findings:
    """Measure everything on an installation in `kept`, reused by later runs, or a temporary one."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as scratch:
        folder = kept or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with server.serving(folder / "data") as ours:
            return _measure(ours, effort, folder, print_line)


def _measure(
    ours: server.Server, effort: Effort, folder: Path, print_line: Callable[[str], None]
) -> Findings:
    small, large = orgs(ours, effort, folder / "orgs.json", print_line)
    found = Findings(
        effort=effort,
        seeded_per_s={each.name: each.seeded_per_s for each in (small, large)},
    )
    print_line("Requesting reports ...")
    _measure_cases(ours, small, large, found)
    print_line("Requesting reports beside a heavy template ...")
    _measure_neighbour(ours, small, large, found)
    print_line("Requesting pages ...")
    _measure_pages(ours, large, found)
    print_line("Downloading ...")
    _download(ours, large, found, folder)
    print_line("Running plain SQL and DuckDB ...")
    _measure_others(ours, large, found, folder)
    print_line("Rebuilding rollups ...")
    _measure_rollup(ours, small, found)
    return found


def orgs(
    ours: server.Server, effort: Effort, known: Path, print_line: Callable[[str], None]
) -> tuple[Org, Org]:
    """Return the small and the large organisation, from an earlier run or seeded now."""
    if known.exists():
        small, large = (Org(**each) for each in json.loads(known.read_text(encoding="utf-8")))
        return small, large
    small = _seed(ours, "Small", SMALL, effort, print_line)
    large = _seed(ours, "Large", effort.transactions, effort, print_line)
    databases.read(ours.dsn, "vacuum analyze")
    known.write_text(json.dumps([asdict(small), asdict(large)]), encoding="utf-8")
    return small, large


def _seed(
    ours: server.Server, name: str, count: int, effort: Effort, print_line: Callable[[str], None]
) -> Org:
    parts = max(count // _PART, 1)
    print_line(f"Seeding {parts} x {count // parts:,} transactions ...")
    began = time.perf_counter()
    completed = _landbridge(
        *(ours, "seed", "--transactions", str(count // parts)),
        *("--days", str(effort.days), "--name", name),
    )
    key = completed.strip().splitlines()[-1]
    org_id = Client(ours.port, key).request_json("GET", "/v2/reporting/metrics")["metadata"][
        "profileId"
    ]
    if parts > 1:
        copies.multiply(ours.dsn, org_id, parts - 1, print_line)
    took_s = time.perf_counter() - began
    print_line(f"  {count / took_s:,.0f} per second")
    return Org(name, org_id, key, count / took_s)


def _landbridge(ours: server.Server, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "landbridge", *arguments, "--data-dir", str(ours.data_dir)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _cases(client: Client, days: int) -> Iterator[Case]:
    """Return each template over short and long ranges, grouped by each of its dimensions."""
    now = datetime.now(UTC)
    today = now.date()
    ranges = {
        "a week by day": ((today - timedelta(7)).isoformat(), today.isoformat(), "day"),
        "all by day": ((today - timedelta(days)).isoformat(), today.isoformat(), "day"),
        "all by month": ((today - timedelta(days)).isoformat(), today.isoformat(), "month"),
    }
    ragged = (
        (now - timedelta(days=90, minutes=17)).isoformat(),
        (now - timedelta(minutes=41)).isoformat(),
        "week",
    )
    users = client.request_json("GET", "/v2/reporting/params/userIds/options?limit=20")["data"]
    for each in client.request_json("GET", "/v2/reporting/templates")["data"]:
        name, takes = each["name"], {param["name"] for param in each["params"]}
        chosen = dict(ranges)
        if name in {"GROSS_VOLUME", "TRANSACTION_COUNT", "NEW_USERS"}:
            chosen["90 ragged days by week"] = ragged
        for case_name, (after, before, interval) in chosen.items():
            params: dict[str, Any] = {
                "createdAfter": after,
                "createdBefore": before,
                "calculationInterval": interval,
            }
            yield Case(f"{name}, {case_name}", name, params)
            apart = next((one for one in each["breakdownOptions"] if one != "userId"), None)
            if apart and case_name != "all by day":
                yield Case(
                    f"{name}, {case_name}, by {apart}", name, params | {"breakdowns": [apart]}
                )
            if "userId" in each["breakdownOptions"] and case_name == "a week by day":
                yield Case(
                    f"{name}, {case_name}, by userId", name, params | {"breakdowns": ["userId"]}
                )
            if "userIds" in takes:
                yield Case(f"{name}, {case_name}, 20 users", name, params | {"userIds": users})


def _measure_cases(ours: server.Server, small: Org, large: Org, found: Findings) -> None:
    clients = [Client(ours.port, each.key) for each in (small, large)]
    cases = [list(_cases(each, found.effort.days)) for each in clients]
    for one, other in zip(*cases, strict=True):
        times = (Times(), Times())
        for number in range(found.effort.request_count + 2):
            for client, case, kept in zip(clients, (one, other), times, strict=True):
                body = {"template": case.template, "params": case.params}
                took = client.timed("POST", "/v2/reporting/metrics/preview", body)
                if number > 1:
                    kept.ms.append(took)
        found.cases[one.name] = times


def _measure_neighbour(ours: server.Server, small: Org, large: Org, found: Findings) -> None:
    """Measure a report of the small organisation while the large one runs a heavy template."""
    client, heavy = Client(ours.port, small.key), Client(ours.port, large.key)
    path = "/v2/reporting/metrics/preview"
    days = neighbours.longest_days(
        lambda days: heavy.status("POST", path, neighbours.heavy_body(days))
    )
    case = next(_cases(client, found.effort.days))
    body = {"template": case.template, "params": case.params}
    found.alone.ms += [client.timed("POST", path, body) for _ in range(100)]
    with neighbours.HeavyLoad(ours.port, large.key, days) as load:
        while not load.answers:
            time.sleep(0.1)
        found.beside.ms += [client.timed("POST", path, body) for _ in range(100)]
    found.heavy.ms += [ms for status, ms in load.answers if status == 200]
    found.heavy_refused = sum(status == 400 for status, _ in load.answers)
    found.heavy_days = days


def _measure_pages(ours: server.Server, org: Org, found: Findings) -> None:
    """Measure the first page of a list, and the page after 10,000 others."""
    client = Client(ours.port, org.key)
    deep = min(_DEEP, found.effort.transactions // 40)
    ((moment,),) = databases.read(
        ours.dsn,
        "select updated_at from transfers where org_id = $1 and kind = 'WALLET.SWAP'"
        " order by created_at desc, id desc offset $2 limit 1",
        org.id,
        deep * _PAGE,
    )
    cursor = moment.isoformat().replace("+00:00", "Z")
    for number in range(found.effort.request_count + 2):
        for path, kept in (("", found.first_page), (f"&cursor={cursor}", found.deep_page)):
            took = client.timed("GET", f"/v2/wallets/swaps?limit={_PAGE}{path}")
            if number > 1:
                kept.ms.append(took)


def _everything(effort: Effort) -> dict[str, Any]:
    today = datetime.now(UTC).date()
    return {
        "createdAfter": (today - timedelta(effort.days + 1)).isoformat(),
        "createdBefore": today.isoformat(),
        "calculationInterval": "month",
    }


def _download(ours: server.Server, org: Org, found: Findings, folder: Path) -> None:
    """Download a million of the newest transactions as CSV, and record the API's memory."""
    client = Client(ours.port, org.key)
    row_count = min(_CSV_ROWS, found.effort.transactions // 4)
    kinds = ["ONRAMP", "OFFRAMP", "WALLET.TRANSFER", "WALLET.TRANSFER.BATCH"]
    ((since,),) = databases.read(
        ours.dsn,
        "select created_at from transfers where org_id = $1 and kind = any($2::text[])"
        " order by created_at desc offset $3 limit 1",
        *(org.id, kinds, row_count - 1),
    )
    params = _everything(found.effort) | {
        "createdAfter": since.isoformat(),
        "createdBefore": datetime.now(UTC).isoformat(),
    }
    body = {"template": "TRANSACTION_COUNT", "params": params}
    file = folder / "transactions.csv"
    with _watch_memory(ours.pids("api")) as peak:
        took_s = client.download(
            "/v2/reporting/metrics/preview/download?format=csv&content=transactions", body, file
        )
    with file.open("rb") as lines:
        found.csv_rows = sum(1 for _ in lines) - 1
    found.csv_per_s, found.csv_mb = found.csv_rows / took_s, peak()


@contextmanager
def _watch_memory(pids: Sequence[int]) -> Generator[Callable[[], float]]:
    """Record by how many MB these processes grow together at most."""
    began, stop = machine.memory(pids).uss, threading.Event()
    most = began

    def watch() -> None:
        nonlocal most
        while not stop.wait(0.05):
            most = max(most, machine.memory(pids).uss)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: most - began
    finally:
        stop.set()
        thread.join()


def _measure_others(ours: server.Server, org: Org, found: Findings, folder: Path) -> None:
    """Measure records of each month by kind and status: plain SQL, DuckDB, and ours."""
    params = _everything(found.effort)
    body = {"template": "TRANSACTION_COUNT", "params": params}
    file = folder / "transactions.parquet"
    Client(ours.port, org.key).download(
        "/v2/reporting/metrics/preview/download?format=parquet&content=transactions", body, file
    )
    after, before = (
        datetime.fromisoformat(params[name]).replace(tzinfo=UTC)
        for name in ("createdAfter", "createdBefore")
    )
    plain, other = Times(), Times()
    # Run a query once if it takes minutes.
    while len(plain.ms) < 3 and sum(plain.ms) < 60_000:
        began = time.perf_counter()
        databases.read(ours.dsn, PLAIN, org.id, after, before)
        plain.ms.append((time.perf_counter() - began) * 1000)
    with duckdb.connect() as duck:
        for _ in range(5):
            began = time.perf_counter()
            duck.execute(DUCKDB, [str(file)]).fetchall()
            other.ms.append((time.perf_counter() - began) * 1000)
    # A new connection: the server closes one that is idle for minutes.
    client = Client(ours.port, org.key)
    ours_ms = Times(
        [
            client.timed(
                "POST",
                "/v2/reporting/metrics/preview",
                body
                | {"params": params | {"breakdowns": ["transactionType", "transactionStatus"]}},
            )
            for _ in range(10)
        ]
    )
    found.plain_ms, found.duckdb_ms, found.same_ms = plain.p50, other.p50, ours_ms.p50


def _measure_rollup(ours: server.Server, org: Org, found: Findings) -> None:
    """Rebuild all rollups of an organisation from its change log."""
    ((count,),) = databases.read(ours.dsn, "select count(*) from changes where org_id = $1", org.id)
    began = time.perf_counter()
    _landbridge(ours, "reports", "rebuild", "--org", org.id)
    found.folded_per_s = count / (time.perf_counter() - began)
