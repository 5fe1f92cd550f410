"""Design tokens of the style sheet, read from it, with the contrast of its colors."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from landbridge.dashboard.assets import asset_text

STYLE: Final = "style.css"
_BLOCK: Final = re.compile(r"(:root[^{]*)\{([^}]*)\}")
_TOKEN: Final = re.compile(r"--([a-z0-9-]+):\s*([^;]+);")
_HEX: Final = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
_HEX_SHORT: Final = 4
# Below it a channel is linear.
_LINEAR_MAX: Final = 0.04045
# WCAG 2.2: of text, and of what is no text, against what is behind it.
TEXT_CONTRAST_MIN: Final = 4.5
SHAPE_CONTRAST_MIN: Final = 3.0
# Which color is shown on which.
TEXT_PAIRS: Final = (
    *((text, behind) for text in ("ink", "soft", "link") for behind in ("page", "card", "row")),
    *((tone, f"{tone}-soft") for tone in ("good", "bad", "now", "busy")),
    *(("bad", "card"), ("now", "card"), ("act", "act-soft"), ("on-sand", "sand")),
    *(("on-act", "act"), ("on-act", "act-down")),
)
SHAPE_PAIRS: Final = (
    *((shape, behind) for shape in ("line", "focus") for behind in ("page", "card")),
    *((f"c{number}", "card") for number in range(1, 7)),
)


@dataclass(frozen=True, slots=True)
class ColorPair:
    """A color in front of another, and their contrast from 1 to 21, in both themes."""

    front: str
    behind: str
    light: tuple[str, str]
    dark: tuple[str, str]
    light_contrast: float
    dark_contrast: float
    minimum: float


@cache
def light_tokens() -> Mapping[str, str]:
    """Return the tokens of the light theme, among them those that no theme changes."""
    return _blocks()[0]


@cache
def dark_tokens() -> Mapping[str, str]:
    """Return the tokens that the dark theme changes."""
    return _blocks()[-1]


def color_pairs() -> Sequence[ColorPair]:
    """Return all pairs in which the pages show colors."""
    return [
        *(_pair(front, behind, TEXT_CONTRAST_MIN) for front, behind in TEXT_PAIRS),
        *(_pair(front, behind, SHAPE_CONTRAST_MIN) for front, behind in SHAPE_PAIRS),
    ]


def tokens_of(prefix: str) -> Sequence[tuple[str, str]]:
    """Return the numbered tokens of a scale, such as `t` for type, smallest first."""
    name = re.compile(rf"{prefix}\d+")
    return [each for each in light_tokens().items() if name.fullmatch(each[0])]


def rem_px(value: str) -> float:
    """Return the pixels of a length in rem, at the default size of text."""
    return float(value.removesuffix("rem")) * 16


def _blocks() -> Sequence[Mapping[str, str]]:
    """Return the tokens of each block: light, dark by the system, dark by choice."""
    return [dict(_TOKEN.findall(body)) for _selector, body in _BLOCK.findall(asset_text(STYLE))]


def _pair(front: str, behind: str, minimum: float) -> ColorPair:
    light = light_tokens()[front], light_tokens()[behind]
    dark = dark_tokens()[front], dark_tokens()[behind]
    return ColorPair(front, behind, light, dark, _contrast(*light), _contrast(*dark), minimum)


def _contrast(front: str, behind: str) -> float:
    """Return the contrast of two colors. Source: WCAG 2.2, contrast ratio."""
    low, high = sorted((_luminance(front), _luminance(behind)))
    return round((high + 0.05) / (low + 0.05), 2)


def _luminance(color: str) -> float:
    """Return the relative luminance of `#rgb` or `#rrggbb`. Source: WCAG 2.2."""
    if not _HEX.fullmatch(color):
        raise ValueError(f"{color} is no color in hexadecimal")
    digits = color[1:] if len(color) > _HEX_SHORT else "".join(each * 2 for each in color[1:])
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        each / 12.92 if each <= _LINEAR_MAX else ((each + 0.055) / 1.055) ** 2.4
        for each in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
