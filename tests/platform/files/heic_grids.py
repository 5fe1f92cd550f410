"""A HEIC with a grid that repeats one tile."""

import io
import struct
from typing import Any

import pillow_heif
from PIL import Image

_TILE, _GRID = 1, 2


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def full_box(kind: bytes, content: bytes, *, version: int = 0) -> bytes:
    return box(kind, bytes([version, 0, 0, 0]) + content)


def grid_heic(*, tile: int, rows: int, columns: int, size: tuple[int, int]) -> bytes:
    """Return a HEIC of `size`, for which a tile is decoded rows * columns times."""
    written = io.BytesIO()
    file: Any = pillow_heif.from_pillow(Image.new("RGB", (tile, tile)))
    file.save(written, quality=1)
    encoded = written.getvalue()
    data = encoded[encoded.index(b"mdat") + 4 :]
    grid = struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, *size)
    head = box(b"ftyp", b"heic" + bytes(4) + b"mif1heic")
    begin = len(head) + len(_meta(encoded, tile, size, rows * columns, _locations(0, data, grid)))
    locations = _locations(begin + 8, data, grid)
    meta = _meta(encoded, tile, size, rows * columns, locations)
    return head + meta + box(b"mdat", data + grid)


def derived(item: int, others: list[int]) -> bytes:
    """Return the reference of an image to those that it is made of."""
    return box(b"dimg", struct.pack(f">HH{len(others)}H", item, len(others), *others))


def _meta(encoded: bytes, tile: int, size: tuple[int, int], uses: int, locations: bytes) -> bytes:
    kinds = ((_TILE, b"hvc1"), (_GRID, b"grid"))
    items = b"".join(
        full_box(b"infe", struct.pack(">HH", item, 0) + kind + b"\0", version=2)
        for item, kind in kinds
    )
    begin = encoded.index(b"hvcC") - 4
    decoder = encoded[begin : begin + int.from_bytes(encoded[begin : begin + 4])]
    sizes = [full_box(b"ispe", struct.pack(">II", *each)) for each in ((tile, tile), size)]
    # The tile has the decoder's data and the first size, the grid the second one.
    pairs = struct.pack(">IHBBBHBB", 2, _TILE, 2, 0x81, 2, _GRID, 1, 3)
    properties = box(b"ipco", decoder + b"".join(sizes)) + full_box(b"ipma", pairs)
    parts = (
        full_box(b"hdlr", bytes(4) + b"pict" + bytes(13)),
        full_box(b"pitm", struct.pack(">H", _GRID)),
        full_box(b"iinf", struct.pack(">H", len(kinds)) + items),
        locations,
        box(b"iprp", properties),
        full_box(b"iref", derived(_GRID, [_TILE] * uses)),
    )
    return full_box(b"meta", b"".join(parts))


def _locations(begin: int, data: bytes, grid: bytes) -> bytes:
    places = ((_TILE, begin, len(data)), (_GRID, begin + len(data), len(grid)))
    rows = (struct.pack(">HHHHII", item, 0, 0, 1, at, length) for item, at, length in places)
    return full_box(b"iloc", struct.pack(">BBH", 0x44, 0, 2) + b"".join(rows), version=1)
