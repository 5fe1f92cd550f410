"""Transaction hashes of the sandbox's chains."""

from hashlib import sha256, sha512
from uuid import UUID

import base58

_SOLANA = "SOLANA"


def transaction_hash(chain: str, key: UUID) -> str:
    """Return a transaction hash in the chain's format, always the same for the same key.

    On Solana it is a signature of 64 bytes in base58, elsewhere 32 bytes in hexadecimal.
    """
    name = f"{chain}/{key}".encode()
    if chain == _SOLANA:
        return base58.b58encode(sha512(name).digest()).decode()
    return f"0x{sha256(name).hexdigest()}"


def user_op_hash(chain: str, key: UUID) -> str | None:
    """Return the hash of the bundled user operation; None on Solana, which has none."""
    if chain == _SOLANA:
        return None
    return f"0x{sha256(f'user operation/{chain}/{key}'.encode()).hexdigest()}"
