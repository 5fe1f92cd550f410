"""Items of a HEIC, checked before a decoder opens the file.

An item is a list of pieces of the file. Pieces may take no bytes of the list: a file of kilobytes
could name billions of them, and take hours. Several pieces may be the same bytes, and one item may
be the metadata of many images, each of which gets a copy: a small file could take gigabytes. An
image may be made of others, such as the tiles of a grid, which are decoded completely for each
place where they are used: a small file could take hours. Source: ISO/IEC 14496-12 (boxes, `meta`,
`iloc`, `iref`), ISO/IEC 23008-12 (`cdsc`, `dimg`, `ipma`, `ispe`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

# Pixels of all decoded images: a photo of 50 megapixels in tiles, with smaller images beside it.
_DECODED_PIXELS_MAX = 200_000_000
# Levels of images made of images: a photo with more contrast is made of two grids of tiles.
_DERIVED_DEPTH_MAX = 3
# Bytes of copied metadata: as many as an image of 50 megapixels takes.
_COPIES_BYTES_MAX = 200_000_000
_SIZE_BYTES, _KIND_BYTES, _LARGE_SIZE_BYTES = 4, 4, 8
# Size of the version and flags at the beginning of a full box.
_FULL_BYTES = 4
_VERSION_MAX, _VERSION_WITH_LONG_IDS = 2, 2


def check_items(content: bytes) -> None:
    """Raise `ValueError` for items outside the file, too many copies, or too many pixels."""
    (meta,) = _boxes(content, b"meta")
    inside = meta[_FULL_BYTES:]
    (locations,) = _boxes(inside, b"iloc")
    lengths = _lengths(locations)
    if lengths.total() > len(content):
        raise ValueError("items that are longer than the file")
    copies = sum(lengths[item] * len(others) for item, others in _references(inside, b"cdsc"))
    if copies > _COPIES_BYTES_MAX:
        raise ValueError("metadata of too many images")
    if _decoded_pixels(inside) > _DECODED_PIXELS_MAX:
        raise ValueError("images that are made of too many pixels")


def _boxes(content: bytes, wanted: bytes) -> Iterator[bytes]:
    """Yield the contents of all boxes of a kind."""
    return (inside for kind, inside in _all_boxes(content) if kind == wanted)


def _all_boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of each box."""
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
        yield kind, content[at:end]
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
        # Skips construction method, file and base offset, which precede the pieces.
        fields.read((2 if version else 0) + 2 + base)
        place, pieces = (index if version else 0) + offset, fields.read(2)
        if pieces > 1 and not place + length:
            raise ValueError("pieces that have no fields in a box")
        for _ in range(pieces):
            fields.read(place)
            lengths[item] += fields.read(length)
    return lengths


def _references(inside: bytes, wanted: bytes) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each item that has references of this kind, with the items it refers to."""
    for box in _boxes(inside, b"iref"):
        id_size = 4 if box[:1] == b"\x01" else 2
        for reference in _boxes(box[_FULL_BYTES:], wanted):
            fields = _Fields(reference)
            item = fields.read(id_size)
            yield item, [fields.read(id_size) for _ in range(fields.read(2))]


def _decoded_pixels(inside: bytes) -> int:
    """Return the number of decoded pixels; an image that is used several times counts each time."""
    own, inputs = _pixels(inside), dict[int, list[int]]()
    for item, others in _references(inside, b"dimg"):
        inputs.setdefault(item, []).extend(others)
    totals: dict[int, int] = {}

    def total(item: int, depth: int) -> int:
        if depth > _DERIVED_DEPTH_MAX:
            raise ValueError("an image that is made of too many others")
        if item not in totals:
            made_of = sum(total(each, depth + 1) for each in inputs.get(item, ()))
            totals[item] = own.get(item, 0) + made_of
        return totals[item]

    # Totals of all images, including those that are made of other images.
    found = {item: total(item, 0) for item in {*own, *inputs}}
    used = {other for others in inputs.values() for other in others}
    return sum(pixels for item, pixels in found.items() if item not in used)


def _pixels(inside: bytes) -> Mapping[int, int]:
    """Return the number of pixels of each item that has a size property."""
    found = dict[int, int]()
    for properties in _boxes(inside, b"iprp"):
        (container,) = _boxes(properties, b"ipco")
        sizes = [_size(box) if kind == b"ispe" else 0 for kind, box in _all_boxes(container)]
        for box in _boxes(properties, b"ipma"):
            for item, index in _associations(box):
                if 0 < index <= len(sizes):
                    found[item] = max(found.get(item, 0), sizes[index - 1])
    return found


def _size(box: bytes) -> int:
    """Return the pixels of a size property."""
    fields = _Fields(box)
    fields.read(_FULL_BYTES)
    return fields.read(4) * fields.read(4)


def _associations(box: bytes) -> Iterator[tuple[int, int]]:
    """Yield an item and the index of one of its properties, counted from 1, for each pair."""
    fields = _Fields(box)
    id_size = 4 if fields.read(1) else 2
    index_size = 2 if fields.read(3) & 1 else 1
    # The first bit says whether a reader must understand the property; the rest is the index.
    mask = (1 << 8 * index_size - 1) - 1
    for _ in range(fields.read(4)):
        item = fields.read(id_size)
        for _ in range(fields.read(1)):
            yield item, fields.read(index_size) & mask


class _Fields:
    """Reads numbers from bytes, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def read(self, size: int) -> int:
        """Return the number in the next bytes; raises `ValueError` if there are too few."""
        end = self._at + size
        if end > len(self._content):
            raise ValueError("a box that ends early")
        number = int.from_bytes(self._content[self._at : end])
        self._at = end
        return number
