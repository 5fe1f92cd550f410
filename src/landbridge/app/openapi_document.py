"""The OpenAPI document of this application: its title, its tags, and what routes cannot say."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, Contact, License, SecurityScheme, Tag
from msgspec import to_builtins

from landbridge import __version__
from landbridge.app.container.registry import STATE_MACHINES
from landbridge.app.route_scopes import SCOPES
from landbridge.customers.kyc import schemas as kyc_shapes
from landbridge.developers.events import names as events_names
from landbridge.developers.events.webhook_schemas import (
    add_verification_data,
    event_schemas,
    webhooks,
)
from landbridge.platform.formats import addresses, schemas
from landbridge.platform.http import constraints
from landbridge.platform.http.openapi import describe

_WEBHOOKS = "Webhooks"
TAGS: Mapping[str, str] = {
    "Users": "People and businesses who hold wallets, their freezes and personal data.",
    "Terms of service": "Links by which a user accepts the terms before being created.",
    "KYC": "Data and documents about a user, and their verification for each rail.",
    "Files": "Documents, uploaded once and referred to by id.",
    "Wallets": "Balances, deposits and outside wallets of a user.",
    "Transfers": "Coins sent to another user or to an address, on one chain.",
    "Batches": "Transfers of one sender to many recipients, as one payment.",
    "Bridges": "Coins moved from one chain to another.",
    "Swaps": "One stablecoin changed into another on the same chain.",
    "Accounts": "Bank accounts that offramps pay to, and that onramps are paid from.",
    "Onramps": "Fiat paid in and delivered as stablecoins.",
    "Offramps": "Stablecoins sold and paid out as fiat.",
    "Virtual accounts": "Bank account numbers of a user, whose deposits become stablecoins.",
    "Settlement rules": "Where deposits of virtual accounts go.",
    "Rates": "Current prices, without creating anything.",
    "Transfer approvals": "Payments that await the approval of people.",
    "Travel rule": "Originators and beneficiaries of coins that leave or arrive.",
    "Limits": "Rules on amounts and addresses that payments must keep.",
    "Transactions": "All payments of all kinds: lists, search, balances, what is stuck.",
    "Requests": "What became of a request, by the id its caller gave it.",
    "Reviews": "Work of compliance: verifications, deposits, receivables and resolutions.",
    "Reconciliation": "The ledger, compared with what chains and banks hold.",
    "Proofs": "Checkpoints of the books, and proofs of payments and reserves.",
    "Reporting": "Metrics, own templates, schedules and statements.",
    _WEBHOOKS: "Endpoints, deliveries and events.",
    "Sandbox": "Time, money and outcomes that tests choose; refused in production.",
    "Service": "The installation itself: a ping, its chains, the request and audit logs.",
}


def openapi_config() -> OpenAPIConfig:
    """Return what the framework describes by itself."""
    return OpenAPIConfig(
        title="Landbridge",
        version=__version__,
        description="Self-hosted stablecoin payments: wallets, swaps, transfers, bridges, onramps "
        "and offramps, verification of users, signed webhooks and reports.",
        contact=Contact(name="The Landbridge developers"),
        license=License(name="Apache 2.0", identifier="Apache-2.0"),
        path="/openapi",
        # Never empty: Litestar would then serve pages with scripts from other hosts.
        render_plugins=[JsonRenderPlugin()],
        tags=[Tag(name=name, description=text) for name, text in TAGS.items()],
        components=Components(
            security_schemes={
                "key": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="API key. `x-scope` of an operation is the scope that it needs.",
                )
            }
        ),
        security=[{"key": []}],
        use_handler_docstrings=True,
    )


def openapi_document(app: Litestar) -> dict[str, Any]:
    """Return the OpenAPI document of `app`."""
    document = describe(
        app.openapi_schema.to_schema(),
        {
            **event_schemas(),
            **constraints.SCHEMAS,
            **schemas.schemas(),
            **addresses.schemas(),
            **kyc_shapes.SCHEMAS,
            **events_names.schemas(),
        },
        webhooks(_WEBHOOKS),
        keyed={
            handler.operation_id
            for route in app.routes
            for handler in getattr(route, "route_handlers", ())
            if handler.opt.get("keyed")
        },
    )
    add_verification_data(document["components"]["schemas"])
    add_examples(document)
    for operations in document["paths"].values():
        for operation in operations.values():
            scope = SCOPES.get(operation["operationId"])
            if scope is not None:
                operation["x-scope"] = scope.value
            _describe_success(operation)
    return {**document, "x-state-machines": to_builtins(STATE_MACHINES.list().state_machines)}


def _describe_success(operation: dict[str, Any]) -> None:
    """Describe a success by the operation, where the framework has only the words of HTTP."""
    for status, reply in operation["responses"].items():
        if status.startswith("2") and reply["description"] == HTTPStatus(int(status)).description:
            reply["description"] = operation["summary"]


# Recorded in a run of the sandbox (tests/contract/examples), with stable ids and times.
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
