"""Odd input: whatever a page is asked and whatever its forms send, nobody meets a fault."""

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.dashboard.browsing import Opened, Visit, visit
from tests.dashboard.world import build, inside
from tests.tenants import Tenant

ODD = (
    "",
    "9" * 5000,
    "//[x <script>%00",
    "a\x00b",
    "1e9999999",
    "\N{SLIGHTLY SMILING FACE}" + "x" * 5000,
)
# What would take away what the next form is about.
_ENDING = ("sign-out", "revoke", "end", "end-others", "delete", "freeze", "erase", "remove")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_FAULT, _LONGEST_S = 500, 5.0

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A form as its page has it, sent by one of its buttons."""

    method: str
    path: str
    pairs: Pairs

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """What forms that are alike have in common."""
        return (
            self.method,
            _ID.sub("ID", self.path),
            tuple(_ID.sub("ID", name) for name, _ in self.pairs),
        )


async def test_odd_input_is_never_a_fault(org: Tenant) -> None:
    world = await build(inside(org))
    somebody = await visit(org)
    forms: dict[tuple[Any, ...], Asked] = {}
    for path in world.pages().values():
        for form in _forms(await somebody.see(path), path):
            forms.setdefault((form.key, _by(form)), form)
    wrong: list[str] = []
    for form in forms.values():
        for said, pairs in _odd(form):
            # What this thread worked, not what it waited for: others work here, too. The
            # database has a bound of its own, beyond which it answers a fault.
            begun = time.thread_time()
            status = await _send(somebody, form, pairs)
            took = time.thread_time() - begun
            if status >= _FAULT or took > _LONGEST_S:
                wrong.append(f"{form.method} {form.path}: {said}: {status} after {took:.1f} s")
    assert not wrong, "\n".join(wrong)


def _odd(form: Asked) -> Iterator[tuple[str, Pairs]]:
    """All fields odd at once, then one after another, each with a value of its own."""
    names = list(dict.fromkeys(name for name, _ in form.pairs))
    for odd in ODD:
        yield f"all {odd[:20]!r}", [(name, odd) for name in names]
    for name in names:
        odd = ODD[zlib.crc32(f"{form.path} {name}".encode()) % len(ODD)]
        yield (
            f"{name} {odd[:20]!r}",
            [(each, odd if each == name else value) for each, value in form.pairs],
        )


async def _send(somebody: Visit, form: Asked, pairs: Pairs) -> int:
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    if form.method == "post":
        return (await somebody.send(form.path, fields)).status
    return (await somebody.open(f"{form.path}?{urlencode(fields, doseq=True)}")).status


def _forms(page: Opened, path: str) -> Iterator[Asked]:
    for form in page.tree.xpath("//form"):
        method = (form.get("method") or "get").lower()
        pairs = [
            pair for each in form.xpath(".//input|.//select|.//textarea") for pair in _of(each)
        ]
        buttons = form.xpath(".//button")
        for button in buttons or [None]:
            told = {} if button is None else dict(button.attrib)
            action = (told.get("formaction") or form.get("action") or path).split("?")[0]
            pressed = [(told["name"], told.get("value", ""))] if "name" in told else []
            if (pairs or pressed) and action.rsplit("/", 1)[-1] not in _ENDING:
                yield Asked(method, action, [*pairs, *pressed])


def _by(form: Asked) -> tuple[str, str]:
    """The button, which is told last: the same form does other things by another one."""
    name, value = form.pairs[-1]
    return (name, value) if name in {"step", "do", "vote", "decision"} else ("", "")


def _of(field: Any) -> Iterator[tuple[str, str]]:
    """What a field sends as it stands on the page."""
    name, kind = field.get("name"), field.get("type")
    if not name or name == "csrf" or kind == "file":
        return
    if field.tag == "select":
        chosen = field.xpath(".//option[@selected]") or field.xpath(".//option")
        yield name, next((each.get("value", each.text or "") for each in chosen), "")
    elif kind not in {"checkbox", "radio"} or field.get("checked") is not None:
        yield name, field.text or "" if field.tag == "textarea" else field.get("value", "")
