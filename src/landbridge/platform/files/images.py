"""Validation of images: decoded completely, within bounds.

The pixel count is read from the header before anything is decoded, and decoders enforce it. Pages
of a TIFF are decoded one at a time, so their memory does not add up. Tiles are decoded completely,
even where they reach beyond the page, so all of their pixels count. The numbers of tiles and strips
are bounded, because each takes time, and they must not share bytes. Pages of a HEIC stay in memory,
and together may have as many pixels as a single image. Cost at the bounds: about 600 MB (measured
with a HEIC of 49 megapixels and transparency; others take less) and some seconds of a thread.
"""

import io
import os
import struct
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence

from PIL import Image
from PIL.JpegImagePlugin import MARKER
from PIL.TiffImagePlugin import (
    COMPRESSION,
    IMAGELENGTH,
    IMAGEWIDTH,
    PLANAR_CONFIGURATION,
    ROWSPERSTRIP,
    SAMPLESPERPIXEL,
    STRIPBYTECOUNTS,
    STRIPOFFSETS,
    TILEBYTECOUNTS,
    TILELENGTH,
    TILEOFFSETS,
    TILEWIDTH,
    ImageFileDirectory_v2,
    TiffImageFile,
)

from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.files.heic_items import check_items
from landbridge.platform.files.model import MimeType

# A full page at 600 dots per inch has 35 megapixels, a phone's photo up to 50.
PIXELS_MAX = 50_000_000
# Bounds of a file with several pages: their number, and the pixels of all pages. For a HEIC,
# PIXELS_MAX bounds the pixels of all pages.
FRAMES_MAX = 20
ALL_PIXELS_MAX = 200_000_000
# Maximum scans of a JPEG. Ten megabytes of other data, such as a video behind a photo, look like
# 160.
SCANS_MAX = 500
# Maximum scans times pixels of a JPEG. A camera's progressive JPEG has about ten scans. A scan of
# 76 bytes can take the decoder 0.6 ns for each pixel: 30 ms for 49 megapixels.
SCANNED_PIXELS_MAX = 2_000_000_000
# Strips and tiles of all pages of a TIFF: 20 pages of A4 at 300 dots per inch, with a strip for
# each row, have 70,000. Each takes the decoder up to 40 microseconds.
SEGMENTS_MAX = 100_000
# Maximum scans of a JPEG within a TIFF. A progressive one has about ten; libtiff's default would
# decode 100 for each tile.
os.environ.setdefault("LIBTIFF_JPEG_MAX_ALLOWED_SCAN_NUMBER", "15")
# Maximum chunks of a PNG, and segments of a JPEG before its pixels: each is parsed in Python. Ten
# megabytes in chunks of a kilobyte have as many; a camera writes twenty segments.
PARTS_MAX = 10_000
# Pillow warns for each broken tag, which could be thousands of log lines for one file.
warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")

_FORMATS: Mapping[MimeType, tuple[str, ...]] = {
    # Phones store several JPEGs in one file (MPO).
    MimeType.JPEG: ("JPEG", "MPO"),
    MimeType.PNG: ("PNG",),
    MimeType.TIFF: ("TIFF",),
}
_PNG_SIGNATURE_BYTES = 8
# Tags that may occur only once: of two, libtiff uses the first and Pillow the last.
_SINGLE_TAGS = (
    IMAGEWIDTH,
    IMAGELENGTH,
    COMPRESSION,
    SAMPLESPERPIXEL,
    ROWSPERSTRIP,
    PLANAR_CONFIGURATION,
    TILEWIDTH,
    TILELENGTH,
    STRIPOFFSETS,
    STRIPBYTECOUNTS,
    TILEOFFSETS,
    TILEBYTECOUNTS,
)
_SEPARATE_PLANES = 2
_UNCOMPRESSED = 1
# Factor by which the stated lengths may exceed the file, as some programs write.
_SHARED_BYTES_MAX = 2
# Size of an entry in the directory of a TIFF page; each begins with its tag.
_TIFF_ENTRY_BYTES = 12
_JPEG_SCAN = b"\xff\xda"
# Beginnings of a scan with its length and number of components, which other data hardly ever have.
_SCAN_HEADS = tuple(_JPEG_SCAN + bytes((0, 6 + 2 * count, count)) for count in range(1, 5))
_JPEG_START_BYTES = 2
# Result for an unknown marker, at which Pillow stops reading.
_NO_HANDLER = ("", "", None)
# A PNG chunk has its length and name before its data, and a checksum after it.
_CHUNK_HEAD_BYTES, _CHUNK_TAIL_BYTES = 8, 4

_TOO_MANY_PIXELS = "has more than 50 megapixels"
_TOO_MANY_FRAMES = "has more than 20 pages, or 200 megapixels in all of them"
_TOO_MANY_SCANS = "has more than 500 scans, or scans more than 2,000 megapixels"
_TOO_MANY_PARTS = "has more than 10,000 chunks or segments"
_TOO_MANY_SEGMENTS = "has more than 100,000 strips or tiles"
_BROKEN = "is not a whole image; was it cut off or changed?"


def check_image(content: bytes, kind: MimeType) -> str | None:
    """Return why an image is rejected, such as "is not a whole image"; None for a valid image."""
    check: Callable[[], str | None]
    if kind is MimeType.HEIC:
        check = lambda: _heic(content)  # noqa: E731  named, it would only be called below
    elif kind is MimeType.PNG and (problem := _png_problem(content)) is not None:
        return problem
    elif kind is MimeType.JPEG and content.count(_JPEG_SCAN) > SCANS_MAX:
        return _TOO_MANY_SCANS
    elif kind is MimeType.JPEG and not _has_few_segments(content):
        return _TOO_MANY_PARTS
    else:
        check = lambda: _by_pillow(content, kind)  # noqa: E731  as above
    try:
        return check()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return _TOO_MANY_PIXELS
    except Exception:  # noqa: BLE001  decoders stumble over hostile bytes in every way there is
        return _BROKEN


def _by_pillow(content: bytes, kind: MimeType) -> str | None:
    frames, pixels, segments = 0, 0, 0
    scans = sum(map(content.count, _SCAN_HEADS))
    with Image.open(io.BytesIO(content), formats=_FORMATS[kind]) as image:
        while True:
            size, count = _decoded_size(image, content)
            frames, pixels, segments = frames + 1, pixels + size, segments + count
            if size > PIXELS_MAX:
                return _TOO_MANY_PIXELS
            if frames > FRAMES_MAX or pixels > ALL_PIXELS_MAX:
                return _TOO_MANY_FRAMES
            if segments > SEGMENTS_MAX:
                return _TOO_MANY_SEGMENTS
            if scans * pixels > SCANNED_PIXELS_MAX:
                return _TOO_MANY_SCANS
            image.load()
            try:
                image.seek(frames)
            except EOFError:
                return None


def _decoded_size(image: Image.Image, content: bytes) -> tuple[int, int]:
    """Return the pixels that the decoder reads, and the number of pieces.

    The pieces of a TIFF are its strips or tiles. A tile at the edge counts with all of its pixels.
    """
    width, height = image.size
    if not isinstance(image, TiffImageFile):
        return width * height, 1
    tags = image.tag_v2
    names = _tiff_tags(content, tags.offset)
    if max(map(names.count, _SINGLE_TAGS)) > 1:
        raise ValueError("a tag that is there twice")
    is_tiled = TILEWIDTH in tags or TILELENGTH in tags
    piece_width = int(tags.get(TILEWIDTH, 1)) if is_tiled else width
    piece_height = int(tags.get(TILELENGTH, 1) if is_tiled else tags.get(ROWSPERSTRIP, height))
    if min(piece_width, piece_height) < 1:
        raise ValueError("pieces without a size")
    columns, rows = -(-width // piece_width), -(-height // piece_height)
    if is_tiled:
        width, height = columns * piece_width, rows * piece_height
    is_separate = tags.get(PLANAR_CONFIGURATION) == _SEPARATE_PLANES
    planes = int(tags.get(SAMPLESPERPIXEL, 1)) if is_separate else 1
    offsets = max(len(tags.get(STRIPOFFSETS, ())), len(tags.get(TILEOFFSETS, ())))
    count = max(columns * rows * planes, offsets)
    if count > 1 and tags.get(COMPRESSION, _UNCOMPRESSED) != _UNCOMPRESSED:
        _check_shared_bytes(tags, len(content))
    return width * height, count


def _check_shared_bytes(tags: ImageFileDirectory_v2, content_bytes: int) -> None:
    """Raise `ValueError` if strips or tiles together have far more bytes than the file.

    Then they share bytes: megabytes that decode to nothing would be read for each of them.
    """
    counts = [tags[name] for name in (STRIPBYTECOUNTS, TILEBYTECOUNTS) if name in tags]
    # Without these counts, the decoder reads to the end of the file for each strip or tile.
    total = max((sum(max(int(each), 0) for each in found) for found in counts), default=None)
    if total is None or total > _SHARED_BYTES_MAX * content_bytes:
        raise ValueError("strips or tiles that share their bytes")


def _tiff_tags(content: bytes, offset: int) -> Sequence[int]:
    """Return the tags of a page of a TIFF, in file order."""
    order = "<" if content.startswith(b"II") else ">"
    (count,) = struct.unpack_from(f"{order}H", content, offset)
    return [
        struct.unpack_from(f"{order}H", content, offset + 2 + number * _TIFF_ENTRY_BYTES)[0]
        for number in range(count)
    ]


def _heic(content: bytes) -> str | None:
    if reason := missing(Extra.HEIC):
        return f"is a HEIC image, which {reason}"
    import pillow_heif  # noqa: PLC0415  of an extra

    # Opening a HEIC copies the metadata of all its images, so items are checked before.
    check_items(content)
    file = pillow_heif.open_heif(content)  # pyright: ignore[reportUnknownMemberType]  untyped
    sizes = [image.size[0] * image.size[1] for image in file]
    if not sizes:
        return _BROKEN
    if sum(sizes) > PIXELS_MAX:
        return _TOO_MANY_PIXELS
    if len(sizes) > FRAMES_MAX:
        return _TOO_MANY_FRAMES
    for image in file:
        image.load()
    return None


def _has_few_segments(content: bytes) -> bool:
    """Return whether few segments, with few bytes between them, precede the pixels of a JPEG."""
    at = _JPEG_START_BYTES
    for _ in range(PARTS_MAX):
        marker = content[at : at + 2]
        if marker in {_JPEG_SCAN, b""}:
            return True
        if marker[:1] != b"\xff" or marker == b"\xff\xff":
            at += 1
        elif MARKER.get(int.from_bytes(marker), _NO_HANDLER)[2] is None:
            at += 2
        else:
            at += 2 + max(int.from_bytes(content[at + 2 : at + 4]), 2)
    return False


def _png_problem(content: bytes) -> str | None:
    """Return why a PNG's chunks are rejected; None if they are complete and nothing follows them.

    Pillow stops where the pixels end. An image with data after its end is usually valid as another
    format too.
    """
    at, count = _PNG_SIGNATURE_BYTES, 0
    while at + _CHUNK_HEAD_BYTES + _CHUNK_TAIL_BYTES <= len(content):
        count += 1
        if count > PARTS_MAX:
            return _TOO_MANY_PARTS
        length = int.from_bytes(content[at : at + 4])
        end = at + _CHUNK_HEAD_BYTES + length
        checksum = int.from_bytes(content[end : end + _CHUNK_TAIL_BYTES])
        if zlib.crc32(content[at + 4 : end]) != checksum:
            return _BROKEN
        is_last = content[at + 4 : at + 8] == b"IEND"
        at = end + _CHUNK_TAIL_BYTES
        if is_last:
            return None if at == len(content) else _BROKEN
    return _BROKEN
