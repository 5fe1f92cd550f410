"""What a file is: told by its content, never by its name or by what its sender says it is.

Guarantees for whatever comes in: time and memory are bounded (one content of at most
`FILE_BYTES_MAX`, and what `images` says about pixels), and the only error is `FieldInvalid` that
names the part `file`.

A PDF has to begin and to end like one, and is otherwise taken as it is: nothing here or on the
server ever opens it. Scripts and actions are not looked for. They can hide in compressed streams,
so that a search would promise what it can't keep, and honest forms have some. What is done instead
is in `api`: browsers are told to save a file and never to run anything in it.
"""

from collections.abc import Mapping
from typing import NoReturn

from landbridge.core.errors import FieldInvalid
from landbridge.files.model import FILE_BYTES_MAX, FILE_SIZE_MAX, PART, MimeType, suffix_of
from landbridge.web.errors import BodyTooLarge

KINDS = "a pdf, jpeg, png, heic or tif"

# What names and senders call each kind; the first one is ours.
_SUFFIXES: Mapping[MimeType, tuple[str, ...]] = {
    MimeType.PDF: (".pdf",),
    MimeType.JPEG: (".jpeg", ".jpg", ".jpe", ".jfif"),
    MimeType.PNG: (".png",),
    MimeType.HEIC: (".heic", ".heif", ".hif"),
    MimeType.TIFF: (".tif", ".tiff"),
}
_DECLARED: Mapping[MimeType, tuple[str, ...]] = {
    MimeType.PDF: ("application/pdf", "application/x-pdf"),
    MimeType.JPEG: ("image/jpeg", "image/jpg", "image/pjpeg"),
    MimeType.PNG: ("image/png", "image/x-png"),
    MimeType.HEIC: ("image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"),
    MimeType.TIFF: ("image/tiff", "image/tif", "image/x-tiff"),
}
# A sender who says this, or nothing, does not know.
_UNKNOWN = {"", "application/octet-stream", "binary/octet-stream"}

_JPEG = b"\xff\xd8\xff"
_PNG = b"\x89PNG\r\n\x1a\n"
_TIFF = (b"II*\x00", b"MM\x00*")
_PDF = b"%PDF-"
_PDF_END = b"%%EOF"
# Where readers look for the end of a PDF.
_PDF_END_BYTES = 1024
# The brands of pictures that are HEVC inside; AVIF has the same box with others.
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}
_HEIF_BRANDS = {b"mif1", b"msf1"}
_BOX_BYTES_MAX = 256


def inspect(content: bytes, *, name: str, declared: str | None) -> MimeType:
    """What `content` is; `declared` is the content type that its sender gave, if any.

    Takes a while for an image: call it in a thread. Raises `FieldInvalid`.
    """
    if not content:
        _refuse("is empty")
    if len(content) > FILE_BYTES_MAX:
        raise too_large()
    found = _kind(content)
    if found is None:
        _refuse(f"must be {KINDS}, whatever its name")
    _check_told(found, name=name, declared=declared)
    if found is MimeType.PDF:
        if _PDF_END not in content[-_PDF_END_BYTES:]:
            _refuse("is a pdf without an end; was it cut off?")
    else:
        # Only where images come in: the libraries take their time to load.
        from landbridge.files.images import check_image  # noqa: PLC0415

        if why := check_image(content, found):
            _refuse(why)
    return found


def too_large() -> BodyTooLarge:
    """What a file beyond `FILE_BYTES_MAX` is refused with."""
    return BodyTooLarge(f"{PART} may have at most {FILE_SIZE_MAX}", field=PART)


def _kind(content: bytes) -> MimeType | None:
    if content.startswith(_PDF):
        return MimeType.PDF
    if content.startswith(_JPEG):
        return MimeType.JPEG
    if content.startswith(_PNG):
        return MimeType.PNG
    if content.startswith(_TIFF):
        return MimeType.TIFF
    return MimeType.HEIC if _is_heic(content) else None


def _is_heic(content: bytes) -> bool:
    """Whether it begins with a box `ftyp` of HEIC: size, `ftyp`, brand, version, more brands."""
    if content[4:8] != b"ftyp":
        return False
    size = min(int.from_bytes(content[:4]), _BOX_BYTES_MAX)
    brand = content[8:12]
    more = {content[at : at + 4] for at in range(16, size - 3, 4)}
    return brand in _HEIC_BRANDS or (brand in _HEIF_BRANDS and bool(more & _HEIC_BRANDS))


def _check_told(found: MimeType, *, name: str, declared: str | None) -> None:
    """Refuse a name or a content type that contradicts the content."""
    what = _SUFFIXES[found][0].removeprefix(".")
    suffix = suffix_of(name).lower()
    if suffix and suffix not in _SUFFIXES[found]:
        _refuse(f"is a {what} by its content, but not by its name")
    told = (declared or "").partition(";")[0].strip().lower()
    if told not in _UNKNOWN and told not in _DECLARED[found]:
        _refuse(f"is a {what} by its content, but not by its content type")


def _refuse(why: str) -> NoReturn:
    raise FieldInvalid(f"{PART} {why}", field=PART)
