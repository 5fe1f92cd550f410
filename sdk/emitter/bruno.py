"""Bruno collection: a request for each operation, with its example, in a folder for each tag."""

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from sdk.emitter.document import JSON, ROOT

_COLLECTION = {
    "bruno.json": json.dumps(
        {"version": "1", "name": "Landbridge", "type": "collection"}, indent=2
    ),
    "collection.bru": "auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{apiKey}}\n}",
    "environments/Sandbox.bru": (
        "vars {\n  baseUrl: http://127.0.0.1:8080\n}\nvars:secret [\n  apiKey\n]"
    ),
}
# Another one at each sending: a repeated id answers what the first request did.
_NEW_ID = "{{$guid}}"


def collection() -> Mapping[PurePosixPath, str]:
    """Return the text of each file by its path in the collection."""
    document = json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))
    files = {PurePosixPath(name): f"{text}\n" for name, text in _COLLECTION.items()}
    numbers: dict[str, int] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            tag = operation["tags"][0]
            numbers[tag] = numbers.get(tag, 0) + 1
            name = PurePosixPath(tag) / f"{operation['operationId']}.bru"
            blocks = _blocks(path, method, operation, numbers[tag])
            files[name] = "\n\n".join(blocks) + "\n"
    return files


def _blocks(path: str, method: str, operation: Mapping[str, Any], number: int) -> Iterator[str]:
    """Yield the blocks of one request."""
    content: Mapping[str, Any] = operation.get("requestBody", {}).get("content", {})
    body = "none" if not content else "json" if JSON in content else "multipartForm"
    yield _block("meta", [f"name: {operation['summary']}", "type: http", f"seq: {number}"])
    url = "{{baseUrl}}" + path.replace("{", ":").replace("}", "")
    query = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    sent = "&".join(f"{each['name']}={_value(each)}" for each in query if "example" in each)
    address = f"{url}?{sent}" if sent else url
    yield _block(method, [f"url: {address}", f"body: {body}", "auth: inherit"])
    for label, place in (("params:query", "query"), ("params:path", "path"), ("headers", "header")):
        parameters = [each for each in operation.get("parameters", ()) if each["in"] == place]
        if parameters:
            yield _block(label, [_parameter(each) for each in parameters])
    if body == "json":
        example = content[JSON]["example"]
        if operation.get("x-idempotent") in example:
            example = {**example, operation["x-idempotent"]: _NEW_ID}
        yield _block("body:json", json.dumps(example, indent=2, ensure_ascii=False).split("\n"))
    if body == "multipartForm":
        yield _block("body:multipart-form", ["file: @file(passport.pdf)"])
    yield _block("docs", operation["description"].strip().split("\n"))


def _block(name: str, lines: list[str]) -> str:
    return "\n".join([f"{name} {{", *(f"  {line}".rstrip() for line in lines), "}"])


def _parameter(parameter: Mapping[str, Any]) -> str:
    """Return the line of a parameter; a tilde turns off those without an example."""
    mark = "" if "example" in parameter else "~"
    return f"{mark}{parameter['name']}: {_value(parameter)}".rstrip()


def _value(parameter: Mapping[str, Any]) -> str:
    value = parameter.get("example", "")
    return ",".join(cast("list[str]", value)) if isinstance(value, list) else str(value)
