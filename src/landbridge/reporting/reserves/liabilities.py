"""Liabilities of one asset: balances split into pieces, in an order that reveals nothing. Pure.

A piece is canonical JSON, which names wallet and user, with a salt. Sizes and number of the pieces
of a balance, and all salts, are derived from a key of the organisation; pieces are sorted by hash.
So the organisation can rebuild the tree from the balances, and nobody else can attribute a piece.
"""

import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from uuid import UUID

from landbridge.reporting.proofs.tree import leaf_hash
from landbridge.reporting.reserves.sum_tree import SumNode, root_of, rows_of

_VERSION = 1
# Fewest pieces of a balance, and number of possible counts: two to five, of which empty ones are
# dropped. A balance is cut at random numbers of `_CUT_BYTES` bytes.
_PIECES_MIN, _PIECES_KINDS = 2, 4
_CUT_BYTES = 15

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class WalletBalance:
    """Balance of a wallet in an asset, including held units."""

    wallet_id: UUID
    user_id: UUID
    units: int


@dataclass(frozen=True, slots=True)
class LiabilityPiece:
    """Part of one balance, and the salt of its leaf."""

    text: bytes
    salt: bytes
    units: int

    @property
    def node(self) -> SumNode:
        """Return the tree's leaf for this piece."""
        return SumNode(leaf_hash(sha256(self.salt + self.text).digest()), self.units)


@dataclass(frozen=True, slots=True)
class LiabilityTree:
    """Tree of an asset's liabilities; `balances` has those above zero, by wallet."""

    asset: str
    balances: Sequence[WalletBalance]
    rows: Sequence[Sequence[SumNode]]
    row_nodes: Sequence[SumNode]
    root: SumNode

    @property
    def piece_count(self) -> int:
        """Return the number of leaves."""
        return sum(map(len, self.rows))


@dataclass(frozen=True, slots=True)
class LiabilityName:
    """Common members of a tree's pieces, and the key from which their salts are derived."""

    key: bytes
    org_id: UUID
    day: date
    asset: str

    def split(self, balance: WalletBalance) -> list[LiabilityPiece]:
        """Return the pieces of a balance: at least one, each above zero."""
        name = f"{self.day}.{self.asset}.{balance.wallet_id}.{balance.units}"
        found = hmac.digest(self.key, f"cut.{name}".encode(), "sha512")
        count = _PIECES_MIN + found[-1] % _PIECES_KINDS
        ends = sorted(
            int.from_bytes(found[at * _CUT_BYTES : (at + 1) * _CUT_BYTES], "big") % balance.units
            for at in range(count - 1)
        )
        sizes = [end - begin for begin, end in zip([0, *ends], [*ends, balance.units], strict=True)]
        return [
            LiabilityPiece(
                self._text(balance, number, units),
                hmac.digest(self.key, f"salt.{number}.{name}".encode(), "sha256"),
                units,
            )
            for number, units in enumerate(filter(None, sizes), start=1)
        ]

    def _text(self, balance: WalletBalance, number: int, units: int) -> bytes:
        return _encode(
            {
                "asset": self.asset,
                "day": self.day.isoformat(),
                "org": str(self.org_id),
                "part": "liability",
                "piece": number,
                "units": str(units),
                "user": str(balance.user_id),
                "v": _VERSION,
                "wallet": str(balance.wallet_id),
            }
        ).encode()


def build_tree(name: LiabilityName, balances: Iterable[WalletBalance]) -> LiabilityTree:
    """Return the tree of an asset.

    In the log, a payment may precede the deposit that it spends. A balance that is below zero at
    the cut for this reason counts as zero.
    """
    owed = sorted(
        (each for each in balances if each.units > 0), key=lambda each: each.wallet_id.bytes
    )
    rows = rows_of(sorted(piece.node for each in owed for piece in name.split(each)))
    row_nodes = [root_of(each) for each in rows]
    return LiabilityTree(name.asset, owed, rows, row_nodes, root_of(row_nodes))
