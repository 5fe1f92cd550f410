"""Production mode on EVM nodes: coins from outside, transfers, and a kill of everything."""

import os
import re
import signal
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from chains.artifacts import encode_call
from chains.rpc import Rpc

from tests.app.processes.server_process import Served, landbridge, make_user, served
from tests.chains.local_chains import local_chains

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

COIN = 10**6
TRANSFERS = "/v2/wallets/transfers"
MASTER_KEY = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="
# Blocks come every second, and a payment is final some blocks after it was mined.
PATIENCE_S = 120.0


def until(found: Callable[[], Any]) -> Any:
    """Wait until this finds something, and return it."""
    deadline = time.monotonic() + PATIENCE_S
    while not (result := found()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return result


def address_of(server: Served, user: str) -> str:
    _, found = server.call("GET", f"/v2/users/{user}")
    return str(found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"])


def send_outside(rpc: Rpc, token: str, address: str, units: int) -> None:
    """Send tokens of the node's first account, which has deployed them."""
    data = encode_call("transfer(address,uint256)", address, units)
    rpc.send(rpc.accounts()[0], data, to=token)


def balance(rpc: Rpc, token: str, address: str) -> int:
    return int(rpc.read(token, encode_call("balanceOf(address)", address)), 16)


def fund_relayers(server: Served, rpc: Rpc) -> None:
    """Send native coins to the relayers, as an operator does."""

    def relayers() -> list[dict[str, Any]]:
        _, chain = server.call("GET", "/v2/chains/POLYGON")
        return [each for each in chain["installation"]["accounts"] if each["isRelayer"]]

    for each in until(relayers):
        sent = {"from": rpc.accounts()[0], "to": each["address"], "value": hex(10**19)}
        rpc.call("eth_sendTransaction", sent)


def transfer(server: Served, ada: str, bob: str) -> str:
    body = {
        "requestId": str(uuid4()),
        "chain": "POLYGON",
        "currency": "usdc",
        "source": {"userId": ada},
        "destination": {"userId": bob},
        "amount": "1",
    }
    status, made = server.call("POST", TRANSFERS, body)
    assert status == 200, made
    return str(made["transferDetails"]["id"])


def details(server: Served, id_: str) -> dict[str, Any]:
    status, found = server.call("GET", f"{TRANSFERS}/{id_}")
    return found["transferDetails"] if status == 200 else {}


def signed(server: Served, id_: str) -> list[Any]:
    """Return the transactions that were signed for a transfer."""
    status, found = server.call("GET", f"/v2/chains/orders/{id_}")
    # 404 until the worker has made the order.
    orders: list[Any] = [] if status == HTTPStatus.NOT_FOUND else found["orders"]
    return [attempt for order in orders for attempt in order["attempts"]]


def kill_everything(server: Served) -> None:
    """Kill the server, its children and the database, without a chance to finish."""
    for pid in (server.pid, server.postmaster(), *server.children()):
        os.kill(pid, signal.SIGKILL)
    assert server.process is not None
    server.process.wait()


def test_coins_move_in_production_and_survive_a_kill_of_everything(tmp_path: Path) -> None:
    file = tmp_path / "chains" / "chains.toml"
    with local_chains(file) as node:
        rpc = Rpc(f"http://{node}")
        # Coins come from outside only.
        configured = re.sub(r'(?m)^faucet = ".*"\n', "", file.read_text())
        file.write_text(configured)
        (token,) = re.findall(r'POLYGON\.tokens\.usdc\]\naddress = "(0x\w+)"', configured)
        settings = {"mode": "production", "master_key": MASTER_KEY}
        settings["chains_file"] = str(file)
        with served(tmp_path / "data", **settings) as server:
            refused, _ = server.call("POST", "/v2/sandbox/clock/advance", {"seconds": 1})
            assert refused in {403, 404}
            fund_relayers(server, rpc)
            ada, bob = make_user(server, "Ada"), make_user(server, "Bob")
            address = address_of(server, ada)
            send_outside(rpc, token, address, 5 * COIN)
            deposits = f"/v2/users/{ada}/wallets/deposits?chain=POLYGON&currency=usdc"
            until(lambda: "COMPLETED" in str(server.call("GET", deposits)))
            first = transfer(server, ada, bob)
            # Killed while some of its orders are new, signed or sent.
            others = [transfer(server, ada, bob) for _ in range(3)]
            until(lambda: signed(server, first))
            kill_everything(server)
            server.start()
            for each in (first, *others):
                until(lambda each=each: details(server, each).get("status") == "COMPLETED")
                hash_ = details(server, each)["receipt"]["transactionHash"]
                assert rpc.call("eth_getTransactionReceipt", hash_)["status"] == "0x1"
            assert balance(rpc, token, address_of(server, bob)) == 4 * COIN
            assert balance(rpc, token, address) == COIN
            audited = landbridge(
                "check",
                data_dir=str(server.folder),
                master_key=MASTER_KEY,
                mode="production",
                chains_file=str(file),
            )
            assert audited.returncode == 0, audited.stdout
