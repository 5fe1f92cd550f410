"""Personal texts: encrypted, compared by digest, erased with the user."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import httpx2

from landbridge.platform.core.ids import as_uuid
from landbridge.platform.db.pool import Tx
from landbridge.platform.files.model import file_uuid
from tests.contract.resources import send_file
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, OUTSIDE, accept, make_account, make_payee, offramp_body, shown
from tests.tenants import TRANSFERS, good, make_user, refusal, register, transfer_body
from tests.waiting import waits_for

MARKS = ["MARK WIRE", "MARK-DESCRIPTION", "MARK-PURPOSE", "MARK-ENTITY", "MARK-DOC"]


def _offramp_fields(file: str) -> dict[str, Any]:
    return {
        "destination": {"wireMessage": "MARK WIRE"},
        "purposeOfPayment": "health",
        "description": "MARK-DESCRIPTION",
        "supportingInformation": {
            "detailedPurposeOfPayment": "MARK-PURPOSE",
            "beneficiaryDetails": {"legalEntityName": "MARK-ENTITY"},
            "documents": [{"fileId": file, "type": "INVOICE", "description": "MARK-DOC"}],
        },
    }


async def _stored(scenario: OfframpScenario) -> str:
    """Everything that is stored in clear about records."""
    found: list[str] = []
    for sql in (
        (
            "select request::text || details::text || facts::text as told from transfers"
            " where org_id = $1"
        ),
        "select coalesce(facts::text, '') as told from changes where org_id = $1",
        "select encode(sealed_texts, 'escape') as told from offramp_texts where org_id = $1",
    ):
        found += [
            row["told"]
            for row in await scenario.org.container.database.rows(sql, scenario.org.org_id)
        ]
    # Addresses are in hex of both cases, and one in some hundreds spells Ada.
    return re.sub("0x[0-9A-Fa-f]{40}", "", "\n".join(found))


async def test_texts_are_nowhere_in_clear(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(**_offramp_fields(await send_file(scenario.org)))
    await accept(scenario.org, created)
    await scenario.run()
    stored = await _stored(scenario)
    assert not [mark for mark in (*MARKS, "Ada", "000123456789") if mark in stored]
    # A value of a published list is not personal data.
    assert (await scenario.of(created)).record.request["purposeOfPayment"] == "health"
    wire = str(await shown(scenario.org, created))
    assert not [mark for mark in MARKS if mark in wire]
    assert scenario.rails.orders[0].texts["wireMessage"] == "MARK WIRE"


async def test_digests_are_per_user(scenario: OfframpScenario) -> None:
    bob = await _second(scenario)
    requests: list[dict[str, Any]] = []
    for user, account in ((scenario.ada, scenario.account), bob):
        body = offramp_body(user, account, description="the same words")
        created = (await scenario.org.post(OFFRAMPS, body))["transferDetails"]
        requests.append(dict((await scenario.of(created)).record.request))
    digests = [each["description"] for each in requests]
    assert digests[0] != digests[1]
    assert all(len(each) == 64 for each in digests)


async def _second(scenario: OfframpScenario) -> tuple[str, str]:
    bob = await make_payee(scenario.org)
    return bob, await make_account(scenario.org, bob)


async def test_texts_and_files_go_with_the_user(scenario: OfframpScenario) -> None:
    file = await send_file(scenario.org)
    body = offramp_body(scenario.ada, scenario.account, **_offramp_fields(file))
    created = (await scenario.org.post(OFFRAMPS, body))["transferDetails"]
    path = f"/v2/users/{scenario.ada}"
    await scenario.org.post(f"{path}/freeze", {"reason": "a"})
    answer = await scenario.org.send("DELETE", f"{path}/personal-data")
    assert answer.status_code == 409
    await scenario.org.post(f"{path}/unfreeze")
    await scenario.pass_time(minutes=11)
    bob = await make_user(scenario.org)
    await scenario.org.post(TRANSFERS, transfer_body(scenario.ada, bob, 1000))
    await scenario.run()
    await scenario.org.post(f"{path}/freeze", {"reason": "a"})
    await scenario.org.send("DELETE", f"{path}/personal-data")
    rows = await scenario.org.container.database.rows(
        "select transfer_id from offramp_texts where org_id = $1", scenario.org.org_id
    )
    assert rows == []
    assert await scenario.org.refused("GET", f"/v2/files/{file}") == "404 RESOURCE_NOT_FOUND"
    done = await shown(scenario.org, created)
    assert done["source"]["user"] == {
        "email": "",
        "lastName": None,
        "firstName": None,
        "businessName": None,
    }
    texts = scenario.org.container.offramps.archive
    texts_ = await texts.of(scenario.org.org_id, UUID(created["id"]), UUID(scenario.ada))
    assert texts_.is_empty
    refused = await scenario.org.refused("POST", OFFRAMPS, body)
    assert refused == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_offramp_without_texts_stores_none(scenario: OfframpScenario) -> None:
    created = await scenario.quoted()
    assert as_uuid(created["id"])
    rows = await scenario.org.container.database.rows(
        "select transfer_id from offramp_texts where org_id = $1", scenario.org.org_id
    )
    assert rows == []


async def test_missing_file_refuses_the_offramp(scenario: OfframpScenario) -> None:
    fields = _offramp_fields("file_" + "0" * 32)
    body = offramp_body(scenario.ada, scenario.account, **fields)
    assert await scenario.org.refused("POST", OFFRAMPS, body) == "400 FIELD_VALIDATION_ERROR"
    assert (await scenario.org.get(OFFRAMPS))["count"] == 0
    good = offramp_body(
        scenario.ada,
        scenario.account,
        **_offramp_fields(await send_file(scenario.org)),
        request_id=body["requestId"],
    )
    assert (await scenario.org.post(OFFRAMPS, good))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_a_file_of_another_user_is_refused(scenario: OfframpScenario) -> None:
    bob, _ = await _second(scenario)
    file = await send_file(scenario.org)
    document = {
        "type": "PASSPORT",
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "number": "P1",
        "expiryDate": "2100-01-01",
        "fileId": file,
    }
    await scenario.org.post(f"/v2/users/{bob}/kyc/documents", [document])
    body = offramp_body(scenario.ada, scenario.account, **_offramp_fields(file))
    for path in (OFFRAMPS, f"{OFFRAMPS}?dryRun=true"):
        answer = await scenario.org.send("POST", path, body)
        assert answer.status_code == 400
        field = "supportingInformation.documents[0].fileId"
        assert answer.json()["errorDetails"] == f"{field}: the file is used for another user"
    # The erasure of Ada, with texts of an earlier version, leaves the passport of Bob.
    created = await scenario.quoted()
    org_id, database = scenario.org.org_id, scenario.org.container.database
    await database.rows(
        "insert into offramp_texts (org_id, transfer_id, user_id, sealed_texts, file_ids)"
        " values ($1, $2, $3, '', array[$4])",
        *(org_id, UUID(created["id"]), UUID(scenario.ada), file),
    )
    archive, at = (
        scenario.org.container.offramps.archive,
        (await scenario.of(created)).record.updated_at,
    )
    await database.transact(lambda tx: archive.forget(tx, org_id, UUID(scenario.ada), at))
    assert (await scenario.org.get(f"/v2/files/{file}"))["id"] == file


async def test_a_file_first_used_in_an_offramp_is_no_document_of_another_user(
    scenario: OfframpScenario,
) -> None:
    bob, _ = await _second(scenario)
    file = await send_file(scenario.org)
    await scenario.quoted(**_offramp_fields(file))
    document = {
        "type": "PASSPORT",
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "fileId": file,
    }
    refused = await scenario.org.refused("POST", f"/v2/users/{bob}/kyc/documents", [document])
    assert refused == "400 FIELD_VALIDATION_ERROR"


async def test_concurrent_erasure_refuses_the_offramp_and_frees_the_files(
    scenario: OfframpScenario,
) -> None:
    file, bob = await send_file(scenario.org), await make_payee(scenario.org, funds=None)
    source = {"externalWalletId": await register(scenario.org, bob, OUTSIDE)}
    account = await make_account(scenario.org, bob)
    body = offramp_body(None, account, source=source, **_offramp_fields(file))
    container, org_id = scenario.org.container, scenario.org.org_id

    async def erase_meanwhile(tx: Tx) -> asyncio.Task[httpx2.Response]:
        # As an erasure does: it locks the user first, and destroys the key.
        await tx.fetch(
            "select 1 from users where org_id = $1 and id = $2 for update", org_id, UUID(bob)
        )
        mine = await tx.fetchval("select pg_backend_pid()")
        creating = asyncio.create_task(scenario.org.send("POST", OFFRAMPS, body))
        # The request has read Bob's key, and waits for the lock.
        await waits_for(container.database, mine)
        await container.vault.destroy(tx, org_id, [UUID(bob)])
        return creating

    creating = await container.database.transact(erase_meanwhile)
    assert refusal(await creating) == "403 USER_FROZEN"
    assert (await scenario.org.get(OFFRAMPS))["count"] == 0
    good(await scenario.org.send("DELETE", f"/v2/files/{file}"))


async def test_an_erasure_waits_for_an_offramp_that_claims_files(
    scenario: OfframpScenario,
) -> None:
    file, bob = await send_file(scenario.org), await make_payee(scenario.org, funds=None)
    source = {"externalWalletId": await register(scenario.org, bob, OUTSIDE)}
    account = await make_account(scenario.org, bob)
    body = offramp_body(None, account, source=source, **_offramp_fields(file))
    database, org_id = scenario.org.container.database, scenario.org.org_id

    async def erase_meanwhile(tx: Tx) -> Sequence[asyncio.Task[httpx2.Response]]:
        await tx.fetch(
            "select 1 from files where org_id = $1 and id = $2 for update", org_id, file_uuid(file)
        )
        mine = await tx.fetchval("select pg_backend_pid()")
        creating = asyncio.create_task(scenario.org.send("POST", OFFRAMPS, body))
        await waits_for(database, mine)
        await database.rows(
            "update users set frozen_at = now() where org_id = $1 and id = $2", org_id, UUID(bob)
        )
        path = f"/v2/users/{bob}/personal-data"
        return creating, asyncio.create_task(scenario.org.send("DELETE", path))

    creating, erasing = await database.transact(erase_meanwhile)
    good(await creating)
    assert refusal(await erasing) == "409 RESOURCE_CONFLICT"
    assert (await scenario.org.get(f"/v2/files/{file}"))["id"] == file
