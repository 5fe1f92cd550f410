"""What is personal: sealed, compared by digest, gone with the user."""

import asyncio
import re
from typing import Any
from uuid import UUID

import httpx2

from landbridge.core.ids import as_uuid
from landbridge.db.pool import Tx
from landbridge.files.model import file_uuid
from tests.contract.things import send_file
from tests.payouts import OFFRAMPS, OUTSIDE, accept, make_account, make_payee, offramp_body, shown
from tests.tenants import TRANSFERS, good, make_user, refusal, register, transfer_body
from tests.waiting import waits_for

from .playing import Play

MARKS = ["MARK WIRE", "MARK-DESCRIPTION", "MARK-PURPOSE", "MARK-ENTITY", "MARK-DOC"]


def _told(file: str) -> dict[str, Any]:
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


async def _stored(play: Play) -> str:
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
        found += [row["told"] for row in await play.org.house.database.rows(sql, play.org.org_id)]
    # Addresses are in hex of both cases, and one in some hundreds spells Ada.
    return re.sub("0x[0-9A-Fa-f]{40}", "", "\n".join(found))


async def test_texts_are_nowhere_in_clear(play: Play) -> None:
    made = await play.quoted(**_told(await send_file(play.org)))
    await accept(play.org, made)
    await play.run()
    stored = await _stored(play)
    assert not [mark for mark in (*MARKS, "Ada", "000123456789") if mark in stored]
    # A word of a published list is no text of anybody's.
    assert (await play.of(made)).record.request["purposeOfPayment"] == "health"
    wire = str(await shown(play.org, made))
    assert not [mark for mark in MARKS if mark in wire]
    assert play.rails.asked[0].texts["wireMessage"] == "MARK WIRE"


async def test_digests_are_the_users_own(play: Play) -> None:
    bob = await _second(play)
    requests: list[dict[str, Any]] = []
    for user, account in ((play.ada, play.account), bob):
        body = offramp_body(user, account, description="the same words")
        made = (await play.org.post(OFFRAMPS, body))["transferDetails"]
        requests.append(dict((await play.of(made)).record.request))
    digests = [each["description"] for each in requests]
    assert digests[0] != digests[1]
    assert all(len(each) == 64 for each in digests)


async def _second(play: Play) -> tuple[str, str]:
    bob = await make_payee(play.org)
    return bob, await make_account(play.org, bob)


async def test_texts_and_files_go_with_the_user(play: Play) -> None:
    file = await send_file(play.org)
    body = offramp_body(play.ada, play.account, **_told(file))
    made = (await play.org.post(OFFRAMPS, body))["transferDetails"]
    path = f"/v2/users/{play.ada}"
    await play.org.post(f"{path}/freeze", {"reason": "a"})
    answer = await play.org.send("DELETE", f"{path}/personal-data")
    assert answer.status_code == 409
    await play.org.post(f"{path}/unfreeze")
    await play.pass_time(minutes=11)
    bob = await make_user(play.org)
    await play.org.post(TRANSFERS, transfer_body(play.ada, bob, 1000))
    await play.run()
    await play.org.post(f"{path}/freeze", {"reason": "a"})
    await play.org.send("DELETE", f"{path}/personal-data")
    rows = await play.org.house.database.rows(
        "select transfer_id from offramp_texts where org_id = $1", play.org.org_id
    )
    assert rows == []
    assert await play.org.refused("GET", f"/v2/files/{file}") == "404 RESOURCE_NOT_FOUND"
    done = await shown(play.org, made)
    assert done["source"]["user"] == {
        "email": "",
        "lastName": None,
        "firstName": None,
        "businessName": None,
    }
    texts = play.org.house.offramps.archive
    kept = await texts.of(play.org.org_id, UUID(made["id"]), UUID(play.ada))
    assert kept.is_empty
    refused = await play.org.refused("POST", OFFRAMPS, body)
    assert refused == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_an_offramp_without_texts_stores_none(play: Play) -> None:
    made = await play.quoted()
    assert as_uuid(made["id"])
    rows = await play.org.house.database.rows(
        "select transfer_id from offramp_texts where org_id = $1", play.org.org_id
    )
    assert rows == []


async def test_a_missing_file_opens_nothing(play: Play) -> None:
    told = _told("file_" + "0" * 32)
    body = offramp_body(play.ada, play.account, **told)
    assert await play.org.refused("POST", OFFRAMPS, body) == "400 FIELD_VALIDATION_ERROR"
    assert (await play.org.get(OFFRAMPS))["count"] == 0
    good = offramp_body(
        play.ada, play.account, **_told(await send_file(play.org)), request_id=body["requestId"]
    )
    assert (await play.org.post(OFFRAMPS, good))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_an_erasure_meanwhile_opens_nothing_and_frees_the_files(play: Play) -> None:
    file, bob = await send_file(play.org), await make_payee(play.org, funds=None)
    source = {"externalWalletId": await register(play.org, bob, OUTSIDE)}
    account = await make_account(play.org, bob)
    body = offramp_body(None, account, source=source, **_told(file))

    async def erase_meanwhile(tx: Tx) -> asyncio.Task[httpx2.Response]:
        await tx.fetch(
            "select 1 from files where org_id = $1 and id = $2 for update",
            play.org.org_id,
            file_uuid(file),
        )
        mine = await tx.fetchval("select pg_backend_pid()")
        creating = asyncio.create_task(play.org.send("POST", OFFRAMPS, body))
        # It has seen that Bob is there; the file that it keeps for him waits for us.
        await waits_for(play.org.house.database, mine)
        await play.org.post(f"/v2/users/{bob}/freeze", {})
        good(await play.org.send("DELETE", f"/v2/users/{bob}/personal-data"))
        return creating

    creating = await play.org.house.database.transact(erase_meanwhile)
    assert refusal(await creating) == "403 USER_FROZEN"
    assert (await play.org.get(OFFRAMPS))["count"] == 0
    good(await play.org.send("DELETE", f"/v2/files/{file}"))
