"""Unknown names in a request: members of its body and parameters of its query that are not read.

The contract says that they are ignored. A mistyped name would then go unnoticed, so the response
reports it in the header `Landbridge-Warning`; an installation may refuse such requests instead
(`LANDBRIDGE_UNKNOWN_NAMES`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final, cast

import msgspec
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter
from msgspec import inspect

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.telemetry import add_headers

WARNING: Final = "Landbridge-Warning"
REFUSE: Final = "refuse"
# Key of the application's state: a function that returns `refuse` or `report`.
POLICY: Final = "landbridge.unknown_names"
_PREFIX = "/v2/"
_NAMED_MAX = 10
_LENGTH_MAX = 60
_UNPRINTABLE = re.compile(r"[^A-Za-z0-9_.\[\]-]")

AnyConnection = ASGIConnection[Any, Any, Any, Any]


def handle_unknown(
    connection: AnyConnection, kind: str, names: Iterable[str], known: Iterable[str]
) -> None:
    """Report unknown names in a header, or refuse them; `kind` is `member` or `parameter`."""
    found = [_sentence(kind, name, known) for name in islice(names, _NAMED_MAX)]
    if not found:
        return
    if connection.app.state[POLICY]() == REFUSE:
        raise FieldInvalid(f"there is no {found[0]}")
    add_headers(connection.scope, [(WARNING.lower().encode(), ", ".join(found).encode())])


def check_query_names(connection: AnyConnection) -> None:
    """Handle unknown parameters of a query; for routes of the API only."""
    if not connection.scope["query_string"] or not connection.scope["path"].startswith(_PREFIX):
        return
    known = query_names(connection.route_handler)
    # The parameters are sorted, because the framework returns repeated ones in any order.
    given = {name for name, _ in connection.query_params.multi_items()}
    handle_unknown(connection, "parameter", sorted(given - known), known)


def check_body_names(connection: AnyConnection, body: type[Any], tree: Any) -> None:
    """Handle unknown members of a decoded body."""
    unknown = list(unknown_members(body, tree))
    if unknown:
        handle_unknown(connection, "member", unknown, known_members(body))


@cache
def query_names(handler: BaseRouteHandler) -> frozenset[str]:
    """Return the query parameters that a handler or its dependencies read."""
    dependencies = handler.resolve_dependencies()
    found: set[str] = set()
    fields = list(handler.parsed_fn_signature.parameters.items())
    while fields:
        name, field = fields.pop()
        if name in dependencies:
            fields += dependencies[name].parsed_fn_signature.parameters.items()
        elif isinstance(field.kwarg_definition, QueryParameter):
            found.add(field.kwarg_definition.name or name)
    return frozenset(found)


def unknown_members(body: type[Any], tree: Any) -> Iterator[str]:
    """Yield paths of members that the type of a body does not have, such as `source.curency`."""
    return _unknown(_info(body), tree, "")


@cache
def known_members(body: type[Any]) -> frozenset[str]:
    """Return the names of all members at any depth of a type."""
    found: set[str] = set()
    pending, visited = [_info(body)], set[int]()
    while pending:
        info = pending.pop()
        if id(info) in visited:
            continue
        visited.add(id(info))
        match info:
            case inspect.StructType():
                found.update(each.encode_name for each in info.fields)
                pending += [each.type for each in info.fields]
            case inspect.UnionType():
                pending += info.types
            case inspect.Metadata():
                pending.append(info.type)
            case inspect.ListType() | inspect.VarTupleType():
                pending.append(info.item_type)
            case _:
                pass
    return frozenset(found)


@cache
def _info(body: Any) -> inspect.Type:
    return inspect.type_info(body)


@cache
def _members(struct: type[msgspec.Struct]) -> Mapping[str, inspect.Type | None]:
    info = cast("inspect.StructType", _info(struct))
    tag = {} if info.tag_field is None else {info.tag_field: None}
    return {**{each.encode_name: each.type for each in info.fields}, **tag}


def _unknown(info: inspect.Type, tree: Any, path: str) -> Iterator[str]:
    match info:
        case inspect.Metadata():
            yield from _unknown(info.type, tree, path)
        case inspect.UnionType():
            chosen = _chosen(info, tree)
            if chosen is not None:
                yield from _unknown(chosen, tree, path)
        case inspect.StructType() if isinstance(tree, dict):
            members = _members(info.cls)
            for name, value in cast("dict[str, Any]", tree).items():
                under = f"{path}.{name}" if path else name
                if name not in members:
                    yield under
                elif (member := members[name]) is not None and isinstance(value, dict | list):
                    yield from _unknown(member, value, under)
        case inspect.ListType() | inspect.VarTupleType() if isinstance(tree, list):
            for index, each in enumerate(cast("list[Any]", tree)):
                yield from _unknown(info.item_type, each, f"{path}[{index}]")
        case _:
            pass


def _chosen(union: inspect.UnionType, tree: Any) -> inspect.Type | None:
    """Return the type of a union that a value belongs to; None if it accepts any members."""
    plain = [each.type if isinstance(each, inspect.Metadata) else each for each in union.types]
    if isinstance(tree, list):
        lists = inspect.ListType | inspect.VarTupleType
        return next((each for each in plain if isinstance(each, lists)), None)
    structs = [each for each in plain if isinstance(each, inspect.StructType)]
    if len(structs) == 1:
        return structs[0]
    members = cast("dict[str, Any]", tree) if isinstance(tree, dict) else {}
    return next((each for each in structs if members.get(each.tag_field or "") == each.tag), None)


def _sentence(kind: str, name: str, known: Iterable[str]) -> str:
    """Return `member source.curency`, with the right spelling if only case or hyphens differ."""
    last = name.rpartition(".")[2]
    near = sorted(each for each in known if _plain(each) == _plain(last))
    hint = f" (write {near[0]})" if near and near[0] != last else ""
    return f"{kind} {_UNPRINTABLE.sub('?', name[:_LENGTH_MAX])}{hint}"


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
