"""Operations of the API as the assistant sees them, read from the server's OpenAPI document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from landbridge.app.mcp.protocol import ToolRefused

_FOUND_MAX = 15
_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_DEPTH_MAX = 8


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    id: str
    method: str
    path: str
    description: Mapping[str, Any]

    @property
    def is_readable(self) -> bool:
        """Return whether it is a GET that every key may send."""
        return self.method == "GET" and self.description.get("x-scope") == "read"

    @property
    def has_dry_run(self) -> bool:
        """Return whether it creates a payment, and can be tried without writing."""
        return self.method == "POST" and "dryRun" in self.names("query")

    def names(self, place: str) -> Sequence[str]:
        """Return the names of the parameters in the path or the query."""
        found = cast("list[dict[str, Any]]", self.description.get("parameters", []))
        return [each["name"] for each in found if each["in"] == place]


class ApiOperations:
    """All operations of one server, by id."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas = cast("dict[str, Any]", document["components"]["schemas"])
        self._by_id = {each.id: each for each in _operations(document)}

    def get(self, operation_id: str) -> Operation:
        """Return an operation; raises `ToolRefused`."""
        found = self._by_id.get(operation_id)
        if found is None:
            raise ToolRefused("there is no such operation; find one with search_api")
        return found

    def search(self, words: str) -> Sequence[Operation]:
        """Return the operations that contain most of these words, the best first."""
        wanted = {each.rstrip("s") for each in re.findall(r"[a-z]+", words.lower())}
        scored = [(_score(each, wanted), each) for each in self._by_id.values()]
        scored.sort(key=lambda each: -each[0])
        return [each for score, each in scored[:_FOUND_MAX] if score > 0]

    def describe(self, operation: Operation) -> Mapping[str, Any]:
        """Return parameters and body of an operation, with the schemas they refer to."""
        content = operation.description.get("requestBody", {}).get("content", {})
        return {
            "operation": operation.id,
            "request": f"{operation.method} {operation.path}",
            "scope": operation.description.get("x-scope"),
            "description": operation.description.get("description"),
            "parameters": self._resolved(operation.description.get("parameters", []), 0),
            "body": self._resolved(content.get("application/json", {}).get("schema"), 0),
        }

    def has_member(self, operation: Operation, name: str) -> bool:
        """Return whether the body of an operation has this member."""
        body = cast("Mapping[str, Any]", self.describe(operation)["body"] or {})
        return name in body.get("properties", {})

    def _resolved(self, value: Any, depth: int) -> Any:
        match value:
            case {"$ref": str(name)} if depth < _DEPTH_MAX:
                return self._resolved(self._schemas[name.rsplit("/", 1)[-1]], depth + 1)
            case dict():
                members = cast("dict[str, Any]", value)
                return {key: self._resolved(each, depth + 1) for key, each in members.items()}
            case list():
                return [self._resolved(each, depth) for each in cast("list[Any]", value)]
            case _:
                return value


def _operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, description in methods.items():
            if method in _METHODS:
                yield Operation(description["operationId"], method.upper(), path, description)


def _score(operation: Operation, wanted: set[str]) -> int:
    """Count the words found; those of the id and the summary count more."""
    title = f"{operation.id} {operation.description.get('summary', '')} {operation.path}".lower()
    text = str(operation.description.get("description", "")).lower()
    return sum(3 * (each in title) + (each in text) for each in wanted)
