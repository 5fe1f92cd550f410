"""Validation of images: decoded completely, within bounds.

The pixel count is read from the header before anything is decoded, and decoders enforce it. Pages
of a TIFF are decoded one at a time, so their memory does not add up. Their tiles are decoded
completely, also where they reach beyond the page, so all pixels of the tiles count. Those of a HEIC
stay in memory, and together may have as many pixels as a single image. Cost at the bounds: about
600 MB (measured with a HEIC of 49 megapixels and transparency; others take less) and some seconds
of a thread.
"""

import io
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence

import pillow_heif
from PIL import Image
from PIL.TiffImagePlugin import TILELENGTH, TILEWIDTH, TiffImageFile

from landbridge.platform.files.heic_items import check_items
from landbridge.platform.files.model import MimeType

# A full page at 600 dots per inch has 35 megapixels, a phone's photo up to 50.
PIXELS_MAX = 50_000_000
# Limits for a scan with many pages: their number, and their pixels together; for a HEIC that is
# PIXELS_MAX.
FRAMES_MAX = 20
ALL_PIXELS_MAX = 200_000_000
# A progressive JPEG of a camera has about ten scans. Each takes the decoder up to 4 ms, in 76
# bytes. Ten megabytes of other data, such as a video behind a photo, look like 160.
SCANS_MAX = 500

_FORMATS: Mapping[MimeType, tuple[str, ...]] = {
    # Telephones put several JPEGs into one (MPO).
    MimeType.JPEG: ("JPEG", "MPO"),
    MimeType.PNG: ("PNG",),
    MimeType.TIFF: ("TIFF",),
}
_PNG_SIGNATURE_BYTES = 8
# A page of a TIFF is a number of entries, each of which begins with its tag.
_TIFF_ENTRY_BYTES = 12
_JPEG_SCAN = b"\xff\xda"
# Length and name before a chunk of PNG, checksum after it.
_CHUNK_HEAD_BYTES, _CHUNK_TAIL_BYTES = 8, 4

_TOO_MANY_PIXELS = "has more than 50 megapixels"
_TOO_MANY_FRAMES = "has more than 20 pages, or 200 megapixels in all of them"
_TOO_MANY_SCANS = "has more than 500 scans"
_BROKEN = "is not a whole image; was it cut off or changed?"


def check_image(content: bytes, kind: MimeType) -> str | None:
    """Return why it is rejected, as in "is not a whole image"; None for a valid image."""
    check: Callable[[], str | None]
    if kind is MimeType.HEIC:
        check = lambda: _heic(content)  # noqa: E731  named, it would only be called below
    elif kind is MimeType.PNG and not _is_whole_png(content):
        return _BROKEN
    elif kind is MimeType.JPEG and content.count(_JPEG_SCAN) > SCANS_MAX:
        return _TOO_MANY_SCANS
    else:
        check = lambda: _by_pillow(content, kind)  # noqa: E731  as above
    try:
        return check()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return _TOO_MANY_PIXELS
    except Exception:  # noqa: BLE001  decoders stumble over hostile bytes in every way there is
        return _BROKEN


def _by_pillow(content: bytes, kind: MimeType) -> str | None:
    frames, pixels = 0, 0
    with Image.open(io.BytesIO(content), formats=_FORMATS[kind]) as image:
        while True:
            size = _decoded_pixels(image, content)
            frames, pixels = frames + 1, pixels + size
            if size > PIXELS_MAX:
                return _TOO_MANY_PIXELS
            if frames > FRAMES_MAX or pixels > ALL_PIXELS_MAX:
                return _TOO_MANY_FRAMES
            image.load()
            try:
                image.seek(frames)
            except EOFError:
                return None


def _decoded_pixels(image: Image.Image, content: bytes) -> int:
    """Return the pixels that the decoder reads: those of the page, or of all tiles of a TIFF."""
    width, height = image.size
    if isinstance(image, TiffImageFile):
        tags = image.tag_v2
        names = _tiff_tags(content, tags.offset)
        tile_width, tile_height = int(tags.get(TILEWIDTH, 1)), int(tags.get(TILELENGTH, 1))
        # Of a tag that is there twice the decoder takes the first one, Pillow the last one.
        if max(map(names.count, (TILEWIDTH, TILELENGTH))) > 1 or min(tile_width, tile_height) < 1:
            raise ValueError("its tiles have no single size")
        # Rounded up to whole tiles.
        width += -width % tile_width
        height += -height % tile_height
    return width * height


def _tiff_tags(content: bytes, offset: int) -> Sequence[int]:
    """Return the tags of a page of a TIFF, in file order."""
    order = "<" if content.startswith(b"II") else ">"
    (count,) = struct.unpack_from(f"{order}H", content, offset)
    return [
        struct.unpack_from(f"{order}H", content, offset + 2 + number * _TIFF_ENTRY_BYTES)[0]
        for number in range(count)
    ]


def _heic(content: bytes) -> str | None:
    # Metadata of all images are copied when the file is opened.
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


def _is_whole_png(content: bytes) -> bool:
    """Return whether the chunks are complete and nothing follows the last one.

    Pillow stops where the pixels end. An image with data after its end is usually some other format
    as well.
    """
    at = _PNG_SIGNATURE_BYTES
    while at + _CHUNK_HEAD_BYTES + _CHUNK_TAIL_BYTES <= len(content):
        length = int.from_bytes(content[at : at + 4])
        end = at + _CHUNK_HEAD_BYTES + length
        checksum = int.from_bytes(content[end : end + _CHUNK_TAIL_BYTES])
        if zlib.crc32(content[at + 4 : end]) != checksum:
            return False
        is_last = content[at + 4 : at + 8] == b"IEND"
        at = end + _CHUNK_TAIL_BYTES
        if is_last:
            return at == len(content)
    return False
