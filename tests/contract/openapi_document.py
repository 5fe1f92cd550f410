"""Queries on the OpenAPI document."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    """OpenAPI document with the queries that these tests need."""

    whole: dict[str, Any]

    def operations(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return each operation as `GET /path` with its description."""
        for path, item in self.whole["paths"].items():
            for method, operation in item.items():
                yield f"{method.upper()} {path}", operation

    def operation(self, name: str) -> dict[str, Any]:
        return dict(self.operations())[name]

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a reference."""
        while "$ref" in schema:
            schema = self.whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def members(self, schema: dict[str, Any], under: str = "") -> Iterator[str]:
        """Return every member as `source.amount`, required ones with a star."""
        schema = self.resolved(schema)
        for each in choices(schema):
            yield from self.members(each, under)
        if "items" in schema:
            yield from self.members(schema["items"], under)
        for name, value in schema.get("properties", {}).items():
            star = "*" if name in schema.get("required", ()) else ""
            yield f"{under}{name}{star}"
            yield from self.members(value, f"{under}{name}.")

    def types(self, schema: dict[str, Any], path: list[str]) -> set[str]:
        """Return the types that the member at `path` may have, except null."""
        schema = self.resolved(schema)
        variants = [*choices(schema), *([schema["items"]] if "items" in schema else ())]
        found = {kind for each in variants for kind in self.types(each, path)}
        if not path:
            return (found or {str(schema["type"])}) - {"null"}
        inner = schema.get("properties", {}).get(path[0])
        return found if inner is None else found | self.types(inner, path[1:])

    def reply_members(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Return the members of the JSON object of a 200; none if it is none."""
        content = operation["responses"].get("200", {}).get("content", {})
        if "application/json" not in content:
            return {}
        return self.resolved(content["application/json"]["schema"]).get("properties", {})


def choices(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alternatives of a schema."""
    return [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
