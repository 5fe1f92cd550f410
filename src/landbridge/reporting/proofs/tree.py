"""RFC 6962 Merkle tree over tiles of 256 hashes (the layout of C2SP tlog-tiles). Pure.

A node (level, number) is the root of the 2**level leaves that begin at number * 2**level. Every
eighth level is stored in tiles; nodes of the levels between are computed from one tile.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

HASH_BYTES = 32
TILE_LEVELS = 8
TILE_WIDTH = 1 << TILE_LEVELS
_TILE_BYTES = TILE_WIDTH * HASH_BYTES
_NOTHING = bytes(HASH_BYTES)

# Returns the hash of a node by its level and number.
NodeReader = Callable[[int, int], bytes]


class TileKey(NamedTuple):
    """Location of a tile: its hashes are nodes of the level 8 * `level`."""

    level: int
    number: int


@dataclass(frozen=True, slots=True)
class Tile:
    """Tile and its hashes; the last tile of each level may have fewer than 256."""

    key: TileKey
    hashes: bytes


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node above two others."""
    return sha256(b"\x01" + left + right).digest()


def append(edge: Mapping[int, bytes], size: int, leaves: Sequence[bytes]) -> list[Tile]:
    """Return the tiles that change when leaf hashes are appended to a tree of `size` leaves.

    `edge` has the last tile of each level that is not full.
    """
    tiles: list[Tile] = []
    level, before, hashes = 0, size, list(leaves)
    while hashes:
        row = edge.get(level, b"") + b"".join(hashes)
        before >>= TILE_LEVELS
        chunks = [row[at : at + _TILE_BYTES] for at in range(0, len(row), _TILE_BYTES)]
        tiles += [Tile(TileKey(level, before + n), chunk) for n, chunk in enumerate(chunks)]
        hashes = [_perfect_root(each) for each in chunks if len(each) == _TILE_BYTES]
        level += 1
    return tiles


def edge_keys(size: int) -> list[TileKey]:
    """Return the tiles of a tree that are not full."""
    keys: list[TileKey] = []
    level, count = 0, size
    while count:
        if count % TILE_WIDTH:
            keys.append(TileKey(level, count >> TILE_LEVELS))
        level, count = level + 1, count >> TILE_LEVELS
    return keys


def node_reader(tiles: Mapping[TileKey, bytes]) -> NodeReader:
    """Return a reader of nodes from tiles; raises `KeyError` for a tile that is missing."""

    def read(level: int, number: int) -> bytes:
        key, first, count = _location(level, number)
        at = first * HASH_BYTES
        return _perfect_root(tiles[key][at : at + count * HASH_BYTES])

    return read


def tiles_needed(compute: Callable[[NodeReader], object]) -> Collection[TileKey]:
    """Return the tiles that a computation reads."""
    needed: set[TileKey] = set()

    def read(level: int, number: int) -> bytes:
        needed.add(_location(level, number)[0])
        return _NOTHING

    compute(read)
    return needed


def root_hash(size: int, read: NodeReader) -> bytes:
    """Return the root of the first `size` leaves."""
    return _range_hash(0, size, read) if size else sha256().digest()


def inclusion_path(index: int, size: int, read: NodeReader) -> list[bytes]:
    """Return the inclusion proof of a leaf in the tree of the first `size` leaves."""
    begin, end = 0, size
    path: list[bytes] = []
    while end - begin > 1:
        middle = begin + _split(end - begin)
        if index < middle:
            path.append(_range_hash(middle, end, read))
            end = middle
        else:
            path.append(_range_hash(begin, middle, read))
            begin = middle
    return path[::-1]


def consistency_path(old: int, size: int, read: NodeReader) -> list[bytes]:
    """Return the proof that the first `old` leaves are those of the tree of `size` leaves."""
    begin, end = 0, size
    path: list[bytes] = []
    if not old:
        return path
    while old < end:
        middle = begin + _split(end - begin)
        if old <= middle:
            path.append(_range_hash(middle, end, read))
            end = middle
        else:
            path.append(_range_hash(begin, middle, read))
            begin = middle
    if begin:
        path.append(_range_hash(begin, end, read))
    return path[::-1]


def _location(level: int, number: int) -> tuple[TileKey, int, int]:
    """Return the tile of a node, and the range of its hashes of which the node is the root."""
    tile_level, height = divmod(level, TILE_LEVELS)
    first, count = number << height, 1 << height
    return TileKey(tile_level, first >> TILE_LEVELS), first % TILE_WIDTH, count


def _range_hash(begin: int, end: int, read: NodeReader) -> bytes:
    """Return the hash of a range that begins at a multiple of the power of two above its length."""
    count = end - begin
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return read(level, begin >> level)
    middle = begin + _split(count)
    return node_hash(_range_hash(begin, middle, read), _range_hash(middle, end, read))


def _split(count: int) -> int:
    """Return the largest power of two below a count."""
    return 1 << (count - 1).bit_length() - 1


def _perfect_root(hashes: bytes) -> bytes:
    """Return the root of concatenated hashes; their number must be a power of two."""
    row = [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
    while len(row) > 1:
        row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
    return row[0]
