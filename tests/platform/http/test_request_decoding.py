import json
import time
from collections.abc import AsyncIterator
from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from landbridge.app.api import BODY_BYTES_MAX
from tests.matrices import each_value_once
from tests.tenants import (
    SWAPS,
    TRANSFERS,
    Tenant,
    business,
    individual,
    make_user,
    refusal,
    sentence,
    swap_body,
    transfer_body,
)

LINK = "/v2/tos-link"
KEY = "8d3a7cfe-0000-4000-8000-000000000000"
# Far above what any of them takes, and far below a quadratic parser. It is CPU time, which other
# processes do not affect.
SECONDS_MAX = 2.0

NO_OBJECT: dict[str, str | bytes] = {
    "nothing": b"",
    "blanks": b"  \n",
    "an array": b"[]",
    "null": b"null",
    "a text": b'"a"',
    "a number": b"1",
    "half an object": b'{"a":',
    "two objects": b"{}{}",
    "a trailing comma": b'{"a":1,}',
    "single quotes": b"{'a':1}",
    "a comment": b"{} // a",
    "no UTF-8": b'{"a":"\xff"}',
    "half a UTF-16 pair as bytes": b'{"idempotencyKey":"\xed\xa0\x80"}',
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":Infinity}',
    "minus Infinity": b'{"a":-Infinity}',
    "1e400": b'{"idempotencyKey":1e400}',
    "a raw NUL": b'{"a":"\0"}',
    "an escaped NUL": b'{"a":"\\u0000"}',
    "an escaped NUL in a name": b'{"\\u0000":1}',
    "a NUL behind a backslash": b'{"a":"\\\\\\u0000"}',
    "a NUL deep down": b'{"a":' + b"[" * 600 + b'"\\u0000"' + b"]" * 600 + b"}",
    "half a surrogate pair": b'{"idempotencyKey":"\\ud800"}',
    "the other half": b'{"idempotencyKey":"\\udc00x"}',
    "a key twice": b'{"a":1,"a":2}',
    "a key twice, within": b'{"a":[{"b":1,"b":1}]}',
    "half a pair as a key, twice": b'{"\\ud800":1,"\\ud800":2}',
    "arrays in arrays": b"[" * 100_000,
    "closed arrays in arrays": b"[" * 100_000 + b"]" * 100_000,
    "objects in objects": b'{"a":' * 100_000,
    "deep in a member that nobody reads": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "an integer of 100000 digits": b'{"idempotencyKey":' + b"9" * 100_000 + b"}",
    "such an integer that nobody reads": b'{"a":' + b"9" * 100_000 + b"}",
    "a fraction of 100000 digits": b'{"idempotencyKey":0.' + b"9" * 100_000 + b"}",
    "100000 members": b"{" + b",".join(b'"%d":1' % each for each in range(80_000)) + b"}",
    "too many values": b'{"a":[' + b"{}," * 100_001 + b"{}]}",
    "a NUL behind escaped backslashes": b'{"a":"' + b"\\\\" * 50_000 + b'\\u0000"}',
    "arrays without commas": b"[" + b",".join([b"[" * 9 + b"]" * 9] * 20_000) + b"]",
    "objects without commas": b"[" + b",".join([b'{"a":' * 9 + b"1" + b"}" * 9] * 15_000) + b"]",
    "many backslashes": b'{"a":"' + b"\\\\" * 400_000 + b'"}',
    "zeros before a number": b'{"a":01}',
    "no name": b'{:"a"}',
}


@pytest.mark.parametrize("name", NO_OBJECT)
async def test_malformed_request_is_refused_in_time(org: Tenant, name: str) -> None:
    began = time.process_time()
    answer = await org.send("POST", LINK, NO_OBJECT[name])
    assert time.process_time() - began < SECONDS_MAX
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert answer.json()["code"] == 100001
    assert 10 < len(sentence(answer)) < 500
    assert "sys." not in sentence(answer)


async def test_no_body_at_all_is_refused(org: Tenant) -> None:
    assert sentence(await org.send("POST", LINK)) == (
        "the request body is missing: send a JSON object"
    )


async def test_a_backslash_before_the_letters_u0000_is_no_nul(org: Tenant) -> None:
    body = f'{{"idempotencyKey":"{uuid4()}","templateId":"\\\\u0000"}}'
    await org.post(LINK, body)


async def test_unknown_members_and_surrogate_pairs_are_accepted(org: Tenant) -> None:
    agreement = (await org.post(LINK, {"idempotencyKey": str(uuid4()), "more": [1, {"a": None}]}))[
        "signedAgreementId"
    ]
    assert agreement
    body = f'{{"idempotencyKey":"{uuid4()}","templateId":"\\ud83d\\ude00"}}'
    await org.post(LINK, body)


async def test_null_is_treated_as_omitted(org: Tenant) -> None:
    key = str(uuid4())
    first = await org.post(LINK, {"idempotencyKey": key, "redirectUrl": None})
    assert await org.post(LINK, {"idempotencyKey": key}) == first


async def test_a_number_of_very_many_digits_is_refused_before_it_is_calculated(org: Tenant) -> None:
    ada, bob = await make_user(org), await make_user(org)
    for digits, expected in ((4_298, "more than 6 decimals"), (900_000, "too many digits")):
        body = json.dumps(transfer_body(ada, bob, "@")).replace('"@"', f"0.{'1' * digits}")
        answer = await org.send("POST", TRANSFERS, body)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert expected in sentence(answer)


async def test_body_over_the_bound_is_too_large(org: Tenant) -> None:
    answer = await org.send("POST", LINK, b" " * (BODY_BYTES_MAX + 1))
    assert refusal(answer) == "413 FIELD_VALIDATION_ERROR"
    assert sentence(answer) == "The request body is too large."


async def test_a_body_without_a_length_is_not_read_beyond_the_bound(org: Tenant) -> None:
    sent = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 100_000
            yield b" " * 100_000

    answer = await org.client.post(LINK, content=chunks(), headers=org.headers)
    assert refusal(answer) == "413 FIELD_VALIDATION_ERROR"
    assert sent <= BODY_BYTES_MAX + 300_000


async def test_body_with_a_false_length_is_not_read_beyond_the_bound(org: Tenant) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 100_000

    headers = {**org.headers, "Content-Length": "2"}
    answer = await org.client.post(LINK, content=chunks(), headers=headers)
    assert answer.status_code in {400, 413}


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", ""])
async def test_json_is_parsed_with_any_content_type(org: Tenant, kind: str) -> None:
    headers = {**org.headers, "Content-Type": kind}
    body = f'{{"idempotencyKey":"{uuid4()}"}}'
    answer = await org.client.post(LINK, content=body, headers=headers)
    assert answer.status_code == 200, answer.text


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("idempotencyKey", {"idempotencyKey": None}),
    ("idempotencyKey", {"idempotencyKey": 1}),
    ("idempotencyKey", {"idempotencyKey": 1.5}),
    ("idempotencyKey", {"idempotencyKey": True}),
    ("idempotencyKey", {"idempotencyKey": []}),
    ("idempotencyKey", {"idempotencyKey": {}}),
    ("idempotencyKey", {"idempotencyKey": ""}),
    ("idempotencyKey", {"idempotencyKey": KEY[:-1]}),
    ("idempotencyKey", {"idempotencyKey": KEY + " "}),
    ("templateId", {"templateId": 1}),
    ("templateId", {"templateId": ""}),
    ("templateId", {"templateId": ["a"]}),
    ("redirectUrl", {"redirectUrl": 1}),
    ("redirectUrl", {"redirectUrl": {}}),
    ("redirectUrl", {"redirectUrl": ""}),
    ("redirectUrl", {"redirectUrl": "ftp://example.com"}),
    ("redirectUrl", {"redirectUrl": "javascript:alert(1)"}),
    ("redirectUrl", {"redirectUrl": "//example.com"}),
    ("redirectUrl", {"redirectUrl": "https://"}),
    ("redirectUrl", {"redirectUrl": "https://["}),
    ("redirectUrl", {"redirectUrl": "https://example.com/\r\nX-Evil: 1"}),
    ("redirectUrl", {"redirectUrl": "https://a b/"}),
    ("redirectUrl", {"redirectUrl": "https://example.com/" + "a" * 2000}),
]


@pytest.mark.parametrize(("field", "change"), WRONG)
async def test_a_wrong_member_of_a_link_is_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    answer = await org.send("POST", LINK, {"idempotencyKey": KEY, **change})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert field in sentence(answer)


def _without(body: dict[str, Any], path: str) -> dict[str, Any]:
    head, _, rest = path.partition(".")
    left = dict(body)
    if rest:
        left[head] = _without(body[head], rest)
    else:
        left.pop(head)
    return left


def _with(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    head, _, rest = path.partition(".")
    return {**body, head: _with(body.get(head, {}), rest, value) if rest else value}


SWAP = swap_body(KEY)
PERSON = individual(KEY)
COMPANY = business(KEY)
REQUIRED = [
    *((SWAPS, SWAP, each) for each in ("requestId", "source", "destination")),
    *((SWAPS, SWAP, f"source.{each}") for each in ("userId", "chain", "currency")),
    *((SWAPS, SWAP, f"destination.{each}") for each in ("chain", "currency")),
    *(("/v2/users", PERSON, each) for each in PERSON if each not in {"type", "ipAddress"}),
    *(("/v2/users", COMPANY, each) for each in ("businessName", "email", "signedAgreementId")),
    ("/v2/users", PERSON, "type"),
]
OPTIONAL = [
    *((SWAPS, SWAP, f"source.{each}") for each in ("amount",)),
    *(
        (SWAPS, SWAP, f"destination.{each}")
        for each in ("amount", "userId", "externalWalletId", "walletAddress")
    ),
    *(("/v2/users", PERSON, each) for each in ("requestId", "chains", "address", "ipAddress")),
    *(("/v2/users", PERSON, f"address.{each}") for each in ("addressLine1", "addressLine2")),
    ("/v2/users", COMPANY, "ultimateBeneficialOwners"),
]


@pytest.mark.parametrize(("path", "body", "field"), REQUIRED)
async def test_missing_required_member_is_named(
    org: Tenant, path: str, body: dict[str, Any], field: str
) -> None:
    answer = await org.send("POST", path, _without(body, field))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert field in sentence(answer)


_WRONG_TYPES: list[Any] = [7, 1.5, True, {"a": 1}, [[]], "\u0000"]


@pytest.mark.parametrize(
    ("path", "body", "field", "value"),
    each_value_once(
        ((*member, value) for member, value in product(REQUIRED + OPTIONAL, _WRONG_TYPES)),
        values=lambda case: ((case[0], case[2]), str(case[3])),
    ),
)
async def test_a_member_of_the_wrong_type_is_refused(
    org: Tenant, path: str, body: dict[str, Any], field: str, value: Any
) -> None:
    answer = await org.send("POST", path, _with(body, field, value))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    if value != "\u0000":
        assert field in sentence(answer).replace("[...]", "") or "address" in sentence(answer)
