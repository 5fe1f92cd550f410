"""A customer gets proofs of a payment, and learns nothing about the others."""

import json
from base64 import b64decode, b64encode
from typing import Any
from uuid import uuid4

import pytest

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.http.caller import KeyScope
from landbridge.reporting.proofs.verifier import BooksInvalid, check_growth, check_proof, open_note
from tests.onramps import make_onramp, make_payer, onramp_of
from tests.platform.http.test_key_scopes import make_key
from tests.reporting.proofs import proof_books as books
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due

_HEADER = "c2sp.org/tlog-proof@v1\n"
_PROOFS = "/v2/proofs"


async def test_proofs_show_a_payment_as_created_and_its_entries(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "2", status=SwapStatus.COMPLETED)
    await books.checkpoint(org)
    await make_swap(org, user, "3", status=SwapStatus.COMPLETED)
    shown = await _shown(org, swap["id"])
    changes = [part for part in shown if part["part"] == "change"]
    (record,) = [part for part in shown if part["part"] == "record"]
    entries = [part for part in shown if part["part"] == "entry"]
    assert [each["seq"] for each in changes] == list(range(1, len(changes) + 1))
    assert changes[-1]["statusAfter"] == "COMPLETED"
    assert (record["user"], record["sourceUnits"]) == (user, "2000000")
    assert len({each["wallet"] for each in entries}) == 1
    counts: dict[str, list[int]] = {}
    for each in entries:
        counts.setdefault(each["account"], []).append(each["count"])
    assert all(each == list(range(each[0], each[0] + len(each))) for each in counts.values())


async def test_each_party_sees_its_own_entries_alone(org: Tenant) -> None:
    payer, payee = await make_user(org, funds="100"), await make_user(org, funds="50")
    payment = (await make_transfer(org, payer, payee))["id"]
    await run_due(org)
    await books.checkpoint(org)
    wallets = [
        {part["wallet"] for part in await _shown(org, payment, **query) if part["part"] == "entry"}
        for query in ({}, {"userId": payer}, {"userId": payee})
    ]
    assert wallets[0] == wallets[1]
    assert len(wallets[0]) == len(wallets[2]) == 1
    assert not wallets[0] & wallets[2]
    stranger = await make_user(org)
    path = f"{_PROOFS}/transfers/{payment}"
    assert await org.refused("GET", path, userId=stranger) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", path, userId="x") == "400 FIELD_VALIDATION_ERROR"


async def test_a_key_that_only_reads_gets_no_account_number(org: Tenant) -> None:
    onramp = (await make_onramp(org, await make_payer(org)))["id"]
    await books.checkpoint(org)
    path = f"{_PROOFS}/transfers/{onramp}"
    keys = {scope: await make_key(org, scope) for scope in (KeyScope.READ, KeyScope.PAY)}
    number = (await onramp_of(org, onramp)).details.account_number
    assert number
    for scope, key in keys.items():
        answer = await org.client.get(path, headers={"Authorization": f"Bearer {key}"})
        parts = [
            part
            for proof in answer.text.split(_HEADER)[1:]
            for part in check_proof(proof, await books.keys(org))
        ]
        assert (number in "".join(parts)) is (scope is KeyScope.PAY)
        assert len([part for part in parts if '"part":"change"' in part]) >= 1


async def test_proof_of_an_altered_part_does_not_hold(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "2", status=SwapStatus.COMPLETED)
    await books.checkpoint(org)
    keys, text = await books.keys(org), await _text(org, f"/transfers/{swap['id']}")
    proof = text.split(_HEADER)[1]
    top, _, rest = proof.partition("\n")
    parts = json.loads(b64decode(top.removeprefix("extra ")))
    parts[0]["text"] = parts[0]["text"].replace('"seq":1', '"seq":2')
    forged = f"extra {b64encode(json.dumps(parts).encode()).decode()}\n{rest}"
    assert check_proof(proof, keys)
    for wrong in (forged, proof.replace("index ", "index 1", 1)):
        with pytest.raises((BooksInvalid, IndexError)):
            check_proof(wrong, keys)


async def test_new_checkpoint_proves_that_it_continues_an_older_one(org: Tenant) -> None:
    await books.paid_books(org, swaps=1)
    keys = await books.keys(org)
    old = open_note(await books.checkpoint(org), keys)
    await books.paid_books(org, swaps=1)
    await books.checkpoint(org)
    body = await _text(org, "/checkpoint", since=old.size)
    top, _, note = body.partition("\n\n")
    first, *path = top.split("\n")
    new = open_note(note, keys)
    assert first == f"old {old.size}"
    assert note == await _text(org, "/checkpoint")
    check_growth(old, new, [b64decode(each) for each in path])
    for since in ("0", "x", str(new.size + 1)):
        refusal = await org.refused("GET", f"{_PROOFS}/checkpoint", since=since)
        assert refusal == "400 FIELD_VALIDATION_ERROR"


async def test_what_is_not_covered_yet_or_foreign_is_refused(
    org: Tenant, other_org: Tenant
) -> None:
    user = await make_user(org, funds="100")
    assert await org.refused("GET", f"{_PROOFS}/checkpoint") == "404 RESOURCE_NOT_FOUND"
    await books.checkpoint(org)
    swap = (await make_swap(org, user))["id"]
    path = f"{_PROOFS}/transfers/{swap}"
    assert await org.refused("GET", path) == "409 RESOURCE_CONFLICT"
    await books.sequenced(org)
    assert await org.refused("GET", path) == "409 RESOURCE_CONFLICT"
    await books.checkpoint(org)
    assert await _shown(org, swap)
    for each in (swap, user, str(uuid4()), "x"):
        tenant = other_org if each == swap else org
        refusal = await tenant.refused("GET", f"{_PROOFS}/transfers/{each}")
        assert refusal == "404 RESOURCE_NOT_FOUND"


async def test_payment_deep_in_a_long_log_is_proven_from_its_block(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swaps = [await make_swap(org, user, status=SwapStatus.COMPLETED) for _ in range(2)]
    await books.fill_log(org, 700)
    swaps.append(await make_swap(org, user, status=SwapStatus.COMPLETED))
    await books.fill_log(org, 300)
    await books.checkpoint(org)
    for swap in swaps:
        assert len(await _shown(org, swap["id"])) > 3


async def _text(org: Tenant, path: str, **query: str | int) -> str:
    answer = await org.send("GET", f"{_PROOFS}{path}", **query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    return answer.text


async def _shown(org: Tenant, payment: str, **query: str | int) -> list[dict[str, Any]]:
    """Return the parts that the proofs of a payment show, each verified."""
    text, keys = await _text(org, f"/transfers/{payment}", **query), await books.keys(org)
    assert text.startswith(_HEADER)
    return [
        json.loads(part) for proof in text.split(_HEADER)[1:] for part in check_proof(proof, keys)
    ]
