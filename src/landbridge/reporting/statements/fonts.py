"""Fonts of printed statements, chosen so that any name can be printed.

- Latin letters, digits and signs: Bitstream Vera, which reportlab ships and which is embedded.
- Chinese, Japanese and Korean: fonts that PDF readers provide by standard (ISO 32000-1, 9.7.5.2),
  not embedded.
- Greek and Cyrillic, and Latin letters missing in Vera: transliterated as for banks
  (`iso20022.texts`).
- Any other letter: its code point, as in `[U+0627]`. A statement shows the user's id beside the
  name.
"""

import importlib
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from landbridge.providers.iso20022.texts import transliterate

PLAIN, BOLD = "LandbridgeVera", "LandbridgeVeraBold"
_FILES = {PLAIN: "Vera.ttf", BOLD: "VeraBd.ttf"}
_ELSEWHERE = (
    ("STSong-Light", re.compile("[\u3001-\u3011\u4e00-\u9fff\uff01-\uff5e]")),
    ("HeiseiKakuGo-W5", re.compile("[\u3040-\u30ff]")),
    ("HYSMyeongJo-Medium", re.compile("[\uac00-\ud7a3]")),
)
# Replacement that bank files use for a letter or sign without a transliteration.
_UNSUPPORTED = {"?", "."}


def runs(text: str, font: str) -> Iterator[tuple[str, str]]:
    """Split text into runs (font, text); `font` is `PLAIN` or `BOLD`."""
    if text.isascii():
        yield font, text
        return
    letters = [_letter(each, font) for each in unicodedata.normalize("NFC", text)]
    for used, pieces in groupby(letters, key=lambda piece: piece[0]):
        yield used, "".join(piece for _, piece in pieces)


def width(text: str, font: str, size: float) -> float:
    """Return the width of a text in points."""
    metrics = fonts()
    return sum(metrics.stringWidth(piece, used, size) for used, piece in runs(text, font))


def lines(text: str, font: str, size: float, width_max: float) -> list[str]:
    """Wrap text to lines no wider than this, breaking words where necessary."""
    found = [""]
    for each in text:
        if width(found[-1] + each, font, size) > width_max:
            found.append("")
        found[-1] += each
    return found


@cache
def fonts() -> Any:
    """Return reportlab's font module with the fonts registered."""
    # Imported on first use, because it takes 0.2 s and some megabytes, only for printing.
    metrics: Any = importlib.import_module("reportlab.pdfbase.pdfmetrics")
    truetype: Any = importlib.import_module("reportlab.pdfbase.ttfonts")
    asian: Any = importlib.import_module("reportlab.pdfbase.cidfonts")
    folder = Path(importlib.import_module("reportlab").__path__[0]) / "fonts"
    for name, file in _FILES.items():
        metrics.registerFont(truetype.TTFont(name, str(folder / file)))
    for name, _ in _ELSEWHERE:
        metrics.registerFont(asian.UnicodeCIDFont(name))
    return metrics


def _letter(letter: str, font: str) -> tuple[str, str]:
    if ord(letter) in _glyphs(font):
        return font, letter
    for elsewhere, pattern in _ELSEWHERE:
        if pattern.fullmatch(letter):
            return elsewhere, letter
    text = transliterate(letter)
    return font, f"[U+{ord(letter):04X}]" if text in _UNSUPPORTED else text


@cache
def _glyphs(font: str) -> frozenset[int]:
    return frozenset(fonts().getFont(font).face.charToGlyph)
