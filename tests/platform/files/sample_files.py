"""Sample files: small valid ones of every kind, and disguised ones."""

import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import pillow_heif
from PIL import Image

PDF = (
    b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"trailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n"
)
HTML = b"<!doctype html><script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def noise_image(size: tuple[int, int] = (64, 48)) -> Image.Image:
    """Build an image of noise."""
    image = Image.effect_noise(size, 60)
    return image.convert("RGB")


def encoded(kind: str, size: tuple[int, int] = (64, 48), pages: int = 1) -> bytes:
    """Return an image as `PNG`, `JPEG`, `TIFF` or `HEIF`."""
    written = io.BytesIO()
    if kind == "HEIF":
        # A large image has one colour, so that its file is small.
        image: Any = pillow_heif.from_pillow(
            noise_image(size) if size < (1000, 0) else Image.new("RGB", size)
        )
        for _ in range(pages - 1):
            image.add_from_pillow(noise_image(size) if size < (1000, 0) else Image.new("RGB", size))
        image.save(written, quality=50 if size < (1000, 0) else 5)
        return written.getvalue()
    more: Sequence[Image.Image] = [noise_image(size) for _ in range(pages - 1)]
    extra = {"save_all": True, "append_images": more} if more else {}
    noise_image(size).save(written, kind, **extra)
    return written.getvalue()


GOOD = {
    "scan.pdf": PDF,
    "photo.jpg": encoded("JPEG"),
    "photo.JPEG": encoded("JPEG"),
    "photo.png": encoded("PNG"),
    "photo.heic": encoded("HEIF"),
    "photo.tif": encoded("TIFF"),
    "pages.tiff": encoded("TIFF", pages=3),
}


def png(*, width: int, height: int, rows: int | None = None, after: bytes = b"") -> bytes:
    """Return a PNG of one bit per pixel that claims a size and has `rows` rows of zeros."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    row_bytes = 1 + (width + 7) // 8
    squeezed = zlib.compressobj(9)
    pixels = bytearray()
    for _ in range(height if rows is None else rows):
        pixels += squeezed.compress(bytes(row_bytes))
    pixels += squeezed.flush()
    chunks = [(b"IHDR", head), (b"IDAT", bytes(pixels)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks) + after


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def tiled_tiff(tile: int, *, doubled: bool = False) -> bytes:
    """Return a grey TIFF of one pixel with one tile of `tile` rows and columns of zeros.

    `doubled` also states tiles of 16 pixels, behind the true size.
    """
    squeezed = zlib.compressobj(9)
    data = b"".join([*(squeezed.compress(bytes(tile)) for _ in range(tile)), squeezed.flush()])
    sides = [tile, 16] if doubled else [tile]
    # Width, height, bits, deflated, white is 255, samples; then the size of the tiles.
    values = [(256, 1), (257, 1), (258, 8), (259, 8), (262, 1), (277, 1)]
    values += [(322, each) for each in sides] + [(323, each) for each in sides]
    begin = 8 + 2 + 12 * (len(values) + 2) + 4
    values += [(324, begin), (325, len(data))]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in values)
    page = struct.pack("<H", len(values)) + entries + bytes(4)
    return b"II*\x00" + struct.pack("<I", 8) + page + data


def striped_tiff(
    strip: bytes, count: int, *, compression: int, rows: int, is_shared: bool = False
) -> bytes:
    """Return a grey TIFF of one column with equal strips; `is_shared` stores them once."""
    data = strip if is_shared else strip * count
    offsets = 8 + len(data)
    lengths = offsets + 4 * count
    # Width, height, bits, compression, black is 0, samples; then the strips.
    values = [(256, 1, 1), (257, 1, count * rows), (258, 1, 8), (259, 1, compression), (262, 1, 1)]
    values += [(273, count, offsets), (277, 1, 1), (278, 1, rows), (279, count, lengths)]
    entries = b"".join(struct.pack("<HHII", tag, 4, many, value) for tag, many, value in values)
    places = [8 if is_shared else 8 + at * len(strip) for at in range(count)]
    arrays = struct.pack(f"<{count}I", *places) + struct.pack("<I", len(strip)) * count
    page = struct.pack("<H", len(values)) + entries + bytes(4)
    begin = struct.pack("<I", lengths + 4 * count)
    return b"".join((b"II*\x00", begin, data, arrays, page))


def repeated_heic(times: int) -> bytes:
    """Return a HEIC that lists the same 50 KB several times behind its metadata."""
    written, padding = io.BytesIO(), 50_000
    image = Image.new("RGB", (64, 64))
    image.info["xmp"] = b"<x>" + b" " * 100 + b"</x>"
    file: Any = pillow_heif.from_pillow(image)
    file.save(written, quality=50)
    whole = written.getvalue()
    begin = whole.index(b"iloc") - 4
    end = begin + int.from_bytes(whole[begin : begin + 4])
    # Version 0 with the image and its metadata: of each a base, and one piece.
    image_item, metadata_item = whole[begin + 16 : begin + 34], whole[begin + 34 : end]
    added = 8 * times
    moved = [
        each[:4] + (int.from_bytes(each[4:8]) + added).to_bytes(4) + each[8:]
        for each in (image_item, metadata_item)
    ]
    base = int.from_bytes(moved[1][4:8])
    piece = struct.pack(">II", len(whole) + added + 8 - base, padding)
    box = whole[begin + 4 : begin + 16] + moved[0] + moved[1][:8] + (1 + times).to_bytes(2)
    box += moved[1][10:] + piece * times
    meta = whole.index(b"meta") - 4
    size = int.from_bytes(whole[meta : meta + 4]) + added
    parts = (whole[:meta], size.to_bytes(4), whole[meta + 4 : begin], (len(box) + 4).to_bytes(4))
    return b"".join((*parts, box, whole[end:], (padding + 8).to_bytes(4), b"free", bytes(padding)))


def progressive(scans: int, *, width: int, height: int) -> bytes:
    """Build a grey progressive JPEG whose scans, after the first, change nothing."""
    table = b"\xff\xc4\x00\x14%c\x01" + bytes(15) + b"%c"
    size = height.to_bytes(2) + width.to_bytes(2)
    blocks = -(-width // 8) * -(-height // 8)
    # One bit for a run of 32,767 blocks, and fourteen for its length.
    bits = "011111111111111" * -(-blocks // 32_767)
    bits += "1" * (-len(bits) % 8)
    runs = int(bits, 2).to_bytes(len(bits) // 8).replace(b"\xff", b"\xff\x00")
    scan = b"\xff\xda\x00\x08\x01\x01\x00%b"
    return b"".join(
        [
            b"\xff\xd8\xff\xdb\x00\x43\x00" + b"\x01" * 64,
            b"\xff\xc2\x00\x0b\x08" + size + b"\x01\x01\x11\x00",
            table % (0x00, 0x00),
            table % (0x10, 0xE0),
            scan % b"\x00\x00\x00" + bytes(blocks // 8 + 1),
            (scan % b"\x01\x3f\x00" + runs) * (scans - 1),
            b"\xff\xd9",
        ]
    )
