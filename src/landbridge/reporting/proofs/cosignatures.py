"""Cosignatures of a witness (C2SP tlog-cosignature, cosignature/v1, with Ed25519). Pure.

    — auditor.example/landbridge 8Xw2...=

The line is added to a checkpoint. It says that the witness has seen, at a time, that the checkpoint
continues all those that it has cosigned before.
"""

import base64
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# Algorithm byte of cosignatures in key ids and keys.
_COSIGNATURE = b"\x04"
_KEY_ID_BYTES, _TIME_BYTES = 4, 8


@dataclass(frozen=True, slots=True)
class Cosigner:
    """Key of a witness, with its name."""

    name: str
    key: Ed25519PrivateKey

    @property
    def verifier_key(self) -> str:
        """Return the text of the public key (signed-note): name, key id and key."""
        shown = base64.b64encode(_COSIGNATURE + self._public).decode()
        return f"{self.name}+{self._key_id.hex()}+{shown}"

    def cosign(self, note: str, at_s: int) -> str:
        """Return a checkpoint with a cosignature added; `at_s` is the time in seconds since 1970.

        The caller has verified that the checkpoint continues those before it.
        """
        text = note.rpartition("\n\n")[0] + "\n"
        signed = self.key.sign(f"cosignature/v1\ntime {at_s}\n{text}".encode())
        found = self._key_id + at_s.to_bytes(_TIME_BYTES, "big") + signed
        return f"{note}\u2014 {self.name} {base64.b64encode(found).decode()}\n"

    @property
    def _public(self) -> bytes:
        return self.key.public_key().public_bytes_raw()

    @property
    def _key_id(self) -> bytes:
        text = self.name.encode() + b"\n" + _COSIGNATURE + self._public
        return sha256(text).digest()[:_KEY_ID_BYTES]
