"""TypeScript: types of all objects, and a class for each resource."""

from collections.abc import Iterator

from sdk.emitter.document import ApiDocument, ApiOperation, Kind, Member, Type

_HEADER = "// Written by `make sdk` from openapi.json; do not edit.\n"
_PLAIN = {
    Kind.TEXT: "string",
    Kind.MOMENT: "string",
    Kind.DECIMAL_TEXT: "string",
    Kind.DECIMAL_NUMBER: "number",
    Kind.INTEGER: "number",
    Kind.NUMBER: "number",
    Kind.BOOLEAN: "boolean",
    Kind.ANY: "unknown",
    Kind.NULL: "null",
}


def types(document: ApiDocument) -> str:
    """Return the module of types."""
    used = [
        *(each.reply for each in document.operations if each.reply is not None),
        *(each.body for each in document.operations if each.body is not None),
        *document.events.values(),
    ]
    lines = [_HEADER]
    for struct in document.reachable(iter(used)):
        lines += [*_comment(struct.description, ""), f"export interface {struct.name} {{"]
        lines += [line for each in struct.members for line in _member(each)]
        lines += ["  [name: string]: unknown;"] if struct.is_open else []
        lines += ["}", ""]
    lines.append("/** Every event, by its type. */")
    lines.append("export interface Events {")
    lines += [f'  "{type_}": {_type(each)};' for type_, each in document.events.items()]
    names = " | ".join(f'"{each}"' for each in document.error_names)
    lines += ["}", "", f"export type ErrorName = {names} | (string & {{}});"]
    return "\n".join(lines) + "\n"


def resources(document: ApiDocument) -> str:
    """Return the module of resources."""
    names = sorted({each.resource for each in document.operations})
    lines = [
        _HEADER,
        'import { type Options, pages, pathOf, type Sender, type WithOptional } from "../core.js";',
        'import type * as types from "./types.js";',
        "",
    ]
    for name in names:
        lines.append(f"export class {_class(name)} {{")
        lines.append("  constructor(private readonly sender: Sender) {}")
        for each in document.methods:
            if each.resource == name:
                lines += ["", *_method(each)]
                if each.items is not None:
                    lines += ["", *_iteration(each, document.item_of(each))]
        lines += ["}", ""]
    lines += ["/** All resources of the interface. */", "export class Resources {"]
    lines += [f"  readonly {each}: {_class(each)};" for each in names]
    lines += ["", "  constructor(sender: Sender) {"]
    lines += [f"    this.{each} = new {_class(each)}(sender);" for each in names]
    lines += ["  }", "}"]
    return "\n".join(lines) + "\n"


def _class(resource: str) -> str:
    return resource[0].upper() + resource[1:]


def _type(type_: Type, prefix: str = "") -> str:
    match type_.kind:
        case Kind.STRUCT:
            return f"{prefix}{type_.name}"
        case Kind.CHOICE:
            return " | ".join(f'"{each}"' for each in type_.values)
        case Kind.LIST:
            return f"Array<{_type(type_.of[0], prefix)}>"
        case Kind.MAP:
            return f"Record<string, {_type(type_.of[0], prefix)}>"
        case Kind.UNION:
            return " | ".join(dict.fromkeys(_type(each, prefix) for each in type_.of))
        case kind:
            return _PLAIN[kind]


def _member(member: Member) -> Iterator[str]:
    yield from _comment(member.description, "  ")
    mark = "" if member.is_required else "?"
    yield f"  {_quoted(member.name)}{mark}: {_type(member.type)};"


def _quoted(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _comment(text: str, indent: str) -> Iterator[str]:
    if text:
        lines = text.replace("*/", "* /").strip().split("\n")
        if len(lines) == 1:
            yield f"{indent}/** {lines[0]} */"
            return
        yield f"{indent}/**"
        yield from (f"{indent} * {line}".rstrip() for line in lines)
        yield f"{indent} */"


def _argument(name: str) -> str:
    """Return the name of a parameter: `Landbridge-Sandbox` is `sandbox`."""
    bare = name.removeprefix("Landbridge-").replace("-", "")
    return bare[0].lower() + bare[1:]


def _method(operation: ApiOperation) -> Iterator[str]:
    reply = "Uint8Array" if operation.reply is None else _type(operation.reply, "types.")
    yield from _comment(f"{operation.summary}.\n\n{operation.description}", "  ")
    arguments = ", ".join([*_positional(operation), _options(operation)])
    yield f"  {operation.verb}({arguments}): Promise<{reply}> {{"
    send = "download" if operation.reply is None else "send"
    yield f"    return this.sender.{send}("
    yield "      {"
    yield f'        method: "{operation.method}",'
    names = "".join(f", {each}" for each in operation.path_names)
    yield f'        path: pathOf("{operation.path}"{names}),'
    if operation.body is not None:
        yield "        body,"
    if operation.is_upload:
        yield "        upload: { name: fileName, content },"
    for label, members in (("query", operation.queries), ("headers", operation.headers)):
        if members:
            pairs = ", ".join(f'"{each.name}": options.{_argument(each.name)}' for each in members)
            yield f"        {label}: {{ {pairs} }},"
    if operation.id_member is not None:
        yield f'        idMember: "{operation.id_member}",'
    yield "      },"
    yield "      options,"
    yield "    );"
    yield "  }"


def _positional(operation: ApiOperation) -> Iterator[str]:
    for each in operation.path_names:
        yield f"{each}: string"
    if operation.is_upload:
        yield from ("fileName: string", "content: Uint8Array<ArrayBuffer>")
    if operation.body is not None:
        whole = _type(operation.body, "types.")
        if operation.id_member is not None:
            whole = f'WithOptional<{whole}, "{operation.id_member}">'
        yield f"body: {whole}" if operation.is_body_required else f"body: {whole} = null"


def _options(operation: ApiOperation, *, without: str = "") -> str:
    members = [each for each in (*operation.queries, *operation.headers) if each.name != without]
    fields = " ".join(
        f"{_argument(each.name)}{'' if each.is_required else '?'}: {_type(each.type)};"
        for each in members
    )
    whole = f"Options & {{ {fields} }}" if members else "Options"
    is_required = any(each.is_required for each in members)
    return f"options: {whole}" if is_required else f"options: {whole} = {{}}"


def _iteration(operation: ApiOperation, item: Type) -> Iterator[str]:
    """Yield a method that goes through all pages."""
    arguments = [f"{each}: string" for each in operation.path_names]
    arguments.append(_options(operation, without="cursor"))
    yield from _comment(f"{operation.summary}, page by page.", "  ")
    generator = f"AsyncGenerator<{_type(item, 'types.')}>"
    yield f"  {operation.verb}All({', '.join(arguments)}): {generator} {{"
    names = "".join(f"{each}, " for each in operation.path_names)
    yield "    return pages("
    yield f"      (cursor) => this.{operation.verb}({names}{{ ...options, cursor }}),"
    yield f"      (page) => page.{operation.items},"
    yield "    );"
    yield "  }"
