"""Style sheet: pages use its tokens alone, and the style guide shows them with enough contrast."""

import re
from collections.abc import Iterator

import pytest

from landbridge.dashboard.assets import asset_text
from landbridge.dashboard.style_guide_pages import (
    STYLE,
    ColorPair,
    color_pairs,
    dark_tokens,
    light_tokens,
)
from tests.dashboard.browsing import visit
from tests.sources import PACKAGE, report
from tests.tenants import Tenant

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_TOKENS = re.compile(r":root[^{]*\{[^}]*\}")
_DECLARATION = re.compile(r"(?<![\w-])([a-z-]+)\s*:\s*([^;{}]+)(?=[;}])")
_COLOR = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|lab)\(", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:white|black|red|green|blue|gr[ae]y|orange|yellow|silver)\b")
_SPACED = re.compile(r"(?:margin|padding)(?:-[a-z-]+)?|(?:row-|column-)?gap")
# What a scale is allowed to be besides its tokens. `em` follows the text that it stands in.
_SPACE = re.compile(
    r"(?:-?0|auto|inherit|-1px|-?[\d.]+em|-?[\d.]+%|[\d.]+vh"
    r"|(?:calc\((?:-1 \* )?)?var\(--(?:s\d+|touch)\)(?: \+ var\(--s\d+\))?\)?)"
)
_TYPE = re.compile(r"var\(--t\d\)|[\d.]+em|inherit")
# In the units of a chart's drawing.
_CHART_TYPE = {"11px", "15px", "23px"}
_RADIUS = re.compile(r"(?:var\(--r\d\)|50%|0)(?: 0)*")
_WEIGHT = re.compile(r"var\(--(?:regular|medium|strong|bold|title)\)|inherit")
_SHADOW = re.compile(
    r"none|var\(--(?:lift|float|overlay)\)|(?:inset )?[-\d. px]*var\(--(?:rule|act|bad|focus)\)"
)
_RULES = {
    "font-size": _TYPE,
    "border-radius": _RADIUS,
    "font-weight": _WEIGHT,
    "box-shadow": _SHADOW,
}


def _declarations() -> Iterator[tuple[str, str]]:
    text = _TOKENS.sub("", _COMMENT.sub("", asset_text(STYLE)))
    # A picture has colors of its own, which its mask does not show.
    text = re.sub(r'url\("[^"]*"\)', "none", text)
    for name, value in _DECLARATION.findall(text):
        yield name, value.strip().removesuffix("!important").strip()


def test_rules_use_the_tokens_of_colors() -> None:
    wrong = [
        f"{name}: {value}"
        for name, value in _declarations()
        if _COLOR.search(value) or (name not in {"font", "font-family"} and _NAMED.search(value))
    ]
    assert not wrong, report("Use the tokens of colors:", wrong)


def test_rules_use_the_tokens_of_sizes() -> None:
    wrong = [
        f"{name}: {value}"
        for name, value in _declarations()
        if (name in _RULES and not _RULES[name].fullmatch(value) and value not in _CHART_TYPE)
        or (_SPACED.fullmatch(name) and not all(map(_SPACE.fullmatch, _parts(value))))
    ]
    assert not wrong, report("Use the tokens of type, space, radius, weight and shadow:", wrong)


def _parts(value: str) -> list[str]:
    """Return the parts of a value; spaces within parentheses separate none."""
    return re.findall(r"[^\s(]*\((?:[^()]|\([^()]*\))*\)|\S+", value)


def test_every_token_is_used_and_every_used_one_exists() -> None:
    text = _COMMENT.sub("", asset_text(STYLE))
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", text))
    assert used == set(light_tokens())


def test_both_dark_blocks_are_alike_and_change_only_known_tokens() -> None:
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", asset_text(STYLE))
    _light, by_system, by_choice = (dict(re.findall(r"--([\w-]+):\s*([^;]+);", b)) for b in blocks)
    assert by_system == by_choice
    assert set(by_choice) <= set(light_tokens())


@pytest.mark.parametrize("pair", color_pairs(), ids=lambda each: f"{each.front}-{each.behind}")
def test_contrast_is_sufficient_in_both_themes(pair: ColorPair) -> None:
    assert pair.light_contrast >= pair.minimum
    assert pair.dark_contrast >= pair.minimum


def test_templates_have_no_styles_of_their_own() -> None:
    wrong = [
        str(path.relative_to(PACKAGE))
        for path in (PACKAGE / "dashboard" / "templates").rglob("*.html")
        if re.search(r"<style|\sstyle=", path.read_text(encoding="utf-8"))
    ]
    assert not wrong


async def test_style_guide_shows_every_token_and_each_component_in_both_themes(
    org: Tenant,
) -> None:
    page = await (await visit(org)).load("/dashboard/styleguide")
    scales = [each for each in light_tokens() if re.fullmatch(r"[tsr]\d+", each)]
    assert all(f"--{each}" in page.text for each in scales)
    samples = {str(each) for each in page.tree.xpath("//@data-sample")}
    components = {each.removeprefix("light-") for each in samples if each.startswith("light-")}
    assert samples == {f"{theme}-{each}" for theme in ("light", "dark") for each in components}
    assert len(dark_tokens()) > 0
