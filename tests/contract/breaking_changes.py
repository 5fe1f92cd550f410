"""Changes of the OpenAPI document that break existing clients.

An interface is a set of facts, one a line, each about a member of a request or of a reply:
- `POST /v2/x takes a.b: string`: it may be sent, with values of this type (`string=usd` for one
  value of an enumeration);
- `POST /v2/x requires a.b`: it must be sent;
- `POST /v2/x answers a.b: string`: values that clients must be able to read;
- `POST /v2/x always answers a.b`: clients may rely on it.
Names of schemas and operations, bounds, formats and new values in replies break nobody.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from tests.contract.openapi_document import Document, choices

Schema = Mapping[str, Any]


def facts(document: Document) -> set[str]:
    """Return the facts of this document."""
    found: set[str] = set()
    for name, operation in document.operations():
        found.add(name)
        for each in operation.get("parameters", ()):
            path = f"{each['in']}.{each['name']}"
            if each.get("required"):
                found.add(f"{name} requires {path}")
            found |= {f"{name} takes {path}: {kind}" for kind in _texts(document, each["schema"])}
        for content in operation.get("requestBody", {}).get("content", {}).values():
            for path, kinds, is_required in _members(document, content["schema"], "body"):
                found |= {f"{name} takes {path}: {kind}" for kind in kinds}
                found |= {f"{name} requires {path}"} if is_required else set()
        for status, response in operation["responses"].items():
            for content in response.get("content", {}).values() if status < "3" else ():
                for path, kinds, is_required in _members(document, content["schema"], status):
                    types = {kind.partition("=")[0] for kind in kinds}
                    found |= {f"{name} answers {path}: {kind}" for kind in types}
                    found |= {f"{name} always answers {path}"} if is_required else set()
    return found


def breaks(old: set[str], new: set[str]) -> list[str]:
    """Return what clients of `old` can't rely on any more, in words, sorted."""
    return sorted({*_lost(old, new), *_added(old, new)})


def _lost(old: set[str], new: set[str]) -> Iterator[str]:
    for fact in old - new:
        operation, _, rest = fact.partition(" takes ")
        path, _, kind = rest.partition(": ")
        if " requires " in fact or (" answers " in fact and " always answers " not in fact):
            continue
        # Any string includes the one that an enumeration had.
        if rest and f"{operation} takes {path}: {kind.partition('=')[0]}" in new:
            continue
        yield f"{fact}: no longer"


def _added(old: set[str], new: set[str]) -> Iterator[str]:
    operations = {fact for fact in old if fact.count(" ") == 1}
    read = {fact.rpartition(": ")[0] for fact in old if " answers " in fact and ": " in fact}
    taken = {fact.rpartition(": ")[0] for fact in old if " takes " in fact}
    for fact in new - old:
        operation = " ".join(fact.split(" ")[:2])
        if operation not in operations:
            continue
        if " answers " in fact and fact.rpartition(": ")[0] in read:
            yield f"{fact}: newly"
        # What a new object requires is asked only of those who send it.
        parent = fact.replace(" requires ", " takes ").rpartition(".")[0].removesuffix("[]")
        is_outermost = "." not in fact.rpartition(" requires ")[2].partition(".")[2]
        if " requires " in fact and (is_outermost or parent in taken):
            yield f"{fact}: newly"


def _members(
    document: Document, schema: Schema, path: str, *, seen: tuple[str, ...] = ()
) -> Iterator[tuple[str, set[str], bool]]:
    """Yield each member below with its types, and whether every alternative requires it."""
    for alternative in _alternatives(document, schema):
        title = str(alternative.get("title", ""))
        if title and title in seen:
            continue
        inside = (*seen, title)
        if "items" in alternative:
            yield from _members(document, alternative["items"], f"{path}[]", seen=inside)
        for name, each in alternative.get("properties", {}).items():
            others = _alternatives(document, schema)
            structs = [other for other in others if "properties" in other]
            required = all(name in other.get("required", ()) for other in structs)
            yield f"{path}.{name}", _kinds(document, each), required
            yield from _members(document, each, f"{path}.{name}", seen=inside)


def _alternatives(document: Document, schema: Schema) -> list[Schema]:
    resolved = document.resolved(dict(schema))
    found = [each for one in choices(resolved) for each in _alternatives(document, one)]
    return found or [resolved]


def _kinds(document: Document, schema: Schema) -> set[str]:
    """Return the types that a value may have; those of an enumeration with each value."""
    found: set[str] = set()
    for each in _alternatives(document, schema):
        values = each.get("enum", [each["const"]] if "const" in each else [])
        types = each.get("type", "string" if values else "any")
        kinds = cast("list[str]", types if isinstance(types, list) else [types])
        for kind in kinds:
            found |= {f"{kind}={value}" for value in values} or {kind}
    return found


def _texts(document: Document, schema: Schema) -> set[str]:
    """Return the same for a parameter: a text, never null."""
    kinds = _kinds(document, schema) - {"null"}
    if "boolean" in kinds:
        kinds = kinds - {"boolean"} | {"string=true", "string=false"}
    return kinds
