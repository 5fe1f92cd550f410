"""Python: a class for each resource, for the synchronous and the asynchronous client."""

from collections.abc import Iterator
from dataclasses import dataclass

from sdk.emitter.document import ApiDocument, ApiOperation, Member, Type
from sdk.emitter.python_types import HEADER, docstring, reply_type, request_type, snake

_OPTIONS = "timeout: float | None = None"


@dataclass(frozen=True, slots=True)
class _Flavour:
    """Words that differ between the two clients."""

    prefix: str
    define: str
    wait: str
    iterator: str


_SYNC = _Flavour("", "def", "", "Iterator")
_ASYNC = _Flavour("Async", "async def", "await ", "AsyncIterator")


def resources(document: ApiDocument, *, is_async: bool) -> str:
    """Return the module of resources of one client."""
    flavour = _ASYNC if is_async else _SYNC
    names = sorted({each.resource for each in document.operations})
    lines = [
        HEADER.format(
            title=f"Resources of the {'asynchronous' if is_async else 'synchronous'} client."
        ),
        "from __future__ import annotations\n",
        f"from collections.abc import {flavour.iterator}, Sequence",
        "from datetime import datetime",
        "from decimal import Decimal",
        "from typing import Any, Literal\n",
        "import landbridge_sdk.replies as replies",
        "import landbridge_sdk.requests as requests",
        f"from landbridge_sdk._calls import Call, {flavour.prefix}Sender, path_of\n",
    ]
    for name in names:
        found = [each for each in document.methods if each.resource == name]
        lines += ["", *_resource(document, name, found, flavour)]
    lines += ["", f"class {flavour.prefix}Resources:"]
    lines += ['    """All resources of the interface."""', ""]
    lines.append(f"    def __init__(self, sender: {flavour.prefix}Sender) -> None:")
    lines += [f"        self.{snake(each)} = {_class(each, flavour)}(sender)" for each in names]
    return "\n".join(lines) + "\n"


def _class(resource: str, flavour: _Flavour) -> str:
    return f"{flavour.prefix}{resource[0].upper()}{resource[1:]}"


def _resource(
    document: ApiDocument, name: str, operations: list[ApiOperation], flavour: _Flavour
) -> Iterator[str]:
    yield f"class {_class(name, flavour)}:"
    yield f'    """Operations of `{snake(name)}`."""'
    yield ""
    yield f"    def __init__(self, sender: {flavour.prefix}Sender) -> None:"
    yield "        self._sender = sender"
    for each in operations:
        yield ""
        yield from _method(each, flavour)
        if each.items is not None:
            yield ""
            yield from _iteration(each, document.item_of(each), flavour)
    yield ""


def _method(operation: ApiOperation, flavour: _Flavour) -> Iterator[str]:
    reply = _reply(operation)
    arguments = ", ".join(["self", *_positional(operation), "*", *_named(operation), _OPTIONS])
    yield f"    {flavour.define} {snake(operation.verb)}({arguments}) -> {reply}:"
    yield from docstring(f"{operation.summary}.\n\n{operation.description}", " " * 8)
    yield "        call = Call("
    yield f'            "{operation.method}",'
    names = "".join(f", {snake(each)}" for each in operation.path_names)
    yield f'            path_of("{operation.path}"{names}),'
    if operation.body is not None:
        yield "            body=body,"
    if operation.is_upload:
        yield "            upload=(file_name, content),"
    yield from _mapping("query", operation.queries)
    yield from _mapping("headers", operation.headers)
    if operation.id_member is not None:
        yield f'            id_member="{operation.id_member}",'
    yield "            timeout=timeout,"
    yield "        )"
    if operation.reply is None:
        yield f"        return {flavour.wait}self._sender.download(call)"
    else:
        yield f"        return {flavour.wait}self._sender.send(call, {reply})"


def _mapping(name: str, members: tuple[Member, ...]) -> Iterator[str]:
    if members:
        pairs = ", ".join(f'"{each.name}": {_argument(each)}' for each in members)
        yield f"            {name}={{{pairs}}},"


def _argument(member: Member) -> str:
    """Return the name of an argument: `Landbridge-Sandbox` is `sandbox`."""
    return snake(member.name.removeprefix("Landbridge-"))


def _positional(operation: ApiOperation) -> Iterator[str]:
    for each in operation.path_names:
        yield f"{snake(each)}: str"
    if operation.is_upload:
        yield from ("file_name: str", "content: bytes")
    if operation.body is not None:
        annotation = request_type(operation.body, "requests.")
        yield f"body: {annotation}" + ("" if operation.is_body_required else " = None")


def _named(operation: ApiOperation) -> Iterator[str]:
    for each in (*operation.queries, *operation.headers):
        annotation = request_type(each.type)
        yield f"{_argument(each)}: " + (
            annotation if each.is_required else f"{annotation} | None = None"
        )


def _reply(operation: ApiOperation) -> str:
    return "bytes" if operation.reply is None else reply_type(operation.reply, "replies.")


def _iteration(operation: ApiOperation, item: Type, flavour: _Flavour) -> Iterator[str]:
    """Yield a method that goes through all pages."""
    assert operation.items is not None
    filters = [each for each in operation.queries if each.name != "cursor"]
    verb = snake(operation.verb)
    name = f"{verb}_all"
    paths = [f"{snake(each)}: str" for each in operation.path_names]
    named = [each for each in _named(operation) if not each.startswith("cursor:")]
    arguments = ", ".join(["self", *paths, "*", *named, _OPTIONS])
    iterator = f"{flavour.iterator}[{reply_type(item, 'replies.')}]"
    yield f"    {flavour.define} {name}({arguments}) -> {iterator}:"
    yield from docstring(f"{operation.summary}, page by page.", " " * 8)
    yield "        cursor: str | None = None"
    yield "        while True:"
    passed = ", ".join(
        [
            *(snake(each) for each in operation.path_names),
            *(f"{snake(each.name)}={snake(each.name)}" for each in filters),
            "cursor=cursor",
            "timeout=timeout",
        ]
    )
    yield f"            page = {flavour.wait}self.{verb}({passed})"
    yield f"            for each in page.{snake(operation.items)}:"
    yield "                yield each"
    # The end of the log of events has a cursor too, for those that come later.
    yield "            if page.next_cursor in {None, cursor}:"
    yield "                return"
    yield "            cursor = page.next_cursor"
