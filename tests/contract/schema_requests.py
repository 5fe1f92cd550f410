"""Requests generated from the OpenAPI document, and the errors in their responses."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldInvalid
from landbridge.reporting.metrics.templates import TEMPLATES
from tests.contract.resources import KINDS, Things, kind_of
from tests.contract.schema_values import Schema, Values
from tests.tenants import Tenant

# An optional parameter is present in one of this many requests.
_ONE_IN = 3


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the document."""

    method: str
    path: str
    parameters: list[dict[str, Any]]
    body: Schema | None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def at(self, names: Mapping[str, str]) -> str:
        """Return the path with ids of these names; other parameters get a template's name."""
        template = next(iter(TEMPLATES))
        return re.sub(r"{(\w+)}", lambda found: names.get(found[1], template), self.path)


@dataclass(frozen=True, slots=True)
class GeneratedRequest:
    """Generated request; a body of None is no body."""

    path: str
    query: dict[str, Any] = field(default_factory=dict[str, Any])
    body: Any = None


def operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield every operation except uploads, which are not JSON."""
    for path, item in document["paths"].items():
        for method, described in item.items():
            content = described.get("requestBody", {}).get("content", {})
            if "multipart/form-data" not in content:
                schema = content.get("application/json", {}).get("schema")
                parameters = described.get("parameters", [])
                yield Operation(method.upper(), path, parameters, schema)


def values_for(document: Mapping[str, Any], operation: Operation, things: Things) -> Values:
    """Build the generator for an operation; members that are ids use these resources."""
    kinds = {name: kind_of(operation.path, name) for name in KINDS}
    names = {name: things.by_kind[kind] for name, kind in kinds.items() if kind in things.by_kind}
    return Values(document["components"]["schemas"], names)


def drawn(operation: Operation, values: Values, count: int) -> list[GeneratedRequest]:
    """Return this many valid requests, the same ones in each run."""
    found: list[GeneratedRequest] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.filter_too_much,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
        ],
    )
    @given(_requests(operation, values))
    def collect(sent: GeneratedRequest) -> None:
        found.append(sent)

    collect()
    return found


@st.composite
def _requests(draw: st.DrawFn, operation: Operation, values: Values) -> GeneratedRequest:
    query: dict[str, Any] = {}
    for each in operation.parameters:
        is_drawn = each.get("required") or draw(st.integers(1, _ONE_IN)) == 1
        if each["in"] == "query" and is_drawn:
            query[each["name"]] = draw(values.of(each["schema"], each["name"]))
    body = None if operation.body is None else draw(values.of(operation.body))
    return GeneratedRequest(operation.at(values.names), query, body)


async def send_request(
    tenant: Tenant, operation: Operation, sent: GeneratedRequest
) -> httpx2.Response:
    """Send a request; return the response."""
    return await tenant.client.request(
        operation.method,
        sent.path,
        params=sent.query or None,
        headers=tenant.headers,
        **({} if operation.body is None or sent.body is None else {"json": sent.body}),
    )


def problems(answer: httpx2.Response) -> list[str]:
    """Return the sentences of a refusal for the value of a field."""
    if answer.status_code != FieldInvalid.status:
        return []
    body = answer.json()
    if isinstance(body["error"], dict):
        details: dict[str, str] = body["error"]["details"]
        return list(details.values()) or [str(body["error"]["message"])]
    return [body["errorDetails"]] if body["error"] == FieldInvalid.name else []
