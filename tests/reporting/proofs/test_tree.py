"""The tree over tiles is that of RFC 6962, and its proofs hold for nothing but themselves."""

from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.proofs.tree import (
    TILE_WIDTH,
    NodeReader,
    TileKey,
    append,
    consistency_path,
    edge_keys,
    inclusion_path,
    leaf_hash,
    node_reader,
    root_hash,
    tiles_needed,
)
from landbridge.reporting.proofs.verifier import BooksInvalid, TreeHead, check_growth, included

# From the test vectors of Certificate Transparency (RFC 6962).
CT_LEAVES = [
    bytes.fromhex(each)
    for each in (
        *("", "00", "10", "2021", "3031", "40414243"),
        *("5051525354555657", "606162636465666768696a6b6c6d6e6f"),
    )
]
CT_ROOT_8 = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


def hashes(count: int) -> list[bytes]:
    return [leaf_hash(str(each).encode()) for each in range(count)]


def plain_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root as RFC 6962 defines it."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256().digest()
    middle = 1
    while middle * 2 < len(leaves):
        middle *= 2
    left, right = plain_root(leaves[:middle]), plain_root(leaves[middle:])
    return sha256(b"\x01" + left + right).digest()


def tiles_of(leaves: Sequence[bytes], steps: Sequence[int] = ()) -> dict[TileKey, bytes]:
    """Return the tiles of a tree that has grown step by step."""
    tiles: dict[TileKey, bytes] = {}
    size = 0
    for end in [*sorted(steps), len(leaves)]:
        edge = {key.level: tiles[key] for key in edge_keys(size)}
        tiles |= {each.key: each.hashes for each in append(edge, size, leaves[size:end])}
        size = end
    return tiles


def computed(tiles: dict[TileKey, bytes], work: Callable[[NodeReader], bytes]) -> bytes:
    """Compute with no other tiles than those that are said to be needed."""
    return work(node_reader({key: tiles[key] for key in tiles_needed(work)}))


def test_root_is_that_of_certificate_transparency() -> None:
    tiles = tiles_of([leaf_hash(each) for each in CT_LEAVES])
    assert computed(tiles, lambda read: root_hash(8, read)).hex() == CT_ROOT_8
    assert root_hash(0, node_reader({})) == sha256().digest()


@given(st.data())
def test_root_of_each_size_is_that_of_the_definition(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 3 * TILE_WIDTH))
    steps = data.draw(st.lists(st.integers(0, count), max_size=5))
    size = data.draw(st.integers(1, count))
    leaves = hashes(count)
    tiles = tiles_of(leaves, steps)
    assert computed(tiles, lambda read: root_hash(size, read)) == plain_root(leaves[:size])
    assert max(len(each) for each in tiles.values()) <= 32 * TILE_WIDTH


def test_root_across_three_levels_of_tiles() -> None:
    leaves = hashes(TILE_WIDTH * TILE_WIDTH + 300)
    tiles = tiles_of(leaves, [1, 255, 256, 257, 65_535, 65_537])
    assert {key.level for key in tiles} == {0, 1, 2}
    for size in (65_535, 65_536, 65_537, len(leaves)):
        assert computed(tiles, lambda read, n=size: root_hash(n, read)) == plain_root(leaves[:size])


@given(st.data())
def test_inclusion_proof_holds_for_its_leaf_and_index_alone(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 600))
    index = data.draw(st.integers(0, size - 1))
    leaves = hashes(size + 10)
    tiles = tiles_of(leaves)
    path = inclusion_path(index, size, node_reader(tiles))
    root = plain_root(leaves[:size])
    assert included(leaves[index], index, size, list(path)) == root
    assert included(leaf_hash(b"other"), index, size, list(path)) != root
    other = data.draw(st.integers(0, size - 1))
    if other != index:
        assert not is_included(leaves[index], other, size, path, root)


@given(st.data())
def test_consistency_proof_holds_for_its_sizes_alone(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 600))
    old = data.draw(st.integers(1, size))
    leaves = hashes(size)
    path = consistency_path(old, size, node_reader(tiles_of(leaves)))
    before = TreeHead("log", old, plain_root(leaves[:old]))
    after = TreeHead("log", size, plain_root(leaves))
    check_growth(before, after, list(path))
    rewritten = [*leaves]
    at = data.draw(st.integers(0, old - 1))
    rewritten[at] = leaf_hash(b"rewritten")
    changed = TreeHead("log", size, plain_root(rewritten))
    forged = consistency_path(old, size, node_reader(tiles_of(rewritten)))
    for proof in (path, forged, [], [*path, path[-1] if path else bytes(32)]):
        with pytest.raises((BooksInvalid, IndexError)):
            check_growth(before, changed, list(proof))


def test_smaller_tree_does_not_continue_a_larger_one() -> None:
    leaves = hashes(10)
    older = TreeHead("log", 10, plain_root(leaves))
    newer = TreeHead("log", 9, plain_root(leaves[:9]))
    with pytest.raises((BooksInvalid, IndexError)):
        check_growth(older, newer, [])


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether a proof holds; one of another length does not."""
    rest = list(path)
    try:
        return included(leaf, index, size, rest) == root and not rest
    except IndexError:
        return False
