"""JSON-RPC client of one local node, for transactions of its unlocked accounts."""

import http.client
import itertools
import json
import time
from typing import Any
from urllib.parse import urlsplit

RECEIPT_TIMEOUT_S = 30.0

_TIMEOUT_S = 30.0
_POLL_S = 0.02


class RpcError(Exception):
    """Error answered by a node."""

    def __init__(self, method: str, code: int, message: str, data: str = "") -> None:
        super().__init__(f"{method}: {message} ({code})")
        self.code = code
        self.data = data


class Rpc:
    """Connection to a node, opened anew for each call."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._address = urlsplit(url).netloc
        self._ids = itertools.count(1)

    def call(self, method: str, *params: object) -> Any:
        """Return the result of a method.

        Raises:
            RpcError: The node refused.
            OSError: The node did not answer.
        """
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        connection = http.client.HTTPConnection(self._address, timeout=_TIMEOUT_S)
        try:
            connection.request(
                "POST", "/", json.dumps(request), {"Content-Type": "application/json"}
            )
            reply = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if error := reply.get("error"):
            raise RpcError(method, error["code"], error["message"], str(error.get("data", "")))
        return reply["result"]

    def chain_id(self) -> int:
        """Return the id of the chain."""
        return int(self.call("eth_chainId"), 16)

    def accounts(self) -> list[str]:
        """Return the accounts that the node signs for."""
        return self.call("eth_accounts")

    def block(self, number: int | str) -> dict[str, Any] | None:
        """Return a block by its number or tag, if the chain has it."""
        name = hex(number) if isinstance(number, int) else number
        return self.call("eth_getBlockByNumber", name, False)  # noqa: FBT003 - Ethereum's own order

    def code(self, address: str) -> str:
        """Return the code at an address; "0x" if there is none."""
        return self.call("eth_getCode", address, "latest")

    def read(self, to: str, data: str) -> str:
        """Return what a contract answers to a call that changes nothing."""
        return self.call("eth_call", {"to": to, "data": data}, "latest")

    def send(self, sender: str, data: str, *, to: str | None = None) -> str:
        """Send a transaction of an unlocked account, a deployment without `to`; return its hash.

        Raises:
            RpcError: The call would be reverted; nothing was sent.
        """
        fields = {"from": sender, "data": data} | ({} if to is None else {"to": to})
        gas = self.call("eth_estimateGas", fields)
        return self.call("eth_sendTransaction", fields | {"gas": gas})

    def mine(self) -> None:
        """Mine a block now, whatever the node's interval."""
        self.call("evm_mine")

    def await_receipt(self, transaction: str) -> dict[str, Any]:
        """Return the receipt of a successful transaction once it is mined.

        Raises:
            RpcError: The transaction failed.
            TimeoutError: It was not mined in time.
        """
        deadline_s = time.monotonic() + RECEIPT_TIMEOUT_S
        while time.monotonic() < deadline_s:
            receipt: dict[str, Any] | None = self.call("eth_getTransactionReceipt", transaction)
            if receipt is None:
                time.sleep(_POLL_S)
            elif receipt["status"] == "0x1":
                return receipt
            else:
                raise RpcError("eth_sendTransaction", 3, f"{transaction} was reverted")
        raise TimeoutError(f"{transaction} was not mined within {RECEIPT_TIMEOUT_S:.0f} s")
