"""Items of a HEIC, checked before a decoder opens the file.

An item is a list of pieces of the file. Several pieces may be the same bytes, and one item may be
the metadata of many images, each of which gets a copy: a small file could take gigabytes. Source:
ISO/IEC 14496-12 (boxes, `meta`, `iloc`, `iref`), ISO/IEC 23008-12 (`cdsc`).
"""

from collections import Counter
from collections.abc import Iterator

# Copies of metadata: as much as an image of 50 megapixels.
_COPIES_BYTES_MAX = 200_000_000
_SIZE_BYTES, _KIND_BYTES, _LARGE_SIZE_BYTES = 4, 4, 8
# Version and flags, at the beginning of a full box.
_FULL_BYTES = 4
_VERSION_MAX, _VERSION_WITH_LONG_IDS = 2, 2


def check_items(content: bytes) -> None:
    """Raise `ValueError` unless the items fit into the file, and are not copied too often."""
    (meta,) = _boxes(content, b"meta")
    inside = meta[_FULL_BYTES:]
    (locations,) = _boxes(inside, b"iloc")
    lengths = _lengths(locations)
    if lengths.total() > len(content):
        raise ValueError("items that are longer than the file")
    copies = sum(
        lengths[item] * count for box in _boxes(inside, b"iref") for item, count in _described(box)
    )
    if copies > _COPIES_BYTES_MAX:
        raise ValueError("metadata of too many images")


def _boxes(content: bytes, wanted: bytes) -> Iterator[bytes]:
    """Yield the contents of all boxes of a kind."""
    start = 0
    while start < len(content):
        at = start + _SIZE_BYTES + _KIND_BYTES
        size = int.from_bytes(content[start : start + _SIZE_BYTES])
        kind = content[start + _SIZE_BYTES : at]
        if size == 1:
            size = int.from_bytes(content[at : at + _LARGE_SIZE_BYTES])
            at += _LARGE_SIZE_BYTES
        elif size == 0:
            size = len(content) - start
        end = start + size
        if not at <= end <= len(content):
            raise ValueError("a box that ends elsewhere")
        if kind == wanted:
            yield content[at:end]
        start = end


def _lengths(box: bytes) -> Counter[int]:
    """Return the length of each item, by its id."""
    fields, lengths = _Fields(box), Counter[int]()
    version = fields.read(1)
    if version > _VERSION_MAX:
        raise ValueError("locations of an unknown version")
    fields.read(3)
    sizes = fields.read(2)
    offset, length, base, index = (sizes >> shift & 0xF for shift in (12, 8, 4, 0))
    id_size = 4 if version == _VERSION_WITH_LONG_IDS else 2
    for _ in range(fields.read(id_size)):
        item = fields.read(id_size)
        # How it is constructed, the file that it is in, and where.
        fields.read((2 if version else 0) + 2 + base)
        for _ in range(fields.read(2)):
            fields.read((index if version else 0) + offset)
            lengths[item] += fields.read(length)
    return lengths


def _described(box: bytes) -> Iterator[tuple[int, int]]:
    """Yield each item that describes others, with their number."""
    id_size = 4 if box[:1] == b"\x01" else 2
    for reference in _boxes(box[_FULL_BYTES:], b"cdsc"):
        fields = _Fields(reference)
        yield fields.read(id_size), fields.read(2)


class _Fields:
    """Reads numbers one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def read(self, size: int) -> int:
        """Return the number in the next bytes; raises `ValueError` behind the end."""
        end = self._at + size
        if end > len(self._content):
            raise ValueError("a box that ends early")
        number = int.from_bytes(self._content[self._at : end])
        self._at = end
        return number
