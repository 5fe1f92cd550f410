"""`landbridge demo`: a whole story on a fresh sandbox, over HTTP, with the books at its end."""

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

from landbridge.core.errors import LandbridgeError
from landbridge.core.money import Money
from landbridge.db.embedded.server import borrow
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balances
from landbridge.settings import PREFIX
from landbridge.stories.made_up import DOSSIER, PASSPORT, person, us_account
from landbridge.wiring import ASSETS, AUDIT_RULES, MOVES

# Only a directory that an earlier demo has marked as its own is wiped.
_MARK = "made-by-landbridge-demo"
_READY_PATIENCE_S = 120
_TIMEOUT_S = 30

# The server is our own and on this machine, whatever proxy the environment names.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

Say = Callable[[str], None]


class DemoFailed(LandbridgeError):
    """The story did not go as it should."""


@dataclass(frozen=True, slots=True)
class Client:
    """The API with one organisation's key."""

    url: str
    key: str

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        request = urllib.request.Request(  # noqa: S310  our own server
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with _direct.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer that must be good."""
        status, answer = self.call(method, path, body)
        if status != 200:  # noqa: PLR2004  the one that means well
            raise DemoFailed(f"{method} {path} was answered with {status}: {answer}")
        return answer


def demo(folder: Path, say: Say) -> bool:
    """Play the story in `folder`; whether the books balance at its end."""
    _clear(folder)
    with _served(folder) as client:
        _story(client, say)
    with borrow(folder, say=lambda _: None) as dsn:
        return asyncio.run(_books(dsn, say))


def _story(client: Client, say: Say) -> None:
    ada, grace, bob = (_user(client, name) for name in ("Ada", "Grace", "Bob"))
    say("Ada, Grace and Bob accepted the terms and have wallets.")
    client.ask(
        "POST",
        f"/v2/sandbox/users/{ada}/wallets/fund",
        {"chain": "POLYGON", "currency": "usdc", "amount": "100"},
    )
    say("100 usdc arrived in Ada's wallet; Bob is broke.\n")

    asked = _swap(ada, amount="10")
    swap = client.ask("POST", "/v2/wallets/swaps", asked)["transferDetails"]
    quote = swap["quoteInformation"]
    got = quote["receiveNet"]["amount"]
    say(f"Ada asks to swap 10 usdc: {swap['status']}, she would get {got} usdt.")
    again = client.ask("POST", "/v2/wallets/swaps", asked)["transferDetails"]
    say(f"The same request again answers the same swap: {again['id'] == swap['id']}.")
    other = _swap(ada, amount="11", request_id=asked["requestId"])
    status, refusal = client.call("POST", "/v2/wallets/swaps", other)
    say(f"The same requestId for 11 usdc: {status} {refusal['error']}.")
    done = client.ask("POST", f"/v2/wallets/swaps/{swap['id']}/accept")["transferDetails"]
    say(f"She accepts: {done['status']}.\n")

    gift = client.ask("POST", "/v2/wallets/swaps", _swap(ada, to=grace, exact_out="25"))
    gift = client.ask("POST", f"/v2/wallets/swaps/{gift['transferDetails']['id']}/accept")
    sent = gift["transferDetails"]["quoteInformation"]["sendGross"]["amount"]
    say(f"Ada has exactly 25 usdt arrive at Grace's: it takes {sent} usdc of hers.")
    status, refusal = client.call("POST", "/v2/wallets/swaps", _swap(bob, amount="1"))
    say(f"Bob asks to swap 1 usdc: {status} {refusal['error']}.")

    late = client.ask("POST", "/v2/wallets/swaps", _swap(ada, amount="5"))["transferDetails"]
    client.ask("POST", "/v2/sandbox/clock/advance", {"seconds": 31})
    late = client.ask("GET", f"/v2/wallets/swaps/{late['id']}")["transferDetails"]
    say(f"Ada leaves a quote open for 31 seconds: {late['status']}.")
    count = client.ask("GET", "/v2/wallets/swaps")["count"]
    say(f"The list has {count} swaps.\n")
    _send(client, say, ada=ada, grace=grace, bob=bob)
    _bank(client, say, ada=ada)
    for name, user in (("Ada", ada), ("Grace", grace), ("Bob", bob)):
        held = {
            currency: client.ask(
                "GET", f"/v2/users/{user}/wallets/balance?chain=POLYGON&currency={currency}"
            )["displayBalance"]
            for currency in ("usdc", "usdt")
        }
        say(f"{name:5} holds {held['usdc']:>10} usdc {held['usdt']:>10} usdt")


def _send(client: Client, say: Say, *, ada: str, grace: str, bob: str) -> None:
    """Transfers, a batch, a payment that somebody has to approve, and a bridge."""
    transfers = "/v2/wallets/transfers"
    fee = {"type": "PERCENT", "value": "0.01"}
    told = client.ask("POST", transfers, _coins(ada, {"userId": bob}, amount=10, fee=fee))
    gross = told["transferDetails"]["amountIncludeDeveloperFee"]
    done = _finish(client, f"{transfers}/{told['transferDetails']['id']}")
    say(f"Ada sends Bob 10 usdc, and pays {gross} with the fee: {done['status']}.")
    items = [{"userId": grace, "amount": "2.5"}, {"userId": bob, "amount": "1.25"}]
    told = client.ask("POST", f"{transfers}/batches", _coins(ada, {"batch": items}))
    done = _finish(client, f"{transfers}/batches/{told['transferDetails']['id']}")
    say(f"She pays both at once, in one transaction: {done['status']}.")
    asked = _coins(ada, {"userId": grace}, amount=5, requireApproval=True)
    told = client.ask("POST", transfers, asked)["transferDetails"]
    say(f"5 usdc more, for which somebody has to agree: {told['status']}.")
    client.ask("POST", f"/v2/transfer-approvals/{told['approval']['id']}/approve")
    done = _finish(client, f"{transfers}/{told['id']}")
    say(f"The approval comes: {done['status']}.")
    client.ask("POST", f"/v2/users/{ada}/wallets/add", {"chains": ["BASE"]})
    end = {"userId": ada, "currency": "usdc"}
    asked = {
        "requestId": str(uuid4()),
        "amount": 5,
        "source": {**end, "chain": "POLYGON"},
        "destination": {**end, "chain": "BASE"},
    }
    told = client.ask("POST", "/v2/wallets/bridges", asked)["transferDetails"]
    client.ask("POST", f"/v2/wallets/bridges/{told['id']}/accept")
    done = _finish(client, f"/v2/wallets/bridges/{told['id']}")
    say(f"Ada moves 5 usdc from POLYGON to BASE: {done['status']}.\n")


def _bank(client: Client, say: Say, *, ada: str) -> None:
    """Dollars that come from a bank, and dollars that go to one."""
    _verify(client, ada)
    say("Ada is verified for dollars; a sandbox approves whoever is called Approval.")
    end = {"currency": "usdc", "chain": "POLYGON", "userId": ada}
    start = {"userId": ada, "currency": "usd", "amount": 50, "transferType": "wire"}
    asked = {"requestId": str(uuid4()), "source": start, "destination": end}
    path = f"/v2/onramps/{client.ask('POST', '/v2/onramps', asked)['transferDetails']['id']}"
    accepted = client.ask("POST", f"{path}/quote/accept")
    say(f"She wants usdc for 50 dollars: {accepted['transferDetails']['status']}.")
    client.ask("POST", path.replace("/v2/", "/v2/sandbox/") + "/deposit", {"paymentRail": "wire"})
    say(f"Her bank sends them: {_finish(client, path)['status']}.")

    account = client.ask("POST", f"/v2/users/{ada}/accounts", us_account("ach"))["id"]
    start = {"userId": ada, "currency": "usdc", "chain": "POLYGON", "amount": 20}
    asked = {
        "requestId": str(uuid4()),
        "source": start,
        "destination": {"accountId": account, "currency": "usd", "userId": ada},
    }
    told = client.ask("POST", "/v2/offramps", asked)["transferDetails"]
    path = f"/v2/offramps/{told['id']}"
    client.ask("POST", f"{path}/quote/accept")
    done = _finish(client, path)
    tracking = done["receipt"]["paymentTracking"]
    say(f"She pays 20 usdc out to her bank: {done['status']}, by {tracking['paymentRail']}.\n")


def _finish(client: Client, path: str) -> dict[str, Any]:
    """A record once the worker has brought it to its end."""
    deadline_s = time.monotonic() + _TIMEOUT_S
    while True:
        details: dict[str, Any] = client.ask("GET", path)["transferDetails"]
        if details["status"] == "COMPLETED":
            return details
        if time.monotonic() > deadline_s:
            raise DemoFailed(f"{path} is {details['status']} and does not end")
        time.sleep(0.1)


def _coins(user: str, destination: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The body of a transfer or a batch of usdc on POLYGON."""
    return {
        "requestId": str(uuid4()),
        "source": {"userId": user},
        "destination": destination,
        "currency": "usdc",
        "chain": "POLYGON",
        **more,
    }


def _verify(client: Client, user: str) -> None:
    """Tell all that is asked for dollars, and submit it."""
    path = f"/v2/users/{user}/kyc"
    client.ask("POST", path, DOSSIER)
    client.ask("POST", f"{path}/documents", [PASSPORT])
    client.ask("POST", f"{path}/submissions", {"rails": "USD"})
    status = client.ask("GET", f"{path}/status?rails=USD")["status"]
    if status != "ACTIVE":
        raise DemoFailed(f"the verification is {status}")


def _user(client: Client, name: str) -> str:
    link = client.ask("POST", "/v2/tos-link", {"idempotencyKey": str(uuid4())})
    path = f"/v2/tos-link/{link['signedAgreementId']}"
    token = client.ask("GET", path)["sessionToken"]
    client.ask("POST", f"{path}/accept", {"sessionToken": token})
    return client.ask("POST", "/v2/users", person(name, link["signedAgreementId"]))["id"]


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


async def _books(dsn: str, say: Say) -> bool:
    """Print the house's accounts and the proofs."""
    database = await Database.connect(dsn, name="demo", size_max=2)
    try:
        audited = await audit(database, MOVES, AUDIT_RULES)
        rows = await database.rows("select id from orgs order by created_at limit 1")
        org_id: UUID = rows[0]["id"]
        say("\nThe house (what the wallets hold, with the opposite sign):")
        for (role, code), units in sorted((await house_balances(database, org_id)).items()):
            money = Money(units, ASSETS[code])
            say(f"  {role:10} {money!s:>12} {money.asset.currency} on {money.asset.chain}")
        say("\nThe books:")
        say(table(audited))
        return audited.is_clean
    finally:
        await database.close()


@contextmanager
def _served(folder: Path) -> Generator[Client]:
    """A server of our own on a free port, stopped at the end."""
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
        client = Client(f"http://127.0.0.1:{port}", key)
        _await_ready(client, server)
        yield client
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def _await_ready(client: Client, server: "subprocess.Popen[bytes]") -> None:
    deadline_s = time.monotonic() + _READY_PATIENCE_S
    while time.monotonic() < deadline_s:
        try:
            client.ask("GET", "/v2/ping")
        except OSError:
            if server.poll() is not None:
                raise DemoFailed("the server ended while starting; see above") from None
            time.sleep(0.1)
        else:
            return
    raise DemoFailed(f"the server did not answer within {_READY_PATIENCE_S} s")


def _clear(folder: Path) -> None:
    if folder.exists():
        if not (folder / _MARK).exists() and any(folder.iterdir()):
            raise DemoFailed(f"{folder} is not empty and not a demo's; choose another directory")
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700, parents=True)
    (folder / _MARK).touch()
