"""`landbridge demo`: run a complete scenario on a fresh sandbox over HTTP, and audit the ledger."""

import asyncio
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from landbridge.app.container import ASSETS, AUDIT_RULES, TRANSITIONS
from landbridge.app.settings import PREFIX
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.money import Money
from landbridge.platform.db.embedded.server import borrow
from landbridge.platform.db.pool import Database
from landbridge.sandbox.scenarios.personas import DOSSIER, PASSPORT, person, us_account

# Only a directory that an earlier demo has marked as its own is wiped.
_MARK = "made-by-landbridge-demo"
_READY_TIMEOUT_S = 120
_TIMEOUT_S = 30

# The server is our own and on this machine, whatever proxy the environment names.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

PrintLine = Callable[[str], None]


class DemoFailed(LandbridgeError):
    """The demo scenario failed."""


@dataclass(frozen=True, slots=True)
class DemoClient:
    """The API with one organisation's key."""

    url: str
    key: str

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and JSON of a response."""
        request = urllib.request.Request(  # noqa: S310  our own server
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with _direct.open(request, timeout=_TIMEOUT_S) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON of a successful response; raises `DemoFailed` otherwise."""
        status, response = self.call(method, path, body)
        if status != 200:  # noqa: PLR2004  OK
            raise DemoFailed(f"{method} {path} returned {status}: {response}")
        return response


def demo(folder: Path, print_line: PrintLine) -> bool:
    """Run the demo in `folder`; return whether the books balance at its end."""
    _clear(folder)
    with _served(folder) as client:
        _run_scenario(client, print_line)
    with borrow(folder, print_line=lambda _: None) as dsn:
        return asyncio.run(_books(dsn, print_line))


def _run_scenario(client: DemoClient, print_line: PrintLine) -> None:
    ada, grace, bob = (_user(client, name) for name in ("Ada", "Grace", "Bob"))
    print_line("Ada, Grace and Bob accepted the terms and have wallets.")
    client.request(
        "POST",
        f"/v2/sandbox/users/{ada}/wallets/fund",
        {"chain": "POLYGON", "currency": "usdc", "amount": "100"},
    )
    print_line("100 usdc arrived in Ada's wallet; Bob is broke.\n")

    body = _swap(ada, amount="10")
    swap = client.request("POST", "/v2/wallets/swaps", body)["transferDetails"]
    quote = swap["quoteInformation"]
    got = quote["receiveNet"]["amount"]
    print_line(f"Ada asks to swap 10 usdc: {swap['status']}, she would get {got} usdt.")
    repeated = client.request("POST", "/v2/wallets/swaps", body)["transferDetails"]
    print_line(f"The same request again answers the same swap: {repeated['id'] == swap['id']}.")
    other = _swap(ada, amount="11", request_id=body["requestId"])
    status, refusal = client.call("POST", "/v2/wallets/swaps", other)
    print_line(f"The same requestId for 11 usdc: {status} {refusal['error']}.")
    accepted = client.request("POST", f"/v2/wallets/swaps/{swap['id']}/accept")["transferDetails"]
    print_line(f"She accepts: {accepted['status']}.\n")

    gift = client.request("POST", "/v2/wallets/swaps", _swap(ada, to=grace, exact_out="25"))
    gift = client.request("POST", f"/v2/wallets/swaps/{gift['transferDetails']['id']}/accept")
    debited = gift["transferDetails"]["quoteInformation"]["sendGross"]["amount"]
    print_line(f"Ada has exactly 25 usdt arrive at Grace's: it takes {debited} usdc of hers.")
    status, refusal = client.call("POST", "/v2/wallets/swaps", _swap(bob, amount="1"))
    print_line(f"Bob asks to swap 1 usdc: {status} {refusal['error']}.")

    late = client.request("POST", "/v2/wallets/swaps", _swap(ada, amount="5"))["transferDetails"]
    client.request("POST", "/v2/sandbox/clock/advance", {"seconds": 31})
    late = client.request("GET", f"/v2/wallets/swaps/{late['id']}")["transferDetails"]
    print_line(f"Ada leaves a quote open for 31 seconds: {late['status']}.")
    count = client.request("GET", "/v2/wallets/swaps")["count"]
    print_line(f"The list has {count} swaps.\n")
    _send(client, print_line, ada=ada, grace=grace, bob=bob)
    _bank(client, print_line, ada=ada)
    for name, user in (("Ada", ada), ("Grace", grace), ("Bob", bob)):
        balances = {
            currency: client.request(
                "GET", f"/v2/users/{user}/wallets/balance?chain=POLYGON&currency={currency}"
            )["displayBalance"]
            for currency in ("usdc", "usdt")
        }
        print_line(f"{name:5} holds {balances['usdc']:>10} usdc {balances['usdt']:>10} usdt")


def _send(client: DemoClient, print_line: PrintLine, *, ada: str, grace: str, bob: str) -> None:
    """Send transfers, a batch, a payment that needs approval, and a bridge."""
    transfers = "/v2/wallets/transfers"
    fee = {"type": "PERCENT", "value": "0.01"}
    reply = client.request("POST", transfers, _coins(ada, {"userId": bob}, amount=10, fee=fee))
    gross = reply["transferDetails"]["amountIncludeDeveloperFee"]
    accepted = _finish(client, f"{transfers}/{reply['transferDetails']['id']}")
    print_line(f"Ada sends Bob 10 usdc, and pays {gross} with the fee: {accepted['status']}.")
    items = [{"userId": grace, "amount": "2.5"}, {"userId": bob, "amount": "1.25"}]
    reply = client.request("POST", f"{transfers}/batches", _coins(ada, {"batch": items}))
    accepted = _finish(client, f"{transfers}/batches/{reply['transferDetails']['id']}")
    print_line(f"She pays both at once, in one transaction: {accepted['status']}.")
    body = _coins(ada, {"userId": grace}, amount=5, requireApproval=True)
    reply = client.request("POST", transfers, body)["transferDetails"]
    print_line(f"5 usdc more, for which somebody has to agree: {reply['status']}.")
    client.request("POST", f"/v2/transfer-approvals/{reply['approval']['id']}/approve")
    accepted = _finish(client, f"{transfers}/{reply['id']}")
    print_line(f"The approval comes: {accepted['status']}.")
    client.request("POST", f"/v2/users/{ada}/wallets/add", {"chains": ["BASE"]})
    end = {"userId": ada, "currency": "usdc"}
    body = {
        "requestId": str(uuid4()),
        "amount": 5,
        "source": {**end, "chain": "POLYGON"},
        "destination": {**end, "chain": "BASE"},
    }
    reply = client.request("POST", "/v2/wallets/bridges", body)["transferDetails"]
    client.request("POST", f"/v2/wallets/bridges/{reply['id']}/accept")
    accepted = _finish(client, f"/v2/wallets/bridges/{reply['id']}")
    print_line(f"Ada moves 5 usdc from POLYGON to BASE: {accepted['status']}.\n")


def _bank(client: DemoClient, print_line: PrintLine, *, ada: str) -> None:
    """Take dollars in from a bank, and pay dollars out to one."""
    _verify(client, ada)
    print_line("Ada is verified for dollars; a sandbox approves whoever is called Approval.")
    end = {"currency": "usdc", "chain": "POLYGON", "userId": ada}
    start = {"userId": ada, "currency": "usd", "amount": 50, "transferType": "wire"}
    body = {"requestId": str(uuid4()), "source": start, "destination": end}
    path = f"/v2/onramps/{client.request('POST', '/v2/onramps', body)['transferDetails']['id']}"
    accepted = client.request("POST", f"{path}/quote/accept")
    print_line(f"She wants usdc for 50 dollars: {accepted['transferDetails']['status']}.")
    client.request(
        "POST", path.replace("/v2/", "/v2/sandbox/") + "/deposit", {"paymentRail": "wire"}
    )
    print_line(f"Her bank sends them: {_finish(client, path)['status']}.")

    account = client.request("POST", f"/v2/users/{ada}/accounts", us_account("ach"))["id"]
    start = {"userId": ada, "currency": "usdc", "chain": "POLYGON", "amount": 20}
    body = {
        "requestId": str(uuid4()),
        "source": start,
        "destination": {"accountId": account, "currency": "usd", "userId": ada},
    }
    reply = client.request("POST", "/v2/offramps", body)["transferDetails"]
    path = f"/v2/offramps/{reply['id']}"
    client.request("POST", f"{path}/quote/accept")
    accepted = _finish(client, path)
    tracking = accepted["receipt"]["paymentTracking"]
    print_line(
        f"She pays 20 usdc out to her bank: {accepted['status']}, by {tracking['paymentRail']}.\n"
    )


def _finish(client: DemoClient, path: str) -> dict[str, Any]:
    """Return a record once the worker has completed it."""
    deadline_s = time.monotonic() + _TIMEOUT_S
    while True:
        details: dict[str, Any] = client.request("GET", path)["transferDetails"]
        if details["status"] == "COMPLETED":
            return details
        if time.monotonic() > deadline_s:
            raise DemoFailed(f"{path} is {details['status']} and does not end")
        time.sleep(0.1)


def _coins(user: str, destination: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Build the body of a transfer or a batch of usdc on POLYGON."""
    return {
        "requestId": str(uuid4()),
        "source": {"userId": user},
        "destination": destination,
        "currency": "usdc",
        "chain": "POLYGON",
        **more,
    }


def _verify(client: DemoClient, user: str) -> None:
    """Provide all data that the USD rail requires, and submit it."""
    path = f"/v2/users/{user}/kyc"
    client.request("POST", path, DOSSIER)
    client.request("POST", f"{path}/documents", [PASSPORT])
    client.request("POST", f"{path}/submissions", {"rails": "USD"})
    status = client.request("GET", f"{path}/status?rails=USD")["status"]
    if status != "ACTIVE":
        raise DemoFailed(f"the verification is {status}")


def _user(client: DemoClient, name: str) -> str:
    link = client.request("POST", "/v2/tos-link", {"idempotencyKey": str(uuid4())})
    path = f"/v2/tos-link/{link['signedAgreementId']}"
    token = client.request("GET", path)["sessionToken"]
    client.request("POST", f"{path}/accept", {"sessionToken": token})
    return client.request("POST", "/v2/users", person(name, link["signedAgreementId"]))["id"]


def _swap(
    user: str,
    *,
    amount: str | None = None,
    exact_out: str | None = None,
    to: str | None = None,
    request_id: str | None = None,
) -> dict[str, Any]:
    source = {"userId": user, "chain": "POLYGON", "currency": "usdc"}
    destination = {"userId": to or user, "chain": "POLYGON", "currency": "usdt"}
    if amount is not None:
        source["amount"] = amount
    if exact_out is not None:
        destination["amount"] = exact_out
    return {
        "requestId": request_id or str(uuid4()),
        "source": source,
        "destination": destination,
    }


async def _books(dsn: str, print_line: PrintLine) -> bool:
    """Print the house accounts and the result of the checks."""
    database = await Database.connect(dsn, name="demo", size_max=2)
    try:
        audited = await audit(database, TRANSITIONS, AUDIT_RULES)
        rows = await database.rows("select id from orgs order by created_at limit 1")
        org_id: UUID = rows[0]["id"]
        print_line("\nThe house (what the wallets hold, with the opposite sign):")
        for (role, code), units in sorted((await house_balances(database, org_id)).items()):
            money = Money(units, ASSETS[code])
            print_line(f"  {role:10} {money!s:>12} {money.asset.currency} on {money.asset.chain}")
        print_line("\nThe books:")
        print_line(table(audited))
        return audited.is_clean
    finally:
        await database.close()


@contextmanager
def _served(folder: Path) -> Generator[DemoClient]:
    """Run a server on a free port; stop it at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    key = f"lb_sandbox_{secrets.token_urlsafe(24)}"
    environ = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environ |= {f"{PREFIX}API_KEY": key, f"{PREFIX}LOG_LEVEL": "warning"}
    argv = [sys.executable, "-m", "landbridge", "serve", "--port", str(port)]
    server = subprocess.Popen(  # noqa: S603  our own program
        [*argv, "--data-dir", str(folder)], env=environ, stdout=subprocess.DEVNULL
    )
    try:
        client = DemoClient(f"http://127.0.0.1:{port}", key)
        _await_ready(client, server)
        yield client
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def _await_ready(client: DemoClient, server: "subprocess.Popen[bytes]") -> None:
    deadline_s = time.monotonic() + _READY_TIMEOUT_S
    while time.monotonic() < deadline_s:
        try:
            client.request("GET", "/v2/ping")
        except OSError:
            if server.poll() is not None:
                raise DemoFailed("the server ended while starting; see above") from None
            time.sleep(0.1)
        else:
            return
    raise DemoFailed(f"the server did not answer within {_READY_TIMEOUT_S} s")


def _clear(folder: Path) -> None:
    if folder.exists():
        if not (folder / _MARK).exists() and any(folder.iterdir()):
            raise DemoFailed(f"{folder} is not empty and not a demo's; choose another directory")
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700, parents=True)
    (folder / _MARK).touch()
