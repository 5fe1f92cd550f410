"""Detection of file types: by content, never by name or declared content type.

Guarantees for any input: time and memory are bounded (one content of at most `FILE_BYTES_MAX`, and
the pixel limits of `images`), and the only error is `FieldInvalid` that names the part `file`.

A PDF must begin and end like one, and is otherwise accepted: the server never opens it. Scripts and
actions are not searched for. They can hide in compressed streams, so the search would not be
reliable, and legitimate forms contain some. Instead, `api` makes browsers save a file and never run
anything in it.
"""

from collections.abc import Mapping
from typing import NoReturn

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.files.model import FILE_BYTES_MAX, FILE_SIZE_MAX, PART, MimeType, suffix_of
from landbridge.platform.http.error_responses import BodyTooLarge

KINDS = "a pdf, jpeg, png, heic or tif"

# File extensions and content types of each kind; the first of each is the one that we use.
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
# Declared content types that carry no information.
_UNINFORMATIVE = {"", "application/octet-stream", "binary/octet-stream"}

_JPEG = b"\xff\xd8\xff"
_PNG = b"\x89PNG\r\n\x1a\n"
_TIFF = (b"II*\x00", b"MM\x00*")
_PDF = b"%PDF-"
_PDF_END = b"%%EOF"
# Bytes at the end of a PDF within which readers search for its end marker.
_PDF_END_BYTES = 1024
# Brands of HEVC images; AVIF has the same box with other brands.
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}
_HEIF_BRANDS = {b"mif1", b"msf1"}
_BOX_BYTES_MAX = 256


def inspect(content: bytes, *, name: str, declared: str | None) -> MimeType:
    """Return the file type of `content`; `declared` is the client's content type, if any.

    Checking an image takes long: call this in a thread. Raises `FieldInvalid`.
    """
    if not content:
        _refuse("is empty")
    if len(content) > FILE_BYTES_MAX:
        raise too_large()
    found = kind_of(content)
    if found is None:
        _refuse(f"must be {KINDS}, whatever its name")
    _check_declared_type(found, name=name, declared=declared)
    if found is MimeType.PDF:
        if _PDF_END not in content[-_PDF_END_BYTES:]:
            _refuse("is a pdf without an end; was it cut off?")
    else:
        # Imported only when an image arrives: the libraries load slowly.
        from landbridge.platform.files.images import check_image  # noqa: PLC0415

        if reason := check_image(content, found):
            _refuse(reason)
    return found


def too_large() -> BodyTooLarge:
    """Return the error for a file beyond `FILE_BYTES_MAX`."""
    return BodyTooLarge(f"{PART} may have at most {FILE_SIZE_MAX}", field=PART)


def kind_of(content: bytes) -> MimeType | None:
    """Return the type of files that begin like `content`; the rest is not checked.

    None if no type does.
    """
    if content.startswith(_PDF):
        return MimeType.PDF
    if content.startswith(_JPEG):
        return MimeType.JPEG
    if content.startswith(_PNG):
        return MimeType.PNG
    if content.startswith(_TIFF):
        return MimeType.TIFF
    return MimeType.HEIC if _is_heic(content) else None


def suffix_of_kind(kind: MimeType) -> str:
    """Return the usual file extension of a type, such as `.png`."""
    return _SUFFIXES[kind][0]


def _is_heic(content: bytes) -> bool:
    """Return whether it begins with HEIC's `ftyp` box: size, `ftyp`, brand, version, brands."""
    if content[4:8] != b"ftyp":
        return False
    size = min(int.from_bytes(content[:4]), _BOX_BYTES_MAX)
    brand = content[8:12]
    brands = {content[at : at + 4] for at in range(16, size - 3, 4)}
    return brand in _HEIC_BRANDS or (brand in _HEIF_BRANDS and bool(brands & _HEIC_BRANDS))


def _check_declared_type(found: MimeType, *, name: str, declared: str | None) -> None:
    """Refuse a name or a content type that contradicts the content."""
    type_name = _SUFFIXES[found][0].removeprefix(".")
    suffix = suffix_of(name).lower()
    if suffix and suffix not in _SUFFIXES[found]:
        _refuse(f"is a {type_name} by its content, but not by its name")
    declared_type = (declared or "").partition(";")[0].strip().lower()
    if declared_type not in _UNINFORMATIVE and declared_type not in _DECLARED[found]:
        _refuse(f"is a {type_name} by its content, but not by its content type")


def _refuse(reason: str) -> NoReturn:
    raise FieldInvalid(f"{PART} {reason}", field=PART)
