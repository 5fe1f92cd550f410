"""Page run: load time of each dashboard page, and the transfer size of a first visit.

An admin of a seeded organisation requests one page after another over HTTP.
"""

import asyncio
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from uuid import UUID

from bench import databases, report, reports, server
from bench.report_findings import Effort, Times
from landbridge.app.container import Container, open_container
from landbridge.app.settings import Settings
from landbridge.customers.team import store
from landbridge.customers.team.model import TeamMember, Theme
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole

P95_MS_TARGET, FIRST_KB_TARGET = 100.0, 100.0
DEFAULT = Effort(transactions=1_000_000, days=730, request_count=40)
QUICK = Effort(transactions=100_000, days=730, request_count=10)

_ASSET = re.compile(r'(?:href|src)="(/dashboard/assets/[^"]+)"')
_PATHS = (
    *("", "/users", "/users?q=ada", "/users/new", "/transactions", "/transactions?status=FAILED"),
    *("/transactions?type=OFFRAMP", "/approvals", "/reviews", "/reviews/kyc", "/reports"),
    *("/reports/explore?template=GROSS_VOLUME", "/reports/explore?template=BALANCES"),
    *("/webhooks", "/events", "/requests", "/keys", "/team", "/settings", "/audit-log"),
    *("/sandbox", "/profile", "/search?q=ada@example.com"),
)


@dataclass(slots=True)
class Findings:
    """Times of each page, and the bytes of a first visit to it, scripts and style included."""

    effort: Effort
    times: dict[str, Times] = field(default_factory=dict[str, Times])
    first_bytes: dict[str, int] = field(default_factory=dict[str, int])


class Browser:
    """Keep-alive connection of a signed-in person."""

    def __init__(self, port: int, cookie: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Cookie": f"landbridge={cookie}", "Accept-Encoding": "gzip"}

    def open(self, path: str) -> tuple[float, bytes]:
        """Load a page that must succeed; return the milliseconds and the bytes that were sent.

        Pages are not compressed, style and scripts are.
        """
        began = time.perf_counter()
        self._connection.request("GET", path, headers=self._headers)
        with self._connection.getresponse() as answer:
            body = answer.read()
            assert answer.status == 200, (path, answer.status, body[-1500:])
        return (time.perf_counter() - began) * 1000, body


def measure(
    effort: Effort, print_line: Callable[[str], None], kept: Path | None = None
) -> Findings:
    """Measure all pages on an installation in `kept`, reused by later runs, or a temporary one."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as scratch:
        folder = kept or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with server.serving(folder / "data") as ours:
            _, large = reports.orgs(ours, effort, folder / "orgs.json", print_line)
            cookie = asyncio.run(_signed_in(ours, UUID(large.id)))
            print_line("Loading pages ...")
            return _open(Browser(ours.port, cookie), effort, _paths(ours, large.id))


def _paths(ours: server.Server, org_id: str) -> list[str]:
    """Return pages without an id, and those of the newest payment and of its user."""
    ((user, payment),) = databases.read(
        ours.dsn,
        "select user_id, id from transfers where org_id = $1 and kind = 'OFFRAMP'"
        " order by created_at desc, id desc limit 1",
        org_id,
    )
    tabs = ("", "/wallets", "/accounts", "/virtual-accounts", "/transactions", "/compliance")
    found = [*_PATHS, f"/transactions/{payment}", *(f"/users/{user}{tab}" for tab in tabs)]
    found += [f"/new/{kind}?userId={user}" for kind in ("transfer", "batch", "offramp", "swap")]
    return [f"/dashboard{each}" for each in found]


def _open(browser: Browser, effort: Effort, paths: list[str]) -> Findings:
    found = Findings(effort)
    for number in range(effort.request_count + 2):
        for path in paths:
            took_ms, body = browser.open(path)
            if number == 0:
                assets = set(_ASSET.findall(body.decode()))
                found.first_bytes[path] = len(body) + sum(
                    len(browser.open(each)[1]) for each in assets
                )
            if number > 1:
                found.times.setdefault(path, Times()).ms.append(took_ms)
    return found


async def _signed_in(ours: server.Server, org_id: UUID) -> str:
    """Return the session cookie of an admin."""
    settings = Settings(data_dir=str(ours.data_dir))
    async with open_container(settings, ours.dsn, name="bench") as container:
        return await container.database.transact(lambda tx: _admin(tx, container, org_id))


async def _admin(tx: Tx, container: Container, org_id: UUID) -> str:
    member_id = new_id()
    person = TeamMember(
        org_id=org_id,
        id=member_id,
        email=f"{member_id}@example.com",
        name="Bench",
        role=MemberRole.ADMIN,
        has_password=False,
        language="en",
        theme=Theme.SYSTEM,
        receives_approval_emails=False,
        created_at=container.clock.now(),
        removed_at=None,
        version=1,
    )
    await store.add(tx, person, None)
    return await container.sessions.begin(tx, org_id, member_id, is_verified=True)


def store_report(found: Findings, *, is_stored: bool, print_line: Callable[[str], None]) -> None:
    """Print the table; store it if the run was complete."""
    table = markdown(found)
    print(f"\n{table}\n")
    if is_stored:
        print_line(f"Stored in {report.write('pages', 'Pages', table, asdict(found))}.")


def markdown(found: Findings) -> str:
    """Return the table as Markdown."""
    slowest = max(each.p95 for each in found.times.values())
    largest = max(found.first_bytes.values()) / 1024
    return "\n".join(
        [
            f"{found.effort.transactions:,} transactions; one request at a time.",
            "",
            *("| page | p50 ms | p95 ms | first visit KB |", "|---|---|---|---|"),
            *(_row(path, each, found.first_bytes) for path, each in found.times.items()),
            "",
            *("| | target | measured | |", "|---|---|---|---|"),
            (
                f"| slowest p95, ms | below {P95_MS_TARGET:.0f} | {slowest:.0f} |"
                f" {'met' if slowest < P95_MS_TARGET else 'no'} |"
            ),
            (
                f"| largest first visit, KB | below {FIRST_KB_TARGET:.0f} | {largest:.0f} |"
                f" {'met' if largest < FIRST_KB_TARGET else 'no'} |"
            ),
        ]
    )


def _row(path: str, times: Times, sizes: Mapping[str, int]) -> str:
    short = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", path)
    return f"| {short} | {times.p50:.1f} | {times.p95:.1f} | {sizes[path] / 1024:.0f} |"
