"""Numbers and documents in responses to analysts and to keys that only read."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest

from landbridge.customers.bank_accounts.types import TABLES
from landbridge.customers.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.masks import mask
from landbridge.platform.http.caller import KeyScope, MemberRole
from landbridge.platform.http.number_masks import MASKED, SHOWN_URLS, masked_json
from tests.contract.kyc_markers import marked
from tests.contract.test_openapi import SNAPSHOT
from tests.customers.bank_accounts.bodies import Case, cases, whole
from tests.customers.bank_accounts.verified import PDF, make_verified
from tests.matrices import part_of
from tests.platform.http.member_clients import member_client
from tests.platform.http.test_key_scopes import make_key
from tests.tenants import Tenant, business, good, make_agreement

ONE_OF_EACH = {each.table.name: each for each in cases()}.values()
_LIKE_A_NUMBER = re.compile(
    r"number|iban|pix|clabe|bban|tax|account$|code$|corrected$", re.IGNORECASE
)
# Texts that everyone may see: of banks, of payments and of the ledger.
SHOWN = {
    "account",
    "bankCode",
    "businessIdentifierCode",
    "code",
    "referenceNumber",
    "routingNumber",
    "speiInstitutionCode",
    "swiftCode",
    "postalCode",
    "accountHolderPostalCode",
    "taxIdentificationNumberType",
    "taxResidenceCountry",
    "traceNumber",
}


def test_every_member_like_a_number_is_masked_or_listed_as_shown() -> None:
    schemas = json.loads(SNAPSHOT.read_text())["components"]["schemas"].values()
    members = {name for schema in schemas for name in _texts(schema)}
    members |= {each.name for table in TABLES for each in table.fields}
    members |= {each for table in TABLES for each in table.numbers}
    members |= {*INDIVIDUAL, *BUSINESS, *OWNER, *DOCUMENT}
    found = {each for each in members if _LIKE_A_NUMBER.search(each)}
    assert found - MASKED == SHOWN
    # No name is left that nothing has.
    assert members >= MASKED
    assert {each for each in members if each.endswith("Url")} >= SHOWN_URLS


def test_masks_keep_the_last_characters_and_change_nothing_else() -> None:
    assert mask("000123456789") == "****6789"
    assert mask("12345") == "****45"
    assert mask("") == "****"
    assert mask(mask("12345")) == "****45"
    # A number that begins like a mask is masked all the same.
    assert mask("****123456789") == "****6789"
    body = '{"amount":1.50,"big":123456789012345678901234567890,"text":"123456789","iban":null}'
    assert masked_json(body.encode()).decode() == body
    assert masked_json(b"") == b""


def test_the_account_number_of_a_notice_of_change_is_masked() -> None:
    line = {"statementText": {"corrected": "000123456789", "codes": ["C01"]}}
    masked = json.loads(masked_json(json.dumps(line).encode()))
    assert masked == {"statementText": {"corrected": "****6789", "codes": ["C01"]}}


def test_links_of_documents_and_responses_of_receivers_are_withheld() -> None:
    value = {
        "documents": [
            {"url": "https://example.com/passport.jpg", "fileId": None, "number": "P123"}
        ],
        "govIdFrontUrl": "https://example.com/front.jpg",
        "govIdBackUrl": "file_00",
        "attempts": [{"milliseconds": 3, "answer": '{"iban":"DE89370400440532013000"}'}],
        "webhook": {"url": "https://example.com/hooks", "jwksUrl": "https://example.com/jwks"},
    }
    assert json.loads(masked_json(json.dumps(value).encode())) == {
        **value,
        "documents": [{"url": "****", "fileId": None, "number": "****23"}],
        "govIdFrontUrl": "****",
        "attempts": [{"milliseconds": 3, "answer": "****"}],
    }


@pytest.mark.parametrize(
    ("number", "seen"),
    [
        ("IBAN DE89370400440532013000", "IBAN ****3000"),
        ("IBAN DE89 3704 0044 0532 0130 00", "IBAN ****3000"),
        ("account 9000000000000001", "account ****0001"),
        ("X by 2026-01-31T00:00:00+00:00", "X by 2026-01-31T00:00:00+00:00"),
        ("the key 123e4567-e89b-12d3-a456-426614174000", "the key ****4000"),
        (
            "this account by ACH, wire or RTP in 2 days",
            "this account by ACH, wire or RTP in 2 days",
        ),
    ],
)
def test_numbers_in_sentences_are_masked(number: str, seen: str) -> None:
    value = {"instruction": f"Pay to {number}. Name LB234."}
    masked = json.loads(masked_json(json.dumps(value).encode()))
    assert masked == {"instruction": f"Pay to {seen}. Name LB234."}


def test_a_long_sentence_takes_no_time_to_mask() -> None:
    # Metadata of a customer may have this name too.
    value = {"instruction": "a-" * 20_000}
    begun = time.process_time()
    assert json.loads(masked_json(json.dumps(value).encode())) == value
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("case", part_of(ONE_OF_EACH, 0, 3), ids=str)
async def test_accounts_are_masked_for_a_key_that_only_reads(org: Tenant, case: Case) -> None:
    user = await make_verified(org)
    added = await org.post(f"/v2/users/{user}/accounts", whole(case))
    path = f"/v2/users/{user}/accounts/{added['id']}"
    full, seen = await org.get(path), await _read(org, KeyScope.READ, path)
    assert seen == json.loads(json.dumps(full), object_hook=_expected)
    assert seen != full
    for scope in set(KeyScope) - {KeyScope.READ}:
        assert await _read(org, scope, path) == full


async def test_kyc_data_is_masked_for_analysts(org: Tenant) -> None:
    agreement, markers = await make_agreement(org), _Markers()
    company = (await org.post("/v2/users", business(agreement)))["id"]
    kyc = f"/v2/users/{company}/kyc"
    await org.post(kyc, marked(BUSINESS, markers.mark))
    owner = {**marked(OWNER, markers.mark), "shareProportion": 20}
    await org.post(f"{kyc}/ubos", owner)
    for role in MemberRole:
        interface = member_client(org, role)
        seen = _numbers([await interface.get(kyc), await interface.get(f"{kyc}/ubos")])
        assert {"registrationNumber", "govIdNumber", "taxIdentificationNumber"} <= seen.keys()
        hidden = {each for values in seen.values() for each in values if each.startswith("****")}
        shown = {each for values in seen.values() for each in values} - hidden
        assert not (shown if role is MemberRole.ANALYST else hidden), role


async def test_the_framework_masks_like_a_direct_route(org: Tenant) -> None:
    user = await make_verified(org)
    headers = {"Authorization": f"Bearer {await make_key(org, KeyScope.READ)}"}
    path = f"/v2/users/{user}/kyc"
    direct = await org.client.get(path, headers=headers)
    # An unusual host is answered by the framework.
    other = await org.client.get(path, headers={**headers, "Host": "a_b"})
    assert direct.content == other.content
    assert direct.json()["kycInfo"]["taxIdentificationNumber"] == "****6789"
    assert direct.headers["content-length"] == str(len(direct.content))


async def test_documents_open_for_none_who_only_reads(org: Tenant) -> None:
    upload = {"file": (f"{uuid4()}.pdf", PDF, "application/pdf")}
    sent = good(await org.client.post("/v2/files", files=upload, headers=org.headers))
    path = f"/v2/files/{sent['id']}/content"
    for scope in KeyScope:
        response = await _send(org, scope, path)
        assert response.status_code == (403 if scope is KeyScope.READ else 200), scope
    for role in MemberRole:
        reading = member_client(org, role).send("GET", path)
        if role is MemberRole.ANALYST:
            with pytest.raises(RoleNotAllowed, match="can't open documents"):
                await reading
        else:
            assert (await reading).body == PDF


class _Markers:
    """Numbers that differ from each other."""

    def __init__(self) -> None:
        self._count = 0

    def mark(self) -> str:
        self._count += 1
        return f"number{self._count:04}x{uuid4().hex[:8]}"


async def _send(org: Tenant, scope: KeyScope, path: str) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {await make_key(org, scope)}"}
    return await org.client.get(path, headers=headers)


async def _read(org: Tenant, scope: KeyScope, path: str) -> Any:
    return good(await _send(org, scope, path))


def _expected(members: dict[str, Any]) -> dict[str, Any]:
    """Mask an object of a response without the code under test."""
    return {
        name: f"****{value[-min(4, len(value) // 2) :]}" if name in MASKED and value else value
        for name, value in members.items()
    }


def _numbers(value: Any) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, each in _leaves(value):
        if name in MASKED and isinstance(each, str):
            found.setdefault(name, []).append(each)
    return found


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            for key, each in cast("dict[str, Any]", value).items():
                yield from _leaves(each, key)
        case list():
            for each in cast("list[Any]", value):
                yield from _leaves(each, name)
        case str() | int() | Decimal() | None:
            yield name, value
        case _:
            raise AssertionError(value)


def _texts(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the members of a schema that may be texts."""
    for name, member in schema.get("properties", {}).items():
        if '"string"' in json.dumps(member) or "$ref" in json.dumps(member):
            yield name
