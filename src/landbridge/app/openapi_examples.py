"""Examples of the OpenAPI document: request, reply and refusal of each operation, and each event.

They were recorded in a run of the sandbox (tests/contract/examples), with stable ids and times.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

FILE = Path(__file__).with_name("openapi_examples.json")


def add_examples(document: dict[str, Any]) -> None:
    """Add the examples of `FILE` to each operation and webhook."""
    examples = msgspec.json.decode(FILE.read_bytes(), type=dict[str, dict[str, Any]])
    for item in document["paths"].values():
        for operation in item.values():
            _add(operation, examples["operations"].get(operation["operationId"], {}))
    for type_, item in document["webhooks"].items():
        _add(item["post"], {"request": examples["webhooks"].get(type_)})


def _add(operation: dict[str, Any], example: Mapping[str, Any]) -> None:
    parameters: Mapping[str, Any] = example.get("parameters", {})
    for each in operation.get("parameters", ()):
        if each["name"] in parameters:
            each["example"] = parameters[each["name"]]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if "request" in example:
            content["example"] = example["request"]
    if "refusal" in example:
        refusal = operation["responses"][example["refusal"]["status"]]
        refusal["content"]["application/json"]["example"] = example["refusal"]["reply"]
    successes = (each for status, each in operation["responses"].items() if status.startswith("2"))
    for content in (each for reply in successes for each in reply.get("content", {}).values()):
        if "reply" in example:
            content["example"] = example["reply"]
