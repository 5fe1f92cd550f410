"""The OpenAPI document states the published interface, and changes only on purpose."""

import json
import os
from pathlib import Path

from tests.contract import (
    published_accounts,
    published_kyc,
    published_ours,
    published_payments,
    published_virtual_accounts,
)
from tests.contract.openapi_document import Document, choices

SNAPSHOT = Path(__file__).parents[2] / "openapi.json"
RENEW = "WRITE_OPENAPI=1 .venv/bin/pytest tests/contract/test_openapi.py"

LIST = "limit createdBefore createdAfter cursor?"
# A question mark follows names of our own, beyond the published interface.
QUERIES = {
    "GET /v2/users": f"type firstName lastName businessName email metadata? {LIST}",
    "GET /v2/wallets/swaps": f"userId {LIST}",
    "POST /v2/wallets/swaps": "dryRun?",
    "GET /v2/users/{userId}/wallets/balance": "chain currency",
    "GET /v2/users/{userId}/kyc": "expand?",
    "POST /v2/users/{userId}/kyc": "expand?",
    "GET /v2/users/{userId}/kyc/requirements": "rails",
    "GET /v2/users/{userId}/accounts": f"rail type currency metadata? {LIST}",
    **published_payments.QUERIES,
    **published_virtual_accounts.QUERIES,
    **published_ours.QUERIES,
    "GET /v2/reviews/accounts": LIST,
    "GET /v2/request-log": f"method? status? path? requestId? xRequestId? {LIST}",
    "GET /v2/audit-log": f"actorType? actorId? kind? objectId? {LIST}",
    "GET /v2/users/{userId}/kyc/status": "rails",
    "GET /v2/kyc/status": f"userId userName userEmail rails status {LIST}",
    "GET /v2/reviews/kyc": f"status {LIST}",
    "GET /v2/users/{userId}/wallets/external": "limit? createdBefore? createdAfter? cursor?",
}
ADDRESS = (
    "address.addressLine1* address.addressLine2 address.city* address.stateProvinceRegion*"
    " address.postalCode* address.country*"
)
OWNERS = " ".join(
    f"ultimateBeneficialOwners.{each}*"
    for each in ("firstName", "lastName", "dateOfBirth", "hasControl", "isSigner")
)
# A star follows required names. `metadata` is of our own.
BODIES = {
    "POST /v2/tos-link": ["idempotencyKey* templateId redirectUrl"],
    "POST /v2/tos-link/{signedAgreementId}/accept": ["sessionToken*"],
    "POST /v2/users": [
        (
            "requestId type* chains firstName* lastName* email* dateOfBirth* address ipAddress"
            f" signedAgreementId* metadata {ADDRESS}"
        ),
        (
            "requestId type* businessName* chains email* address ipAddress"
            # The reference lists the owners as required, and its guides send none.
            f" ultimateBeneficialOwners signedAgreementId* metadata {ADDRESS} {OWNERS}"
        ),
    ],
    "POST /v2/users/{userId}": [
        (
            "type firstName lastName businessName email dateOfBirth address ipAddress"
            f" signedAgreementId ultimateBeneficialOwners metadata {ADDRESS} {OWNERS}"
        )
    ],
    **published_kyc.BODIES,
    **published_accounts.BODIES,
    **published_payments.BODIES,
    **published_virtual_accounts.BODIES,
    **published_ours.BODIES,
    "POST /v2/files": ["file*"],
    "POST /v2/users/{userId}/kyc/submissions": ["rails*"],
    "POST /v2/kyc-link": ["userType userId rails redirectUrl recipientEmail templateId"],
    "POST /v2/reviews/kyc/{caseId}": [
        (
            "decision* rejectReasons comment note fields documents documents.id*"
            " documents.rejectReasons version"
        )
    ],
    "POST /v2/users/{userId}/freeze": ["reason"],
    "POST /v2/users/{userId}/wallets/add": ["chains*"],
    "POST /v2/users/{userId}/wallets/external": ["address* chain* name* referenceId*"],
    "POST /v2/wallets/swaps": [
        (
            # `minReceive` is of our own.
            "requestId* source* source.userId* source.chain* source.currency* source.amount"
            " destination* destination.userId destination.externalWalletId"
            " destination.walletAddress destination.chain* destination.currency*"
            " destination.amount minReceive metadata"
        )
    ],
    "POST /v2/sandbox/clock/advance": ["seconds*"],
    "POST /v2/sandbox/users/{userId}/wallets/fund": ["chain* currency* amount*"],
}
# Responses of bytes instead of JSON.
BYTES = {"GET /v2/files/{fileId}/content", *published_ours.BYTES}
BODILESS = {
    *published_payments.BODILESS,
    *published_virtual_accounts.BODILESS,
    *published_ours.BODILESS,
    "DELETE /v2/files/{fileId}",
    "POST /v2/wallets/swaps/{swapId}/accept",
    "POST /v2/users/{userId}/unfreeze",
    "DELETE /v2/users/{userId}/personal-data",
    "DELETE /v2/users/{userId}/accounts/{accountId}",
    "POST /v2/users/{userId}/accounts/{accountId}/payee-verification",
}
OTHERS = {
    *published_payments.OTHERS,
    *published_virtual_accounts.OTHERS,
    *published_ours.OTHERS,
    "GET /v2/ping",
    "GET /v2/tos-link/{signedAgreementId}",
    "GET /v2/files/{fileId}",
    "GET /v2/users/{userId}",
    "GET /v2/users/{userId}/freeze",
    "GET /v2/users/{userId}/particulars",
    "GET /v2/reviews/kyc/{caseId}",
    "GET /v2/users/{userId}/accounts/{accountId}",
    "GET /v2/users/{userId}/kyc/ubos",
    "GET /v2/users/{userId}/kyc/ubos/{uboId}",
    "GET /v2/users/{userId}/kyc/documents",
    "GET /v2/users/{userId}/kyc/documents/{documentId}",
    "GET /v2/users/{userId}/wallets/external/{externalWalletId}",
    "GET /v2/wallets/swaps/{swapId}",
    "GET /v2/reporting/templates",
    "GET /v2/requests/{requestId}",
    "GET /v2/request-log/{xRequestId}",
    "GET /v2/stuck",
    "GET /v2/state-machines",
    "GET /v2/providers",
    "GET /v2/chains",
    "GET /v2/chains/{name}",
    "GET /v2/chains/orders/{recordId}",
    "GET /v2/reporting/templates/{name}",
}


async def test_the_document_changes_on_purpose_only(document: Document) -> None:
    now = json.dumps(document.whole, indent=1, sort_keys=True) + "\n"
    if os.environ.get("WRITE_OPENAPI"):
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert SNAPSHOT.exists(), f"make the snapshot: {RENEW}"
    snapshot = SNAPSHOT.read_text(encoding="utf-8")
    assert now == snapshot, (
        f"the interface has changed; if that is meant, renew its snapshot: {RENEW}"
    )


async def test_every_operation_is_known(document: Document) -> None:
    known = set(QUERIES) | set(BODIES) | BODILESS | OTHERS | BYTES
    assert {name for name, _ in document.operations()} == known


async def test_every_operation_is_described(document: Document) -> None:
    for name, operation in document.operations():
        assert len(operation["summary"]) > 5, name
        assert len(operation["description"]) > 5, name
        assert operation["tags"], name
        if name not in BYTES:
            answer = operation["responses"][_success(name)]
            schema = answer["content"]["application/json"]["schema"]
            assert list(document.members(schema)), name
    identifiers = [operation["operationId"] for _, operation in document.operations()]
    assert len(identifiers) == len(set(identifiers))


async def test_every_operation_documents_its_errors_in_its_envelope(document: Document) -> None:
    for name, operation in document.operations():
        expected = {_success(name), "400", "401", "429", "500", "503"}
        if "{" in name or name.startswith("POST"):
            expected.add("404")
        if name.startswith("POST"):
            expected.add("413")
        if not name.startswith("GET"):
            expected |= {"403", "409"}
        assert set(operation["responses"]) == expected, name
        for status in expected - {_success(name)}:
            schema = operation["responses"][status]["content"]["application/json"]["schema"]
            members = list(document.members(schema))
            if "/reporting/" in name:
                # Source: contract, errors: a 404 has no details.
                details = [] if status == "404" else ["error.details*"]
                fields = ["error.code*", "error.message*", "error.docUrl*", *details]
                assert members == ["status*", "error*", *fields]
            elif name.endswith("/kyc/submissions") and status == "400":
                assert members == [*_ERROR, "invalid"]
            else:
                assert members == _ERROR


_ERROR = ["code*", "error*", "errorDetails*", "message*", "docUrl*"]


def _success(name: str) -> str:
    return "201" if name in published_ours.CREATED else "200"


async def test_every_operation_accepts_the_key(document: Document) -> None:
    schemes = document.whole["components"]["securitySchemes"]
    assert schemes == {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "API key. `x-scope` of an operation is the scope that it needs.",
        }
    }
    assert document.whole["security"] == [{"key": []}]
    assert not [name for name, operation in document.operations() if "security" in operation]


async def test_paths_and_queries_have_the_published_names(document: Document) -> None:
    for name, operation in document.operations():
        parameters = operation.get("parameters", [])
        query_names = {each["name"] for each in parameters if each["in"] == "query"}
        assert query_names == {each.rstrip("?") for each in QUERIES.get(name, "").split()}, name
        in_path = {each["name"] for each in parameters if each["in"] == "path"}
        assert in_path == {part[1:-1] for part in name.split("/") if part.startswith("{")}, name


async def test_bodies_have_the_published_fields(document: Document) -> None:
    for name, operation in document.operations():
        if name not in BODIES:
            assert "requestBody" not in operation, name
            continue
        assert operation["requestBody"]["required"] is True
        (content,) = operation["requestBody"]["content"].values()
        schema = content["schema"]
        variants = choices(schema) or [schema]
        field_sets = [set(document.members(each)) for each in variants]
        assert field_sets == [set(each.split()) for each in BODIES[name]], name


async def test_user_schema_is_chosen_by_its_type(document: Document) -> None:
    body = document.operation("POST /v2/users")["requestBody"]
    variants = body["content"]["application/json"]["schema"]["oneOf"]
    types = [document.resolved(each)["properties"]["type"] for each in variants]
    assert types == [
        *({"type": "string", "const": "individual"}, {"type": "string", "const": "business"})
    ]


async def test_numbers_are_numbers_and_amounts_of_quotes_are_texts(document: Document) -> None:
    schemas = document.whole["components"]["schemas"]
    number, text = ({"type": each, "format": "decimal"} for each in ("number", "string"))
    assert schemas["SwapSourceReply"]["properties"]["amount"] == number
    assert schemas["SwapDestinationReply"]["properties"]["amount"] == {
        "oneOf": [number, {"type": "null"}]
    }
    assert schemas["FeeReply"]["properties"]["amount"] == number
    assert schemas["QuotedAmount"]["properties"]["amount"] == text
    assert schemas["QuoteReply"]["properties"]["rate"] == text
    moment = {"type": "string", "format": "date-time"}
    assert schemas["SwapDetailsReply"]["properties"]["createdAt"] == moment
    assert schemas["QuoteReply"]["properties"]["expiresAt"] == moment


async def test_amounts_of_requests_have_the_published_types(document: Document) -> None:
    for name, amounts in published_payments.AMOUNTS.items():
        (content,) = document.operation(name)["requestBody"]["content"].values()
        for path, published in amounts.items():
            found = document.types(content["schema"], path.split("."))
            assert found == {published}, (name, path)


async def test_every_reference_leads_somewhere_and_every_schema_is_used(
    document: Document,
) -> None:
    text = json.dumps(document.whole)
    for name in document.whole["components"]["schemas"]:
        assert f'"#/components/schemas/{name}"' in text, name
    for _, operation in document.operations():
        for response in operation["responses"].values():
            for content in response["content"].values():
                document.resolved(content["schema"])
