"""Unusual input: no query and no form field causes a server error."""

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.dashboard.world import build, in_process_client
from tests.tenants import Tenant

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("unlimited_pages")]

UNUSUAL = (
    "",
    "9" * 5000,
    "//[x <script>%00",
    "a\x00b",
    "1e9999999",
    "\N{SLIGHTLY SMILING FACE}" + "x" * 5000,
)
# Actions that would remove what later forms need.
_ENDING = ("sign-out", "revoke", "end", "end-others", "delete", "freeze", "erase", "remove")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_SERVER_ERROR, _LONGEST_S = 500, 5.0

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FilledForm:
    """Form as its page shows it, submitted with one of its buttons."""

    method: str
    path: str
    pairs: Pairs

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """Return the key shared by forms of the same shape."""
        return (
            self.method,
            _ID.sub("ID", self.path),
            tuple(_ID.sub("ID", name) for name, _ in self.pairs),
        )


async def test_unusual_input_never_causes_a_server_error(org: Tenant) -> None:
    world = await build(in_process_client(org))
    visitor = await visit(org)
    forms: dict[tuple[Any, ...], FilledForm] = {}
    for path in world.pages().values():
        for form in _forms(await visitor.load(path), path):
            forms.setdefault((form.key, _pressed_button(form)), form)
    wrong: list[str] = []
    for form in forms.values():
        for label, pairs in _variants(form):
            # Measure the CPU time of this thread only, as other tests run too. The database has its
            # own statement timeout, which ends in a server error.
            started = time.thread_time()
            status = await _send(visitor, form, pairs)
            took = time.thread_time() - started
            if status >= _SERVER_ERROR or took > _LONGEST_S:
                wrong.append(f"{form.method} {form.path}: {label}: {status} after {took:.1f} s")
    assert not wrong, "\n".join(wrong)


def _variants(form: FilledForm) -> Iterator[tuple[str, Pairs]]:
    """Yield unusual values for all fields at once, then for one field at a time."""
    names = list(dict.fromkeys(name for name, _ in form.pairs))
    for unusual in UNUSUAL:
        yield f"all {unusual[:20]!r}", [(name, unusual) for name in names]
    for name in names:
        unusual = UNUSUAL[zlib.crc32(f"{form.path} {name}".encode()) % len(UNUSUAL)]
        yield (
            f"{name} {unusual[:20]!r}",
            [(each, unusual if each == name else value) for each, value in form.pairs],
        )


async def _send(visitor: Visitor, form: FilledForm, pairs: Pairs) -> int:
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    if form.method == "post":
        return (await visitor.send(form.path, fields)).status
    return (await visitor.open(f"{form.path}?{urlencode(fields, doseq=True)}")).status


def _forms(page: DashboardPage, path: str) -> Iterator[FilledForm]:
    for form in page.tree.xpath("//form"):
        method = (form.get("method") or "get").lower()
        pairs = [
            pair
            for each in form.xpath(".//input|.//select|.//textarea")
            for pair in _field_values(each)
        ]
        buttons = form.xpath(".//button")
        for button in buttons or [None]:
            attributes = {} if button is None else dict(button.attrib)
            action = (attributes.get("formaction") or form.get("action") or path).split("?")[0]
            button_pair = (
                [(attributes["name"], attributes.get("value", ""))] if "name" in attributes else []
            )
            if (pairs or button_pair) and action.rsplit("/", 1)[-1] not in _ENDING:
                yield FilledForm(method, action, [*pairs, *button_pair])


def _pressed_button(form: FilledForm) -> tuple[str, str]:
    """Return the pressed button, which is the last pair; it selects the form's action."""
    name, value = form.pairs[-1]
    return (name, value) if name in {"step", "do", "vote", "decision"} else ("", "")


def _field_values(field: Any) -> Iterator[tuple[str, str]]:
    """Yield the pairs that a field sends unchanged."""
    name, kind = field.get("name"), field.get("type")
    if not name or name == "csrf" or kind == "file":
        return
    if field.tag == "select":
        chosen = field.xpath(".//option[@selected]") or field.xpath(".//option")
        yield name, next((each.get("value", each.text or "") for each in chosen), "")
    elif kind not in {"checkbox", "radio"} or field.get("checked") is not None:
        yield name, field.text or "" if field.tag == "textarea" else field.get("value", "")
