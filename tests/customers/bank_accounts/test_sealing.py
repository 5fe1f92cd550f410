"""Personal data of accounts is encrypted, and erased with the user."""

from uuid import UUID, uuid4

from landbridge.customers.kyc.model import Rail
from tests.customers.bank_accounts.bodies import NUMBERS, having, whole
from tests.customers.bank_accounts.test_api import BODIES, at, good_delete, us
from tests.customers.bank_accounts.verified import make_verified
from tests.tenants import Tenant


async def test_personal_data_is_in_no_column(org: Tenant) -> None:
    user = await make_verified(org)
    bodies = [whole(case) for case in BODIES.values()]
    for body in bodies:
        await org.post(at(user), {**body, "requestId": str(uuid4())})
    rows = await org.container.database.rows(
        "select b::text as whole, b.sealed_details, b.sealed_request from bank_accounts b"
        " where org_id = $1",
        org.org_id,
    )
    assert len(rows) == len(bodies)
    markers = {number for _, number, _ in NUMBERS.values() if len(number) > 6}
    markers |= {"Ada Example", "Springfield", "1 Main Street", "ada@example.com"}
    for row in rows:
        sealed = bytes(row["sealed_details"]) + bytes(row["sealed_request"])
        for marker in markers:
            assert marker not in row["whole"]
            assert marker.encode() not in sealed


async def test_erasing_the_user_blanks_its_accounts(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = {**us(), "requestId": str(uuid4())}
    active = (await org.post(at(user), body))["id"]
    rejected = await org.post(at(user), having(us(), "us.routingNumber", "021000022"))
    await org.post(f"/v2/users/{user}/freeze", {})
    answer = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert answer.status_code == 200, answer.text
    for account in (active, rejected["id"]):
        left = await org.get(at(user, account))
        assert left["status"] == "INACTIVE"
        assert left["accountHolder"] is None
        assert left["isValid"] is False
        assert left["invalidFields"] == []
        assert "us" not in left
        assert good_delete(await org.send("DELETE", at(user, account)))["status"] == "INACTIVE"
    text = (await org.send("GET", at(user))).text
    assert "Ada Example" not in text
    # As lists show it: four digits alone occur in some ids and times by chance.
    assert "*6789" not in text
    rows = await org.container.database.rows(
        "select sealed_details, sealed_request from bank_accounts where org_id = $1", org.org_id
    )
    assert all(row["sealed_details"] is row["sealed_request"] is None for row in rows)
    assert await org.refused("POST", at(user), body) == "409 RESOURCE_CONFLICT"
    assert await org.refused("POST", at(user), us()) == "403 USER_FROZEN"


async def test_sealed_details_open_in_their_own_row_only(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    one, other = [(await org.post(at(user), us()))["id"] for _ in range(2)]
    await org.container.database.rows(
        "update bank_accounts b set sealed_details = o.sealed_details from bank_accounts o"
        " where b.org_id = $1 and o.org_id = $1 and b.id = $2 and o.id = $3",
        org.org_id,
        UUID(one),
        UUID(other),
    )
    assert (await org.send("GET", at(user, one))).status_code == 500
    assert (await org.get(at(user, other)))["status"] == "ACTIVE"
