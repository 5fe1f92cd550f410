"""The OpenAPI document keeps the rules that generators of clients rely on."""

import json
import re
from http import HTTPStatus

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from landbridge.developers.events.names import CATALOGUE
from tests.change_log import placed
from tests.contract.openapi_document import Document, choices
from tests.tenants import Tenant, make_swap, make_transfer, make_user

_OPERATION_ID = re.compile(r"[a-z][A-Za-z]*[.][a-z][A-Za-z]*")


@pytest.mark.long
async def test_document_is_valid_openapi(document: Document) -> None:
    OpenAPIV31SpecValidator(document.whole).validate()


async def test_operations_are_named_by_resource_and_verb(document: Document) -> None:
    names = [operation["operationId"] for _, operation in document.operations()]
    assert len(set(names)) == len(names)
    assert not [each for each in names if not _OPERATION_ID.fullmatch(each)]
    assert {"swaps.create", "offramps.accept", "users.list"} <= set(names)


async def test_every_tag_is_declared_and_used(document: Document) -> None:
    used = {tag for _, operation in document.operations() for tag in operation["tags"]}
    assert {each["name"] for each in document.whole["tags"]} == used
    assert all(each["description"] for each in document.whole["tags"])


async def test_no_success_is_described_by_the_words_of_http(document: Document) -> None:
    of_http = {status.description for status in HTTPStatus}
    for name, operation in document.operations():
        for status, reply in operation["responses"].items():
            assert reply["description"] not in of_http, (name, status)


async def test_no_parameter_is_null_and_no_amount_is_a_float(document: Document) -> None:
    for name, operation in document.operations():
        for each in operation.get("parameters", ()):
            assert "null" not in json.dumps(each["schema"]), (name, each["name"])
    schemas = document.whole["components"]["schemas"]
    numbers = {
        (name, member)
        for name, schema in schemas.items()
        for member, value in schema.get("properties", {}).items()
        for each in (value, *choices(value))
        if each.get("type") == "number" and each.get("format") != "decimal"
    }
    assert {member for _, member in numbers} == {"shareProportion"}


async def test_pages_and_writes_are_marked_for_generators(document: Document) -> None:
    for name, operation in document.operations():
        members = document.reply_members(operation)
        assert ("x-items" in operation) == ("nextCursor" in members), name
        assert ("x-repeatable" in operation) == (not name.startswith("GET")), name
        if "x-idempotent" in operation:
            assert operation["x-repeatable"], name
    assert document.operation("GET /v2/wallets/swaps")["x-items"] == "data"
    assert document.operation("POST /v2/wallets/swaps")["x-idempotent"] == "requestId"
    assert not document.operation("POST /v2/webhooks")["x-repeatable"]


async def test_errors_list_their_names_by_status(document: Document) -> None:
    responses = document.operation("POST /v2/wallets/swaps")["responses"]
    for status, name in (("404", "USER_NOT_FOUND"), ("409", "QUOTE_NOT_READY")):
        schema = document.resolved(responses[status]["content"]["application/json"]["schema"])
        assert name in schema["properties"]["error"]["enum"], status


async def test_every_event_has_a_webhook_with_its_object(document: Document) -> None:
    webhooks = document.whole["webhooks"]
    assert list(webhooks) == [each.type for each in CATALOGUE]
    for type_, item in webhooks.items():
        schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert type_ in document.resolved(schema)["properties"]["eventType"]["enum"]


async def test_events_match_the_schemas_of_their_webhooks(org: Tenant, document: Document) -> None:
    user = await make_user(org, funds="100")
    await make_swap(org, user)
    await make_transfer(org, user, await make_user(org))
    await placed(org.container.database)
    found = (await org.get("/v2/events"))["records"]
    assert len({each["eventType"] for each in found}) > 5
    for event in found:
        item = document.whole["webhooks"][event["eventType"]]["post"]
        schema = item["requestBody"]["content"]["application/json"]["schema"]
        OAS31Validator({**schema, "components": document.whole["components"]}).validate(event)
