"""Attestation service of the local chains, with the interface of Circle's: it signs final burns.

`GET /v2/messages/{sourceDomain}?transactionHash=0x...` returns the messages of a transaction, in
the order of its logs. A message has the status `complete`, with its nonce and the signatures of
both attesters, once its block is final; before it is `pending_confirmations`. A transaction that no
block has is not found (404). Nothing is stored: the nonce is derived from chain, transaction and
place, so the same burn has the same message again.

Source of the interface: developers.circle.com/api-reference/cctp/all/get-messages-v-2. The keys
of the attesters are public, so they are good for local chains only.
"""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from coincurve import PrivateKey

from chains.nodes import HOST
from chains.rpc import Rpc, RpcError
from landbridge.platform.formats.evm_addresses import checked_evm_address, keccak256
from landbridge.platform.formats.key_derivation import evm_address_of_point

_PATH = re.compile(r"/v2/messages/(\d{1,10})")
_HASH = re.compile(r"0x[0-9a-f]{64}")
_MESSAGE_SENT = f"0x{keccak256(b'MessageSent(bytes)').hex()}"
_WORD = 32
# Places in a message: see LocalMessageTransmitter.sol.
_NONCE, _MIN_FINALITY, _FINALITY = slice(12, 44), slice(140, 144), slice(144, 148)
_FINALIZED = 2000
_V_OF_PARITY = 27


def _local_key(number: int) -> PrivateKey:
    return PrivateKey(keccak256(f"landbridge local attester {number}".encode()))


def _address_of(key: PrivateKey) -> str:
    return evm_address_of_point(key.public_key.format(compressed=False))


# In the order of their addresses, as an attestation has the signatures.
_KEYS = tuple(sorted((_local_key(1), _local_key(2)), key=lambda key: int(_address_of(key), 16)))
ATTESTERS = tuple(_address_of(key) for key in _KEYS)


class Conduct(StrEnum):
    """How the service behaves; tests change it."""

    USUAL = "usual"
    SLOW = "slow"  # final burns stay pending
    SILENT = "silent"  # every request fails
    WRONG_SIGNER = "wrong_signer"  # signatures are of other keys
    WRONG_MESSAGE = "wrong_message"  # messages pay another recipient


@dataclass(frozen=True, slots=True)
class AttestedChain:
    """Chain of burns that are signed: its node, its transmitter, and when a block is final.

    `finality` is a tag of the node, or a depth at which the latest block counts as one deep.
    """

    rpc: Rpc
    transmitter: str
    finality: str | int

    def final_block(self) -> int:
        """Return the number of the last final block."""
        if isinstance(self.finality, int):
            latest = self.rpc.block("latest")
            assert latest is not None
            return int(latest["number"], 16) - self.finality + 1
        block = self.rpc.block(self.finality)
        return -1 if block is None else int(block["number"], 16)


@dataclass(slots=True)
class Attestations:
    """What the service signs, by the chains' domains."""

    chains: Mapping[int, AttestedChain]
    conduct: Conduct = Conduct.USUAL
    # Nonces that messages get instead of their own, by the transaction of the burn, for tests.
    forged_nonces: dict[str, bytes] = field(default_factory=dict[str, bytes])
    # Requests so far, for tests.
    requests: list[str] = field(default_factory=list[str])

    def messages(self, domain: int, transaction_hash: str) -> list[dict[str, Any]] | None:
        """Return the messages of a transaction; None if no block has it."""
        chain = self.chains.get(domain)
        receipt = chain and chain.rpc.call("eth_getTransactionReceipt", transaction_hash)
        if chain is None or not receipt:
            return None
        sent = [
            _read_bytes(log["data"])
            for log in receipt["logs"]
            if log["topics"][0] == _MESSAGE_SENT
            and checked_evm_address(log["address"]) == chain.transmitter
        ]
        is_final = int(receipt["blockNumber"], 16) <= chain.final_block()
        forged = self.forged_nonces.get(transaction_hash)
        if forged is None and (not is_final or self.conduct is Conduct.SLOW):
            return [_pending() for _ in sent]
        return [
            self._signed(message, forged or _nonce(domain, transaction_hash, place), forged)
            for place, message in enumerate(sent)
        ]

    def _signed(self, sent: bytes, nonce: bytes, forged: bytes | None) -> dict[str, Any]:
        message = bytearray(sent)
        message[_NONCE] = nonce
        finality = max(int.from_bytes(message[_MIN_FINALITY]), _FINALIZED)
        message[_FINALITY] = finality.to_bytes(4)
        if self.conduct is Conduct.WRONG_MESSAGE:
            # The last byte of the recipient in the body.
            message[148 + 4 + 2 * _WORD - 1] ^= 1
        keys = _KEYS
        if forged is not None or self.conduct is Conduct.WRONG_SIGNER:
            keys = (_local_key(3), _local_key(4))
        attestation = b"".join(_sign(key, keccak256(bytes(message))) for key in keys)
        return {
            "message": f"0x{message.hex()}",
            "eventNonce": f"0x{nonce.hex()}",
            "attestation": f"0x{attestation.hex()}",
            "cctpVersion": 2,
            "status": "complete",
        }


@contextmanager
def running_attestations(attestations: Attestations, port: int) -> Generator[str]:
    """Serve on a port of this machine; yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            attestations.requests.append(self.path)
            status, body = _answer(attestations, self.path)
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *values: object) -> None:  # noqa: A002  its name there
            """Write nothing."""

    server = ThreadingHTTPServer((HOST, port), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(attestations: Attestations, path: str) -> tuple[int, dict[str, Any]]:
    """Return the status and body of an answer."""
    if attestations.conduct is Conduct.SILENT:
        return 503, {"error": "unavailable"}
    parts = urlsplit(path)
    domain = _PATH.fullmatch(parts.path)
    transaction_hash = parse_qs(parts.query).get("transactionHash", [""])[0].lower()
    if domain is None or not _HASH.fullmatch(transaction_hash):
        return 400, {"error": "a domain and a transactionHash are needed"}
    try:
        found = attestations.messages(int(domain[1]), transaction_hash)
    except (OSError, RpcError) as failure:
        return 503, {"error": str(failure)}
    if not found:
        return 404, {"error": "Message hash not found"}
    return 200, {"messages": found}


def _pending() -> dict[str, Any]:
    return {
        "message": "0x",
        "eventNonce": "",
        "attestation": "PENDING",
        "cctpVersion": 2,
        "status": "pending_confirmations",
    }


def _nonce(domain: int, transaction_hash: str, place: int) -> bytes:
    return keccak256(f"{domain}/{transaction_hash}/{place}".encode())


def _read_bytes(data: str) -> bytes:
    """Return the only parameter of an event, of type bytes."""
    content = bytes.fromhex(data[2:])
    length = int.from_bytes(content[_WORD : 2 * _WORD])
    return content[2 * _WORD : 2 * _WORD + length]


def _sign(key: PrivateKey, digest: bytes) -> bytes:
    packed = key.sign_recoverable(digest, hasher=None)  # pyright: ignore[reportUnknownMemberType]
    return packed[:-1] + bytes([packed[-1] + _V_OF_PARITY])
