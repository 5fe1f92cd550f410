"""Contracts of a node, called by the names of their functions."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from chains.artifacts import COMPILED, Artifact, load_artifact
from chains.rpc import Rpc, RpcError
from eth_abi.abi import decode, encode

from landbridge.platform.formats.evm_addresses import checked_evm_address, keccak256

HOUR_S = 3_600
# What a revert without a reason carries.
NO_REASON = ""


@dataclass(frozen=True, slots=True)
class Contract:
    """Contract at an address."""

    rpc: Rpc
    artifact: Artifact
    address: str

    def at(self, address: str) -> "Contract":
        """Return the same functions at another address."""
        return Contract(self.rpc, self.artifact, address)

    def data(self, function: str, *values: object) -> str:
        """Return the data of a call."""
        item = _item(self.artifact, "function", function)
        return f"0x{(_digest(item)[:4] + encode(_types(item['inputs']), values)).hex()}"

    def read(self, function: str, *values: object) -> Any:
        """Return the first value that a function returns."""
        types = _types(_item(self.artifact, "function", function)["outputs"])
        answer = self.rpc.read(self.address, self.data(function, *values))
        return decode(types, bytes.fromhex(answer[2:]))[0]

    def send(self, sender: str, function: str, *values: object) -> dict[str, Any]:
        """Send a call as a transaction of an unlocked account; return its result."""
        transaction = self.rpc.send(sender, self.data(function, *values), to=self.address)
        return self.rpc.await_receipt(transaction)

    def events(self, result: dict[str, Any], name: str) -> int:
        """Return how often the contract has emitted an event in a transaction."""
        topic = f"0x{_digest(_item(self.artifact, 'event', name)).hex()}"
        return sum(
            log["topics"][0] == topic and checked_evm_address(log["address"]) == self.address
            for log in result["logs"]
        )


def deploy_contract(rpc: Rpc, sender: str, name: str, *values: object) -> Contract:
    """Deploy a contract from an unlocked account."""
    artifact = load_artifact(name)
    arguments = encode(["string"] * len(values), values).hex()
    result = rpc.await_receipt(rpc.send(sender, artifact.bytecode + arguments))
    return Contract(rpc, artifact, checked_evm_address(result["contractAddress"]))


@contextmanager
def reverts(error: str) -> Generator[None]:
    """Expect that a call is refused with the named error, or with `NO_REASON`."""
    with pytest.raises(RpcError) as caught:
        yield
    selector = caught.value.data[:10].removeprefix("0x")
    assert (_errors()[selector] if selector else NO_REASON) == error


def _errors() -> dict[str, str]:
    """Return the names of all contracts' errors, by selector."""
    return {
        _digest(item)[:4].hex(): item["name"]
        for path in COMPILED.glob("*.json")
        for item in load_artifact(path.stem).abi
        if item["type"] == "error"
    }


def _item(artifact: Artifact, kind: str, name: str) -> dict[str, Any]:
    return next(each for each in artifact.abi if each["type"] == kind and each.get("name") == name)


def _digest(item: dict[str, Any]) -> bytes:
    """Return the hash of a signature, as of `transfer(address,uint256)`."""
    return keccak256(f"{item['name']}({','.join(_types(item['inputs']))})".encode())


def _types(parameters: list[dict[str, Any]]) -> list[str]:
    """Return the canonical types of parameters; a struct is the tuple of its members."""
    return [
        f"({','.join(_types(each['components']))}){each['type'].removeprefix('tuple')}"
        if each["type"].startswith("tuple")
        else each["type"]
        for each in parameters
    ]
