"""Python: structs of replies and dictionaries of requests."""

import keyword
import re
import textwrap
from collections.abc import Iterator

from sdk.emitter.document import ApiDocument, Kind, Member, Type

HEADER = '"""{title}\n\nWritten by `make sdk` from openapi.json; do not edit.\n"""\n'
_WIDTH = 96
_REPLY = {
    Kind.TEXT: "str",
    Kind.MOMENT: "datetime",
    Kind.DECIMAL_TEXT: "Decimal",
    Kind.DECIMAL_NUMBER: "Decimal",
    Kind.INTEGER: "int",
    Kind.NUMBER: "float",
    Kind.BOOLEAN: "bool",
    Kind.ANY: "Any",
    Kind.NULL: "None",
    # A newer server may have more choices.
    Kind.CHOICE: "str",
}
_REQUEST = _REPLY | {
    Kind.MOMENT: "str | datetime",
    Kind.DECIMAL_TEXT: "str | Decimal",
    Kind.DECIMAL_NUMBER: "int | float | Decimal",
}


def snake(name: str) -> str:
    """Return a Python name: `amountInUsd` is `amount_in_usd`, `return` is `return_`."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    text = re.sub(r"\W", "_", text)
    return f"{text}_" if keyword.iskeyword(text) else text


def reply_type(type_: Type, prefix: str = "") -> str:
    """Return the annotation of a value that the server sends."""
    match type_.kind:
        case Kind.STRUCT if type_.is_open:
            return "dict[str, Any]"
        case Kind.STRUCT:
            return f"{prefix}{type_.name}"
        case Kind.LIST:
            return f"list[{reply_type(type_.of[0], prefix)}]"
        case Kind.MAP:
            return f"dict[str, {reply_type(type_.of[0], prefix)}]"
        case Kind.UNION:
            found = type_.alternatives
            # Several structs can't be told apart without a rule of their own.
            inner = [
                _unread(each) if len(found) > 1 else reply_type(each, prefix) for each in found
            ]
            whole = " | ".join(dict.fromkeys(inner))
            return f"{whole} | None" if type_.is_nullable and whole != "Any" else whole
        case kind:
            return _REPLY[kind]


def _unread(type_: Type) -> str:
    """Return the annotation of one of several alternatives, whose structs stay dictionaries."""
    match type_.kind:
        case Kind.STRUCT:
            return "dict[str, Any]"
        case Kind.LIST:
            return f"list[{_unread(type_.of[0])}]"
        case _:
            return reply_type(type_)


def request_type(type_: Type, prefix: str = "") -> str:
    """Return the annotation of a value that the client sends."""
    match type_.kind:
        case Kind.STRUCT:
            return f"{prefix}{type_.name}"
        case Kind.CHOICE:
            return f"Literal[{', '.join(repr(each) for each in type_.values)}]"
        case Kind.LIST:
            return f"Sequence[{request_type(type_.of[0], prefix)}]"
        case Kind.MAP:
            return f"Mapping[str, {request_type(type_.of[0], prefix)}]"
        case Kind.UNION:
            parts = " | ".join(request_type(each, prefix) for each in type_.of).split(" | ")
            return " | ".join(dict.fromkeys(parts))
        case kind:
            return _REQUEST[kind]


def replies(document: ApiDocument) -> str:
    """Return the module of structs that the server sends."""
    sent = [
        *(each.reply for each in document.operations if each.reply is not None),
        *document.events.values(),
    ]
    # What a struct does not name would be lost: an open one stays a dictionary.
    structs = [each for each in document.reachable(iter(sent)) if not each.is_open]
    lines = [
        HEADER.format(title="Replies of the server, and payloads of its webhooks."),
        "from __future__ import annotations\n",
        "from datetime import datetime  # noqa: TC003  msgspec reads annotations",
        "from decimal import Decimal  # noqa: TC003",
        "from typing import Any\n",
        "from msgspec import Struct, field\n",
    ]
    for struct in structs:
        lines += ["", f"class {struct.name}(Struct, frozen=True, kw_only=True):"]
        lines += _docstring(struct.description or struct.name)
        lines += [""] if struct.members else []
        lines += [_reply_member(each) for each in struct.members]
        lines.append("")
    types = ", ".join(f'"{type_}": {each.name}' for type_, each in document.events.items())
    lines += ["", f"EVENTS: dict[str, type[Any]] = {{{types}}}"]
    return "\n".join(lines) + "\n"


def requests(document: ApiDocument) -> str:
    """Return the module of dictionaries that the client sends."""
    structs = document.reachable(each.body for each in document.operations if each.body is not None)
    ids = {
        each.name: operation.id_member
        for operation in document.operations
        if operation.body is not None
        for each in operation.body.alternatives
    }
    lines = [
        HEADER.format(title="Bodies of requests, with the names of the interface."),
        "from __future__ import annotations\n",
        "from collections.abc import Mapping, Sequence",
        "from datetime import datetime",
        "from decimal import Decimal",
        "from typing import Any, Literal\n",
        "from typing_extensions import NotRequired, TypedDict\n",
    ]
    for struct in structs:
        lines += ["", f"class {struct.name}(TypedDict):"]
        lines += _docstring(struct.description or struct.name)
        lines += [""] if struct.members else []
        lines += [_request_member(each, ids.get(struct.name)) for each in struct.members]
        lines.append("")
    return "\n".join(lines) + "\n"


def _reply_member(member: Member) -> str:
    name, annotation = snake(member.name), reply_type(member.type)
    options = [] if name == member.name else [f'name="{member.name}"']
    if not member.is_required:
        options.insert(0, "default=None")
        if not annotation.endswith("None") and annotation != "Any":
            annotation += " | None"
    default = f" = field({', '.join(options)})" if options else ""
    if options == ["default=None"]:
        default = " = None"
    return f"    {name}: {annotation}{default}"


def _request_member(member: Member, id_member: str | None) -> str:
    annotation = request_type(member.type)
    # The client makes an id of its own where none is given.
    is_required = member.is_required and member.name != id_member
    return f"    {member.name}: {annotation if is_required else f'NotRequired[{annotation}]'}"


def _docstring(text: str) -> list[str]:
    return list(docstring(text, "    "))


def docstring(text: str, indent: str) -> Iterator[str]:
    """Yield the lines of a docstring."""
    safe = text.replace("\\", "\\\\").replace('"""', "'''")
    paragraphs = [
        textwrap.wrap(paragraph, _WIDTH - len(indent)) for paragraph in safe.strip().split("\n\n")
    ]
    lines = [line for paragraph in paragraphs for line in (*paragraph, "")][:-1]
    if len(lines) == 1 and len(lines[0]) < _WIDTH - len(indent) - 6:
        yield f'{indent}"""{lines[0]}"""'
        return
    yield f'{indent}"""{lines[0]}'
    yield from (f"{indent}{line}" if line else "" for line in lines[1:])
    yield f'{indent}"""'
