import time
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.files.heic_items import check_items
from landbridge.platform.files.inspection import inspect
from landbridge.platform.files.model import FILE_BYTES_MAX, MimeType, clean_name, file_uuid
from tests.long import examples
from tests.platform.files.heic_grids import derived, full_box, grid_heic
from tests.platform.files.sample_files import (
    GOOD,
    HTML,
    PDF,
    SVG,
    chunk,
    encoded,
    png,
    progressive,
    repeated_heic,
    striped_tiff,
    tiled_tiff,
)


def refusal(content: bytes, name: str = "a.png", declared: str | None = None) -> str:
    with pytest.raises(FieldInvalid) as refused:
        inspect(content, name=name, declared=declared)
    assert refused.value.field == "file"
    return refused.value.message


@pytest.mark.parametrize("name", GOOD)
def test_every_type_is_recognised_by_its_content(name: str) -> None:
    kinds = {
        "pdf": MimeType.PDF,
        "jpg": MimeType.JPEG,
        "jpeg": MimeType.JPEG,
        "png": MimeType.PNG,
        "heic": MimeType.HEIC,
        "tif": MimeType.TIFF,
        "tiff": MimeType.TIFF,
    }
    kind = kinds[name.rpartition(".")[2].lower()]
    for each in (name, "without a suffix", "of 12.03.2026"):
        assert inspect(GOOD[name], name=each, declared=None) is kind
    for declared in (kind, "application/octet-stream", f"{kind}; charset=binary", ""):
        assert inspect(GOOD[name], name=name, declared=declared) is kind


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("lie", ["a.gif", "a.html", "a.svg", "a.exe", "a.pdf", "a.png", "a.heic"])
def test_name_that_contradicts_the_content_is_refused(name: str, lie: str) -> None:
    if lie.rpartition(".")[2] != name.rpartition(".")[2]:
        assert "but not by its name" in refusal(GOOD[name], lie)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("lie", ["text/html", "image/svg+xml", "image/gif", "nonsense"])
def test_content_type_that_contradicts_the_content_is_refused(name: str, lie: str) -> None:
    assert "but not by its content type" in refusal(GOOD[name], name, lie)


@pytest.mark.parametrize(
    "content",
    [HTML, SVG, b"PK\x03\x04", b"GIF89a", b"RIFF....WEBP", b"\0", b"MZ", b" " + PDF, b"BM", b"%PD"],
)
def test_other_content_is_refused_under_any_name(content: bytes) -> None:
    for name in ("a.png", "a.pdf", "a"):
        assert "must be a pdf, jpeg, png, heic or tif" in refusal(content, name, "image/png")


def test_avif_is_not_heic() -> None:
    box = b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1avifmiaf"
    assert "must be a pdf" in refusal(box, "a.heic")


def test_an_empty_file_is_refused() -> None:
    assert refusal(b"") == "file is empty"


def test_largest_file_is_accepted_and_one_byte_more_is_not() -> None:
    filled = PDF[:9] + b"%" * (FILE_BYTES_MAX - len(PDF)) + PDF[9:]
    assert inspect(filled, name="a.pdf", declared=None) is MimeType.PDF
    assert refusal(filled + b"\n", "a.pdf") == "file may have at most 10 MB"


@pytest.mark.parametrize("name", [each for each in GOOD if each != "scan.pdf"])
@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_truncated_image_is_refused(name: str, part: float) -> None:
    content = GOOD[name]
    assert refusal(content[: int(len(content) * part)], name)


def test_truncated_pdf_is_refused() -> None:
    assert "without an end" in refusal(PDF[:-8], "a.pdf")
    assert "without an end" in refusal(PDF + HTML * 100, "a.pdf")


@pytest.mark.parametrize("name", ["photo.png", "photo.tif", "photo.heic", "photo.jpg"])
def test_signature_alone_is_no_image(name: str) -> None:
    assert refusal(GOOD[name][:16], name)


def test_small_png_that_declares_a_huge_size_is_refused_undecoded() -> None:
    for width, height in ((100_000, 100_000), (1, 2**31 - 1), (7100, 7100)):
        bomb = png(width=width, height=height, rows=1)
        tracemalloc.start()
        assert "has more than 50 megapixels" in refusal(bomb)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1_000_000


def test_png_compressed_a_thousandfold_is_refused() -> None:
    bomb = png(width=20_000, height=20_000)
    assert len(bomb) < 100_000
    assert "has more than 50 megapixels" in refusal(bomb)


def test_png_with_more_pixels_than_declared_stops_decoding() -> None:
    bomb = png(width=1000, height=1000, rows=200_000)
    tracemalloc.start()
    inspect(bomb, name="a.png", declared=None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


def test_fifty_megapixels_are_accepted() -> None:
    assert inspect(png(width=10_000, height=5_000), name="a.png", declared=None)


def test_jpeg_with_many_scans_is_refused_undecoded() -> None:
    few = progressive(10, width=800, height=800)
    assert inspect(few, name="a.jpg", declared=None) is MimeType.JPEG
    began = time.thread_time()
    # Each scan takes milliseconds to decode; ten megabytes of them take minutes.
    bomb = progressive(1_000, width=7_000, height=7_000)
    assert len(bomb) < 200_000
    assert "has more than 500 scans" in refusal(bomb, "a.jpg")
    # As many as a video behind a photo has, of a large image: they would take seconds.
    slow = progressive(160, width=7_000, height=7_000)
    assert "scans more than 2,000 megapixels" in refusal(slow, "a.jpg")
    # A sequential one repeats its only scan.
    sequential = slow.replace(b"\xff\xc2", b"\xff\xc0", 1)
    assert "scans more than 2,000 megapixels" in refusal(sequential, "a.jpg")
    assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    "part",
    [
        b"\xff\xe1\x00\x02",  # empty segments of any kind
        b"\xff\xfe\x00\x02",
        b"\xff\xd0",  # a marker without a length
        b"\xff",  # padding
        b"\x00",  # what is no marker
    ],
)
def test_jpeg_of_empty_segments_is_refused_unread(part: bytes) -> None:
    """Each segment takes Pillow a microsecond in Python, which holds up all other threads."""
    image = GOOD["photo.jpg"]
    start, rest = image[:2] + b"\xff\xfe\x00\x02", image[2:]
    few = start + part * 5_000 + rest
    assert inspect(few, name="a.jpg", declared=None) is MimeType.JPEG
    bomb = start + part * (4_000_000 // len(part)) + rest
    began = time.thread_time()
    assert "has more than 10,000 chunks or segments" in refusal(bomb, "a.jpg")
    assert time.thread_time() - began < 0.3


@pytest.mark.parametrize("name", [b"IDAT", b"tEXt", b"abCd"])
def test_png_of_empty_chunks_is_refused_unread(name: bytes) -> None:
    image, end = png(width=8, height=8), chunk(b"IEND", b"")
    few = image.removesuffix(end) + chunk(name, b"") * 5_000 + end
    assert inspect(few, name="a.png", declared=None) is MimeType.PNG
    bomb = image.removesuffix(end) + chunk(name, b"") * 400_000 + end
    began = time.thread_time()
    assert "has more than 10,000 chunks or segments" in refusal(bomb)
    assert time.thread_time() - began < 0.3


def test_png_with_data_after_its_end_is_refused() -> None:
    assert "is not a whole image" in refusal(png(width=8, height=8, after=HTML))


def test_a_png_with_a_wrong_checksum_is_refused() -> None:
    content = bytearray(GOOD["photo.png"])
    content[len(content) // 2] ^= 1
    assert "is not a whole image" in refusal(bytes(content))


def test_items_of_a_heic_are_no_longer_than_the_file() -> None:
    assert inspect(repeated_heic(0), name="a.heic", declared=None) is MimeType.HEIC
    assert "not a whole image" in refusal(repeated_heic(20), "a.heic")


@pytest.mark.parametrize("version", [0, 1, 2])
def test_items_of_a_heic_name_no_pieces_without_bytes(version: int) -> None:
    """Four kilobytes would name ten million pieces; a megabyte, more than a day can count."""
    id_, method = bytes(4 if version == 2 else 2), bytes(2 if version else 0)
    items = (id_ + method + bytes(2) + b"\xff\xff") * 300
    count = (300).to_bytes(len(id_))
    content = heic_of(heic_box(b"iloc", bytes([version, 0, 0, 0, 0, 0]) + count + items))
    began = time.thread_time()
    with pytest.raises(ValueError, match="pieces that have no fields"):
        check_items(content)
    assert time.thread_time() - began < 1
    assert "not a whole image" in refusal(content, "a.heic")


def test_tiles_of_a_heic_have_a_bound() -> None:
    small = grid_heic(tile=256, rows=3, columns=4, size=(1_000, 700))
    assert inspect(small, name="a.heic", declared=None) is MimeType.HEIC
    # A kilobyte, of which 268 megapixels would be decoded.
    large = grid_heic(tile=1_024, rows=16, columns=16, size=(1_024, 1_024))
    assert len(large) < 2_000
    assert "not a whole image" in refusal(large, "a.heic")


@pytest.mark.parametrize("made_of", [{1: [2], 2: [1]}, {1: [2], 2: [3], 3: [4], 4: [5], 5: [6]}])
def test_images_made_of_images_end(made_of: dict[int, list[int]]) -> None:
    references = b"".join(derived(item, others) for item, others in made_of.items())
    with pytest.raises(ValueError, match="made of too many others"):
        check_items(heic_of(LOCATIONS[0], full_box(b"iref", references)))


def heic_box(kind: bytes, content: bytes) -> bytes:
    return (len(content) + 8).to_bytes(4) + kind + content


def heic_of(*boxes: bytes) -> bytes:
    """Return the beginning of a HEIC with these boxes of metadata, and a megabyte of zeros."""
    meta = heic_box(b"meta", bytes(4) + b"".join(boxes))
    return heic_box(b"ftyp", b"heic" + bytes(4)) + meta + heic_box(b"mdat", bytes(1_000_000))


# One item of 900,000 bytes, with the id 1, in the versions of its box.
ITEM = b"\x04\0\0\x01\0\x01\0\0\0\x01" + (900_000).to_bytes(4)
LONG_ITEM = b"\x02\0\0\0\x04\0\0\0\0\x01\0\0\0\x01\0\0\0\0\0\x01" + (900_000).to_bytes(4)
LOCATIONS = (heic_box(b"iloc", bytes(4) + ITEM), heic_box(b"iloc", LONG_ITEM))


def described(count: int, version: int) -> bytes:
    """Return the reference of an item to so many images."""
    size = 4 if version else 2
    ids = (1).to_bytes(size) + count.to_bytes(2) + bytes(size * count)
    return heic_box(b"iref", bytes([version, 0, 0, 0]) + heic_box(b"cdsc", ids))


@pytest.mark.parametrize("version", [0, 1])
def test_metadata_of_a_heic_are_not_copied_for_hundreds_of_images(version: int) -> None:
    check_items(heic_of(LOCATIONS[version], described(200, version)))
    content = heic_of(LOCATIONS[version], described(300, version))
    with pytest.raises(ValueError, match="too many images"):
        check_items(content)
    assert "not a whole image" in refusal(content, "a.heic")


@pytest.mark.parametrize(
    "boxes",
    [
        (),
        (LOCATIONS[0], LOCATIONS[0]),
        (heic_box(b"iloc", b""),),
        (heic_box(b"iloc", b"\x03" + bytes(20)),),
        (heic_box(b"iloc", bytes(4) + ITEM[:-1]),),
        (LOCATIONS[0][:-1],),
        (b"\0\0\0\x07iloc",),
    ],
)
def test_unreadable_items_are_refused(boxes: tuple[bytes, ...]) -> None:
    content = heic_of(*boxes)
    with pytest.raises(ValueError, match=r"box|values|unknown"):
        check_items(content)
    assert "not a whole image" in refusal(content, "a.heic")


def test_pixels_of_tiles_count() -> None:
    assert inspect(tiled_tiff(64), name="a.tif", declared=None) is MimeType.TIFF
    assert "50 megapixels" in refusal(tiled_tiff(7_088), "a.tif")
    assert "not a whole image" in refusal(tiled_tiff(7_088, doubled=True), "a.tif")


def test_strips_of_a_tiff_have_a_bound() -> None:
    fine = striped_tiff(b"0", 20_000, compression=1, rows=1)
    assert inspect(fine, name="a.tif", declared=None) is MimeType.TIFF
    began = time.thread_time()
    # Each strip takes some microseconds, and ten megabytes have a million.
    bomb = striped_tiff(b"0", 400_000, compression=1, rows=1)
    assert "has more than 100,000 strips or tiles" in refusal(bomb, "a.tif")
    assert time.thread_time() - began < 5


def test_strips_of_a_tiff_do_not_share_their_bytes() -> None:
    # A hundred thousand empty blocks before one pixel: a millisecond for each strip.
    slow = b"\x78\x9c" + b"\x00\x00\x00\xff\xff" * 100_000 + zlib.compress(b"0")[2:]
    few = striped_tiff(slow, 3, compression=8, rows=1)
    assert inspect(few, name="a.tif", declared=None) is MimeType.TIFF
    began = time.thread_time()
    bomb = striped_tiff(slow, 50_000, compression=8, rows=1, is_shared=True)
    assert "not a whole image" in refusal(bomb, "a.tif")
    assert time.thread_time() - began < 5


def test_jpegs_in_a_tiff_have_few_scans() -> None:
    few = striped_tiff(progressive(12, width=1, height=8), 100, compression=7, rows=8)
    assert inspect(few, name="a.tif", declared=None) is MimeType.TIFF
    many = striped_tiff(progressive(20, width=1, height=8), 100, compression=7, rows=8)
    assert "not a whole image" in refusal(many, "a.tif")


def test_tiff_has_at_most_twenty_pages() -> None:
    content = encoded("TIFF", (8, 8), pages=20)
    assert inspect(content, name="a.tif", declared=None) is MimeType.TIFF
    assert "more than 20 pages" in refusal(encoded("TIFF", (8, 8), pages=21), "a.tif")


@pytest.mark.long
def test_images_in_a_heic_have_fifty_megapixels_together() -> None:
    bomb = encoded("HEIF", (3000, 3000), pages=6)
    assert len(bomb) < FILE_BYTES_MAX
    assert "has more than 50 megapixels" in refusal(bomb, "a.heic")
    assert inspect(encoded("HEIF", (64, 48), pages=6), name="a.heic", declared=None)
    assert "more than 20 pages" in refusal(encoded("HEIF", (64, 48), pages=21), "a.heic")


CHANGES = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=1)))


@settings(max_examples=examples(150, 50), deadline=None)
@given(st.sampled_from(sorted(GOOD)), CHANGES)
def test_changed_bytes_are_accepted_or_refused_without_an_error(
    name: str, changes: list[tuple[float, bytes]]
) -> None:
    content = bytearray(GOOD[name])
    for part, byte in changes:
        at = int(part * len(content))
        content[at : at + 1] = byte
    with suppress(FieldInvalid):
        inspect(bytes(content), name="a", declared=None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scan.pdf", "scan.pdf"),
        ("../../etc/passwd", "passwd"),
        (r"C:\Users\Ada\scan.pdf", "scan.pdf"),
        ("a\r\nSet-Cookie: b.pdf", "aSet-Cookie: b.pdf"),
        ("\u202efdp.exe\u0000.png", "fdp.exe.png"),
        ("Äда.pdf", "Äда.pdf"),
        ("x" * 500 + ".pdf", "x" * 196 + ".pdf"),
    ],
)
def test_name_keeps_its_last_component_and_printable_characters(text: str, expected: str) -> None:
    assert clean_name(text) == expected


@pytest.mark.parametrize("text", ["", "/", "a/", "..", "\n", "  "])
def test_file_needs_a_name(text: str) -> None:
    with pytest.raises(FieldInvalid, match="file must have a name"):
        clean_name(text)


@pytest.mark.parametrize("text", ["", "file_", "file_" + "G" * 32, "file_" + "a" * 31, "a" * 32])
def test_malformed_id_is_none(text: str) -> None:
    assert file_uuid(text) is None
