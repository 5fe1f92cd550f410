"""Contrast of the page colours, calculated. Source: WCAG 2.2, 1.4.3 and 1.4.11 (AA)."""

import re

import pytest

from tests.sources import PACKAGE

STYLE = (PACKAGE / "customers" / "users" / "pages" / "style.css").read_text(encoding="utf-8")
# Text and its background: 4.5 to 1.
TEXTS = [
    *(("ink", ground) for ground in ("page", "card", "note", "bad-soft")),
    *(("soft", ground) for ground in ("page", "card", "note")),
    *(("act", ground) for ground in ("card", "note")),
    *(("bad", ground) for ground in ("card", "bad-soft")),
    ("good", "card"),
    ("on-act", "act"),
    ("on-act", "act-down"),
]
# Boundaries of controls: 3 to 1.
EDGES = [("line", "card"), ("focus", "card"), ("focus", "page"), ("act", "rule"), ("bad", "card")]


def _palettes() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", each)) for each in (light, dark)]
    return {"light": found[0], "dark": found[0] | found[1]}


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast, from 1 (the same) to 21 (black on white)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_edges_have_sufficient_contrast(scheme: str) -> None:
    palette = _palettes()[scheme]
    for text, ground in TEXTS:
        assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)
    for edge, ground in EDGES:
        assert contrast(palette[edge], palette[ground]) >= 3, (edge, ground)


def test_every_colour_is_one_of_the_palette() -> None:
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl", rules)


def test_black_and_white_are_as_far_apart_as_can_be() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
