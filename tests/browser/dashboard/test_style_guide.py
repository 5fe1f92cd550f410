"""The style guide in a browser: how each sample is styled, and that its pictures are stable.

Fonts differ by machine, so pictures of one machine are no measure for another. The styles that the
browser computed are kept in `style_guide.json` and compared on every machine; pictures are compared
with those of the same run. `WRITE_STYLES=1` writes the file again.
"""

import json
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.browser.dashboard.conftest import PHONE, WIDE
from tests.browser.dashboard.people import OpenDashboard

KEPT = Path(__file__).with_name("style_guide.json")
# Share of bytes that may differ between two pictures of the same sample: an antialiased edge.
_TOLERANCE = 0.001
# Styles that no font decides, of each kind of element in each sample.
_STYLES = """() => Object.fromEntries([...document.querySelectorAll('[data-sample]')]
  .map(sample => {
    const names = ['color', 'backgroundColor', 'fontSize', 'fontWeight', 'paddingTop',
        'paddingLeft', 'marginTop', 'marginBottom', 'borderTopColor', 'borderTopWidth',
        'borderTopLeftRadius', 'boxShadow', 'display', 'gap', 'minHeight', 'fill', 'stroke'];
    const found = {};
    for (const each of sample.querySelectorAll('*')) {
        const kind = `${each.localName}${each.getAttribute('class')
            ? `.${each.getAttribute('class').trim().split(/\\s+/).join('.')}` : ''}`;
        const style = getComputedStyle(each);
        found[kind] ??= names.map(name => style[name]).join(' | ');
    }
    return [sample.dataset.sample, found];
}))"""


_STATE = """all => all.map(each => {
    const style = getComputedStyle(each);
    return ['color', 'backgroundColor', 'borderTopColor', 'outlineStyle', 'outlineColor',
        'textDecorationColor'].map(name => style[name]).join(' | ');
})"""


async def _samples(page: Page) -> Mapping[str, bytes]:
    await page.goto("/dashboard/styleguide")
    await page.evaluate("document.activeElement?.blur()")
    return {
        str(await each.get_attribute("data-sample")): await each.screenshot()
        for each in await page.locator("[data-sample]").all()
    }


async def test_samples_are_styled_as_they_were(open_dashboard: OpenDashboard) -> None:
    found: dict[str, Any] = {}
    for name, viewport in (("wide", WIDE), ("phone", PHONE)):
        async with open_dashboard(viewport=viewport) as page:
            await page.goto("/dashboard/styleguide")
            found[name] = await page.evaluate(_STYLES)
    if os.environ.get("WRITE_STYLES"):
        KEPT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    changed = [
        f"{width} {sample} {element}: {kept.get(width, {}).get(sample, {}).get(element)} -> {style}"
        for width, samples in found.items()
        for sample, elements in samples.items()
        for element, style in elements.items()
        if kept.get(width, {}).get(sample, {}).get(element) != style
    ]
    assert not changed, "WRITE_STYLES=1, and look at the difference:\n" + "\n".join(changed[:20])
    assert kept == found


async def test_states_are_shown_as_they_are(open_dashboard: OpenDashboard) -> None:
    """What has the pointer or the focus looks as the sample of that state."""
    async with open_dashboard() as page:
        await page.goto("/dashboard/styleguide")
        samples = page.locator("[data-sample=light-states]")
        for state in ("hover", "focus"):
            shown = samples.locator(f".{state}:is(button, a)")
            styles = await shown.evaluate_all(_STATE)
            # The class that finds them is taken away.
            found = await shown.element_handles()
            for index, (one, style) in enumerate(zip(found, styles, strict=True)):
                await one.evaluate("(each, state) => each.classList.remove(state)", state)
                plain = await one.evaluate(f"each => ({_STATE})([each])[0]")
                if state == "hover":
                    await one.hover()
                else:
                    await page.keyboard.press("Shift")  # the focus shows for the keyboard
                    await one.focus()
                assert await one.evaluate(f"each => ({_STATE})([each])[0]") == style
                # Plain buttons are links without a background, and change nothing at the pointer.
                if "plain" not in str(await one.get_attribute("class")):
                    assert plain != style, f"{state} {index} changes nothing"
                await one.evaluate("(each, state) => each.classList.add(state)", state)
        off = samples.locator("button:disabled")
        looks = await off.evaluate_all(
            "all => all.map(each => `${getComputedStyle(each).opacity} "
            "${getComputedStyle(each).cursor}`)"
        )
        assert looks == ["0.6 not-allowed"] * 3 + ["0.6 progress"] * 2


@pytest.mark.parametrize("viewport", [WIDE, PHONE])
async def test_samples_look_alike_in_each_theme_of_the_page(
    open_dashboard: OpenDashboard, viewport: dict[str, int]
) -> None:
    """A sample has its own theme, so that of the page, and of the system, changes nothing."""
    pictures: list[Mapping[str, bytes]] = []
    for scheme in ("light", "dark"):
        async with open_dashboard(viewport=viewport, scheme=scheme) as page:
            await page.clock.set_fixed_time("2026-01-31T12:00:00Z")
            pictures.append(await _samples(page))
    light, dark = pictures
    assert light.keys() == dark.keys()
    wrong = {
        name: round(share, 4)
        for name in light
        # The times of these samples run.
        if not name.endswith(("-attention", "-facts", "-lists", "-charts"))
        and (share := _difference(light[name], dark[name])) > _TOLERANCE
    }
    assert not wrong, f"shares of what differs: {wrong}"


def _difference(one: bytes, other: bytes) -> float:
    """Return the share of filtered bytes in which two PNG files of one size differ."""
    (size, pixels), (other_size, other_pixels) = _decoded(one), _decoded(other)
    if size != other_size:
        return 1.0
    different = sum(a != b for a, b in zip(pixels, other_pixels, strict=True))
    return different / len(pixels)


def _decoded(png: bytes) -> tuple[tuple[int, int], bytes]:
    """Return the size and the uncompressed, still filtered rows of a PNG file."""
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    width, height = struct.unpack(">II", png[16:24])
    return (width, height), zlib.decompress(data)
