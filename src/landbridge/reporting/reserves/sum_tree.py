"""Merkle tree with sums: the shape of RFC 6962, and the units of both children in each hash. Pure.

The hash of a node covers the hash and the units of both of its children, so no part of a sum can be
left out. If it covered only the sum, an operator could show two customers the larger of their
balances as the sum of both.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeVar

T = TypeVar("T")

ROW_WIDTH = 256
_UNITS_BYTES = 16
_HASH_BYTES = 32
NODE_BYTES = _HASH_BYTES + _UNITS_BYTES


class SumNode(NamedTuple):
    """Node of a tree, and the units of all leaves below it."""

    hash: bytes
    units: int

    @property
    def content(self) -> bytes:
        """Return hash and units encoded for hashing and storage; raises if units are negative."""
        return self.hash + self.units.to_bytes(_UNITS_BYTES, "big")


EMPTY_ROOT = SumNode(sha256().digest(), 0)


def parse_nodes(content: bytes) -> list[SumNode]:
    """Decode stored nodes."""
    parts = (content[at : at + NODE_BYTES] for at in range(0, len(content), NODE_BYTES))
    return [
        SumNode(each[:_HASH_BYTES], int.from_bytes(each[_HASH_BYTES:], "big")) for each in parts
    ]


def rows_of(items: Sequence[T]) -> list[Sequence[T]]:
    """Split items into rows for storage; a row of nodes is one subtree."""
    return [items[at : at + ROW_WIDTH] for at in range(0, len(items), ROW_WIDTH)]


def root_of(nodes: Sequence[SumNode]) -> SumNode:
    """Return the node above all of these."""
    return _levels(nodes)[-1][0] if nodes else EMPTY_ROOT


def cover(count: int, opened: Collection[int]) -> list[tuple[int, int]]:
    """Return the fewest full subtrees that cover `count` nodes, as (first, size).

    Nodes with an index in `opened` are subtrees of their own.
    """
    parts: list[tuple[int, int]] = []
    at = 0
    while at < count:
        size = 1
        while at % (2 * size) == 0 and at + 2 * size <= count:
            if any(each in opened for each in range(at, at + 2 * size)):
                break
            size *= 2
        parts.append((at, size))
        at += size
    return parts


def _levels(nodes: Sequence[SumNode]) -> list[Sequence[SumNode]]:
    """Return the nodes of each level; a last node without a neighbour moves up unchanged."""
    levels = [nodes]
    while len(nodes := levels[-1]) > 1:
        pairs = zip(nodes[::2], nodes[1::2], strict=False)
        levels.append([*(_join(*pair) for pair in pairs), *nodes[len(nodes) & ~1 :]])
    return levels


def _join(left: SumNode, right: SumNode) -> SumNode:
    hashed = sha256(b"\x01" + left.content + right.content).digest()
    return SumNode(hashed, left.units + right.units)
