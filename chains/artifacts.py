"""Compiled contracts, and the ABI encoding of the few calls that a deployment makes."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from landbridge.platform.formats.evm_addresses import keccak256

COMPILED = Path(__file__).with_name("compiled")

_WORD = 32


@dataclass(frozen=True, slots=True)
class Artifact:
    """Contract as compiled. Immutables are the parts of its code that the constructor sets."""

    name: str
    abi: list[dict[str, Any]]
    bytecode: str
    deployed_bytecode: str
    immutables: tuple[tuple[int, int], ...]

    def is_code_of(self, code: str) -> bool:
        """Whether the code at an address is this contract's, whatever its immutables."""
        return self._without_immutables(code) == self._without_immutables(self.deployed_bytecode)

    def _without_immutables(self, code: str) -> bytes:
        masked = bytearray.fromhex(code.removeprefix("0x"))
        for start, length in self.immutables:
            masked[start : start + length] = bytes(length)
        return bytes(masked)


@cache
def load_artifact(name: str) -> Artifact:
    """Return a contract from `compiled/`."""
    content = json.loads((COMPILED / f"{name}.json").read_bytes())
    return Artifact(
        name=content["contract"],
        abi=content["abi"],
        bytecode=content["bytecode"],
        deployed_bytecode=content["deployedBytecode"],
        immutables=tuple((start, length) for start, length in content["immutables"]),
    )


def encode_call(signature: str, *values: int | str) -> str:
    """Return the data of a call, as in `encode_call("mint(address,uint256)", to, 5)`."""
    return f"0x{keccak256(signature.encode())[:4].hex()}{encode_values(*values)}"


def encode_values(*values: int | str) -> str:
    """Return the ABI encoding of integers, addresses ("0x...") and other strings, without 0x."""
    head, tail = "", ""
    for value in values:
        if isinstance(value, int):
            head += _word(value)
        elif value.startswith("0x"):
            head += _word(int(value, 16))
        else:
            head += _word(_WORD * len(values) + len(tail) // 2)
            content = value.encode()
            tail += _word(len(content)) + content.hex().ljust(-(-len(content) // _WORD) * 64, "0")
    return head + tail


def _word(value: int) -> str:
    return value.to_bytes(_WORD, "big").hex()
