"""The tree of liabilities: its shape, its sums, and what a proof of some pieces hides."""

from datetime import date
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.proofs.reserves_verifier import summed
from landbridge.reporting.proofs.verifier import Tree
from landbridge.reporting.reserves.liabilities import (
    LiabilityName,
    WalletBalance,
    build_tree,
)
from landbridge.reporting.reserves.sum_tree import (
    EMPTY_ROOT,
    ROW_WIDTH,
    SumNode,
    cover,
    parse_nodes,
    root_of,
)

_NAME = LiabilityName(b"k" * 32, UUID(int=1), date(2026, 1, 31), "usdc:POLYGON")


def _defined(nodes: list[SumNode]) -> SumNode:
    """Return the root as it is defined: the largest power of two on the left."""
    if len(nodes) == 1:
        return nodes[0]
    half = 1 << (len(nodes) - 1).bit_length() - 1
    left, right = _defined(nodes[:half]), _defined(nodes[half:])
    content = b"".join(each.hash + each.units.to_bytes(16, "big") for each in (left, right))
    return SumNode(sha256(b"\x01" + content).digest(), left.units + right.units)


def _nodes(count: int) -> list[SumNode]:
    return [SumNode(sha256(bytes([n % 256, n // 256])).digest(), n) for n in range(count)]


@given(st.integers(1, 40), st.sets(st.integers(0, 39), max_size=5))
def test_root_and_every_cover_are_those_of_the_definition(count: int, opened: set[int]) -> None:
    nodes, root = _nodes(count), _defined(_nodes(count))
    assert root_of(nodes) == root
    tree = Tree(summed)
    parts = cover(count, opened)
    for first, size in parts:
        tree.grow(tuple(root_of(nodes[first : first + size])), size)
    assert (tree.size, tree.root) == (count, tuple(root))
    alone = {first for first, size in parts if size == 1}
    assert {each for each in opened if each < count} <= alone


def test_roots_of_rows_give_the_same_root() -> None:
    tree = build_tree(_NAME, [WalletBalance(uuid4(), uuid4(), 10**9 + n) for n in range(400)])
    pieces = [each for row in tree.rows for each in row]
    assert len(tree.rows) > 2
    assert all(len(row) == ROW_WIDTH for row in tree.rows[:-1])
    assert tree.root == _defined(pieces) == root_of(tree.row_nodes)
    assert tree.piece_count == len(pieces)
    assert pieces == sorted(pieces)
    stored = b"".join(each.content for each in pieces)
    assert parse_nodes(stored) == pieces


def test_a_tree_without_balances_is_empty() -> None:
    tree = build_tree(_NAME, [WalletBalance(uuid4(), uuid4(), units) for units in (0, -5)])
    assert (tree.root, tree.piece_count, tree.balances) == (EMPTY_ROOT, 0, [])


@given(st.integers(1, 10**30), st.uuids())
def test_a_balance_is_split_into_pieces_above_zero(units: int, wallet_id: UUID) -> None:
    balance = WalletBalance(wallet_id, UUID(int=2), units)
    pieces = _NAME.split(balance)
    assert sum(each.units for each in pieces) == units
    assert min(each.units for each in pieces) > 0
    assert len({each.salt for each in pieces}) == len(pieces) <= 5
    assert _NAME.split(balance) == pieces


def test_sizes_and_salts_follow_from_the_key_alone() -> None:
    balance = WalletBalance(UUID(int=3), UUID(int=2), 10**12)
    other = LiabilityName(b"x" * 32, _NAME.org_id, _NAME.day, _NAME.asset)
    known, unknown = _NAME.split(balance), other.split(balance)
    assert [each.units for each in known] != [each.units for each in unknown]
    assert not {each.salt for each in known} & {each.salt for each in unknown}


def test_a_node_below_zero_has_no_hash() -> None:
    nodes = [SumNode(bytes(32), 5), SumNode(bytes(32), -1)]
    with pytest.raises(OverflowError):
        root_of(nodes)
    tree = Tree(summed)
    tree.grow(tuple(nodes[0]))
    with pytest.raises(OverflowError):
        tree.grow(tuple(nodes[1]))
