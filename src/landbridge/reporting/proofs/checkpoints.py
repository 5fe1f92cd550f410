"""Checkpoints: signed tree heads as C2SP specifies them (tlog-checkpoint, signed-note). Pure.

    landbridge/4c1f.../1
    1024
    1mVn...=

    — landbridge/4c1f.../1 Zx2P...=

The lines are the origin, the number of leaves, the root in base64, and signatures. An origin names
an organisation and an epoch. In each epoch but the first, a line before the signatures names the
last head of the previous epoch. The algorithm is part of the key id, so that a checkpoint can have
a further line with the signature of another algorithm than Ed25519.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.platform.encryption.service import DataKey
from landbridge.reporting.proofs.verifier import TreeHead

_ED25519 = b"\x01"
_KEY_ID_BYTES = 4


@dataclass(frozen=True, slots=True)
class CheckpointSigner:
    """Signer of an organisation's checkpoints in one epoch."""

    origin: str
    key: Ed25519PrivateKey

    @classmethod
    def of(cls, org_key: DataKey, org_id: UUID, epoch: int) -> "CheckpointSigner":
        """Return the signer of an epoch; its key is derived from the organisation's data key."""
        seed = org_key.derive(f"proofs.checkpoints.{epoch}")
        return cls(origin_of(org_id, epoch), Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def verifier_key(self) -> str:
        """Return the text of the public key (signed-note): name, key id and key."""
        public = self.key.public_key().public_bytes_raw()
        shown = base64.b64encode(_ED25519 + public).decode()
        return f"{self.origin}+{_key_id(self.origin, public).hex()}+{shown}"

    def sign(self, size: int, root: bytes, *, previous: str | None = None) -> str:
        """Return the signed note of a tree head; `previous` is the previous epoch's last head."""
        lines = [self.origin, str(size), base64.b64encode(root).decode()]
        extension = [] if previous is None else [f"previous-head {previous}"]
        text = "\n".join([*lines, *extension]) + "\n"
        public = self.key.public_key().public_bytes_raw()
        signature = _key_id(self.origin, public) + self.key.sign(text.encode())
        return f"{text}\n\u2014 {self.origin} {base64.b64encode(signature).decode()}\n"


def origin_of(org_id: UUID, epoch: int) -> str:
    """Return the origin of an organisation's checkpoints in an epoch."""
    return f"landbridge/{org_id}/{epoch}"


def read_head(note: str) -> TreeHead:
    """Return the tree head in a checkpoint, without verifying the signature."""
    origin, size, root = note.split("\n")[:3]
    return TreeHead(origin, int(size), base64.b64decode(root))


def growth_text(old: int, path: Sequence[bytes], note: str) -> str:
    """Return a text with the proof that a checkpoint continues `old` leaves, and the checkpoint.

    The text is a request to a witness (C2SP tlog-witness).
    """
    hashes = [base64.b64encode(each).decode() for each in path]
    return "\n".join([f"old {old}", *hashes, "", note])


def head_text(head: TreeHead) -> str:
    """Return a tree head in one line, as a checkpoint of the next epoch names it."""
    return f"{head.origin} {head.size} {base64.b64encode(head.root).decode()}"


def _key_id(name: str, public: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:_KEY_ID_BYTES]
