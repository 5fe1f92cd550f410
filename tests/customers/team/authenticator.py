"""Passkey device, as a site sees it."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import encode_cbor

_PRESENT, _VERIFIED, _ATTESTED = 0x01, 0x04, 0x40


class Authenticator:
    """Passkey that signs challenges for the given site."""

    def __init__(
        self, origin: str, rp_id: str, *, verifies: bool = True, credential_id: bytes = b"k" * 16
    ) -> None:
        self.origin, self.rp_id, self.verifies = origin, rp_id, verifies
        self.credential_id = credential_id
        self.count = 0
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(
        self,
        options: Mapping[str, Any],
        *,
        public_key: object = None,
        statement: Mapping[str, object] | None = None,
    ) -> dict[str, Any]:
        """Return the result of `navigator.credentials.create`, with this public key or its own.

        `statement` is an attestation in the format "packed".
        """
        numbers = self._key.public_key().public_numbers()
        public = {
            1: 2,
            3: -7,
            -1: 1,
            -2: numbers.x.to_bytes(32, "big"),
            -3: numbers.y.to_bytes(32, "big"),
        }
        shown = public if public_key is None else public_key
        length = len(self.credential_id).to_bytes(2, "big")
        attested = bytes(16) + length + self.credential_id + encode_cbor(shown)
        data = self._data(_ATTESTED) + attested
        form = "none" if statement is None else "packed"
        attestation = encode_cbor({"fmt": form, "attStmt": statement or {}, "authData": data})
        client = self._client("webauthn.create", options)
        return self._credential(
            {"clientDataJSON": _text(client), "attestationObject": _text(attestation)}
        )

    def sign(self, options: Mapping[str, Any], owner: UUID | None = None) -> dict[str, Any]:
        """Return the result of `navigator.credentials.get`."""
        self.count += 1
        client, data = self._client("webauthn.get", options), self._data(0)
        signature = self._key.sign(data + sha256(client).digest(), ec.ECDSA(SHA256()))
        credential = {
            "clientDataJSON": _text(client),
            "authenticatorData": _text(data),
            "signature": _text(signature),
        }
        return self._credential(
            credential | ({} if owner is None else {"userHandle": _text(owner.bytes)})
        )

    def _client(self, kind: str, options: Mapping[str, Any]) -> bytes:
        client_data = {"type": kind, "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(client_data).encode()

    def _data(self, flags: int) -> bytes:
        flags |= _PRESENT | (_VERIFIED if self.verifies else 0)
        return sha256(self.rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _credential(self, response: Mapping[str, str]) -> dict[str, Any]:
        shown = _text(self.credential_id)
        return {"id": shown, "rawId": shown, "type": "public-key", "response": dict(response)}


def challenge_of(options: Mapping[str, Any]) -> bytes:
    """Return the bytes to be signed."""
    text = str(options["challenge"])
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
