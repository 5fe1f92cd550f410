"""Personal data of the travel rule: sealed, masked, erased, of one organisation, and in no log."""

from collections.abc import AsyncGenerator, Callable

import pytest

from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope, MemberRole
from tests.customers.payment_screening.payment_world import PaymentWorld
from tests.customers.travel_rule.travel_world import (
    BOB,
    HOSTED,
    SETTING,
    WAITING,
    state,
    travel_world,
    wallet_path,
)
from tests.platform.http.member_clients import member_client
from tests.resolution_team import make_person
from tests.tenants import make_tenant

NAME, NUMBER = "Xylophonius", "PASSPORT12345"
SECRET = HOSTED | {"person": BOB | {"firstName": NAME, "govIdNumber": NUMBER}}


@pytest.fixture
async def world(own_database: Database) -> AsyncGenerator[PaymentWorld]:
    async with travel_world(own_database) as found:
        yield found


async def test_the_message_has_both_parties_as_ivms101(world: PaymentWorld) -> None:
    await state(world.org, world.ada, SECRET)
    await world.transfer("10")
    (screening,) = await world.screenings(status="RELEASED")
    path = f"/v2/travel-rule/messages/{screening['id']}"
    message = (await world.org.get(path))["ivms101"]
    (bob,) = message["beneficiary"]["beneficiaryPersons"]
    (name,) = bob["naturalPerson"]["name"]["nameIdentifier"]
    assert (name["secondaryIdentifier"], name["nameIdentifierType"]) == (NAME, "LEGL")
    assert bob["naturalPerson"]["nationalIdentification"]["nationalIdentifier"] == NUMBER
    (ada,) = message["originator"]["originatorPersons"]
    assert ada["naturalPerson"]["customerIdentification"] == world.ada
    assert ada["naturalPerson"]["dateAndPlaceOfBirth"]["placeOfBirth"] == "Paris"
    assert message["beneficiary"]["accountNumber"] == [screening["destinationAddress"]]
    vasp = message["beneficiaryVASP"]["beneficiaryVASP"]["legalPerson"]["name"]["nameIdentifier"]
    assert vasp[0]["legalPersonName"] == "Example Exchange"
    assert "originatingVASP" in message


async def test_analysts_see_masked_numbers_and_no_message(world: PaymentWorld) -> None:
    await state(world.org, world.ada, SECRET)
    await world.transfer("10")
    (screening,) = await world.screenings(status="RELEASED")
    message, data = f"/v2/travel-rule/messages/{screening['id']}", wallet_path(world.ada)
    analyst = member_client(world.org, MemberRole.ANALYST)
    assert NUMBER not in str(await analyst.get(data))
    with pytest.raises(RoleNotAllowed):
        await analyst.get(message)
    reader = await make_person(world.org, "reader", [KeyScope.READ])
    assert NUMBER not in (await reader.send("GET", data)).text
    for method, path, body in (
        ("GET", message, {}),
        ("PUT", data, SECRET),
        ("PUT", SETTING, {"jurisdiction": None}),
    ):
        assert (await reader.send(method, path, body)).status_code == 403


async def test_an_erasure_takes_everything(world: PaymentWorld) -> None:
    org, user = world.org, world.ada
    await state(org, user, SECRET)
    await world.transfer("1000")
    await world.settle()
    (screening,) = await world.screenings(status="RELEASED")
    await org.post(f"/v2/users/{user}/freeze", {})
    assert (await org.send("DELETE", f"/v2/users/{user}/personal-data")).status_code == 200
    path = f"/v2/travel-rule/messages/{screening['id']}"
    assert (await org.send("GET", path)).status_code == 404
    assert (await org.send("GET", wallet_path(user))).status_code == 404
    assert (await org.send("PUT", wallet_path(user), SECRET)).status_code == 403
    for table in ("travel_rule_wallets", "travel_rule_messages"):
        assert await org.container.database.rows(f"select org_id from {table}") == []  # noqa: S608


async def test_data_are_sealed_and_in_no_log(
    world: PaymentWorld, logged: Callable[[], str]
) -> None:
    await state(world.org, world.ada, SECRET)
    await world.transfer("10")
    rows = await world.org.container.database.rows(
        "select w.sealed_data, m.sealed_message from travel_rule_wallets w "
        "join travel_rule_messages m on m.org_id = w.org_id and m.user_id = w.user_id"
    )
    (row,) = rows
    for secret in (NAME, NUMBER):
        assert secret.encode() not in row["sealed_data"] + row["sealed_message"]
        assert secret not in logged()
        for table in ("changes", "request_log", "transfers"):
            found = await world.org.container.database.rows(
                f"select 1 from {table} t where t::text like '%' || $1 || '%'",  # noqa: S608
                secret,
            )
            assert found == [], table


async def test_another_organisation_sees_nothing(world: PaymentWorld) -> None:
    await state(world.org, world.ada, SECRET)
    await world.transfer("10")
    (screening,) = await world.screenings(status="RELEASED")
    await state(world.org, world.ada, HOSTED | {"person": {"type": "individual"}})
    await world.transfer("20")
    assert (await world.org.get(WAITING))["count"] == 1
    other = await make_tenant(world.container, world.org.client)
    for path in (f"/v2/travel-rule/messages/{screening['id']}", wallet_path(world.ada)):
        assert (await other.send("GET", path)).status_code == 404
    assert (await other.send("PUT", wallet_path(world.ada), SECRET)).status_code == 404
    for verb, body in (("challenge", {}), ("prove", {"signature": "0x"})):
        path = f"{wallet_path(world.ada)}/{verb}"
        assert (await other.send("POST", path, body)).status_code == 404
    assert (await other.get(WAITING))["transfers"] == []
    assert (await other.get(SETTING))["jurisdiction"] is None
