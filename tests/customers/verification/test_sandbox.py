"""Sandbox verification: the effect of name, rail and time on a submission."""

from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

import pytest

from landbridge.customers.kyc.model import Rail
from tests.matrices import each_value_once
from tests.people import make_business, make_person, make_verified, status_of, submit
from tests.tenants import Tenant, sentence

ADVANCE = "/v2/sandbox/clock/advance"
Maker = Callable[..., Awaitable[str]]


async def _person(org: Tenant, name: str) -> str:
    return await make_person(org, last_name=name)


async def _owner(org: Tenant, name: str) -> str:
    return await make_business(org, owner_name=name)


async def _business(org: Tenant, name: str) -> str:
    return await make_business(org, name=name)


@pytest.mark.parametrize(
    ("make", "decided"),
    each_value_once(
        product(
            [_person, _owner, _business],
            [
                ("Rejection", "REJECTED"),
                ("PENDING", "PENDING"),
                ("approval", "ACTIVE"),
                ("Retry", "INCOMPLETE"),
                ("Information", "RFI_PENDING"),
                ("Review", "MANUAL_REVIEW"),
            ],
        )
    ),
)
async def test_a_reserved_name_decides_at_once(
    org: Tenant, make: Maker, decided: tuple[str, str]
) -> None:
    name, status = decided
    user = await make(org, name)
    assert (await submit(org, user))["status"] == "CREATED"
    assert (await status_of(org, user))["status"] == status
    await org.post(ADVANCE, {"seconds": 1_000_000})
    assert (await status_of(org, user))["status"] == status


@pytest.mark.parametrize(("make", "delay_s"), [(_person, 10), (_owner, 30)])
async def test_others_are_approved_after_a_delay_of_the_organisations_clock(
    still_org: Tenant, make: Maker, delay_s: int
) -> None:
    org = still_org
    user = await make(org, "Example")
    await submit(org, user)
    await org.post(ADVANCE, {"seconds": delay_s})
    # Submitted just after the clock's own time, because timestamps are unique.
    assert (await status_of(org, user))["status"] == "PENDING"
    await org.post(ADVANCE, {"seconds": 1})
    assert (await status_of(org, user))["status"] == "ACTIVE"


@pytest.mark.parametrize("rail", list(Rail))
@pytest.mark.parametrize("make", [_person, _owner])
async def test_every_rail_can_be_had(org: Tenant, make: Maker, rail: Rail) -> None:
    user = await make(org, "Approval")
    await submit(org, user, rail)
    assert (await status_of(org, user, rail))["status"] == "ACTIVE"
    others = [each for each in Rail if each is not rail]
    assert {(await status_of(org, user, each))["status"] for each in others} == {"INACTIVE"}


async def test_of_several_owners_the_worst_name_wins(org: Tenant) -> None:
    user = await make_business(org, owner_name="Approval", name="Rejection")
    await submit(org, user)
    assert (await status_of(org, user))["status"] == "REJECTED"


async def test_screening_uses_the_name_at_submission(org: Tenant) -> None:
    user = await make_person(org, last_name="Example")
    await org.post(f"/v2/users/{user}/kyc", {"lastName": "Rejection"})
    await submit(org, user)
    assert (await status_of(org, user))["status"] == "REJECTED"


async def test_changes_after_submission_do_not_affect_the_case(still_org: Tenant) -> None:
    org = still_org
    user = await make_person(org)
    await submit(org, user)
    await org.post(f"/v2/users/{user}/kyc", {"lastName": "Rejection"})
    await org.post(ADVANCE, {"seconds": 11})
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_a_rejected_name_is_corrected_and_resubmitted(still_org: Tenant) -> None:
    org = still_org
    user = await make_person(org, last_name="Retry")
    await submit(org, user)
    status = await status_of(org, user)
    assert status["reviewResult"]["reviewRejectType"] == "RETRY"
    assert status["details"]["personalInfo"]["reviewResult"]["reviewAnswer"] == "DECLINED"
    assert await _rejected_fields(org, user) == {"lastName": "rejected"}

    answer = await org.send("POST", f"/v2/users/{user}/kyc/submissions", {"rails": "USD"})
    assert answer.json()["error"] == "USER_COMPLIANCE_DATA_INVALID"
    assert answer.json()["invalid"]["fields"] == {"lastName": "rejected"}

    await org.post(f"/v2/users/{user}/kyc", {"lastName": "Example"})
    assert await _rejected_fields(org, user) == {}
    assert (await submit(org, user))["status"] == "PENDING"
    assert (await status_of(org, user))["reviewResult"] == {}
    await org.post(ADVANCE, {"seconds": 11})
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_information_is_sent_and_submitted_again(org: Tenant) -> None:
    user = await make_person(org, last_name="Information")
    await submit(org, user)
    assert "funds" in (await status_of(org, user))["reviewResult"]["comment"]
    await org.post(f"/v2/users/{user}/kyc", {"lastName": "Approval"})
    assert (await submit(org, user))["status"] == "PENDING"
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_a_finally_rejected_user_is_refused(org: Tenant) -> None:
    user = await make_person(org, last_name="Rejection")
    await submit(org, user)
    path = f"/v2/users/{user}/kyc/submissions"
    assert await org.refused("POST", path, {"rails": "USD"}) == "409 RESOURCE_CONFLICT"
    assert await org.refused("POST", path, {"rails": ["AFRICA_GENERAL", "USD"]}) == (
        "409 RESOURCE_CONFLICT"
    )
    assert (await status_of(org, user, Rail.AFRICA_GENERAL))["status"] == "INACTIVE"


async def test_repeated_submission_returns_the_status(org: Tenant) -> None:
    user = await make_verified(org)
    before = await status_of(org, user)
    assert (await submit(org, user))["status"] == "ACTIVE"
    assert await status_of(org, user) == before


async def test_nothing_is_submitted_if_something_is_missing(org: Tenant) -> None:
    user = await make_person(org)
    path = f"/v2/users/{user}/kyc"
    await org.post(path, {"phone": None, "sofEuQuestionnaire": None})
    answer = await org.send("POST", f"{path}/submissions", {"rails": "USD"})
    assert answer.status_code == 400
    assert answer.json()["code"] == 300202
    requirements = await org.get(f"{path}/requirements", rails="USD")
    assert answer.json()["invalid"] == requirements["invalid"]
    assert answer.json()["invalid"]["fields"] == {"phone": "missing"}
    assert (await status_of(org, user))["status"] == "INACTIVE"
    both = {"rails": ["USD", "GLOBAL_NETWORK"]}
    answer = await org.send("POST", f"{path}/submissions", both)
    assert set(answer.json()["invalid"]) == {"USD", "GLOBAL_NETWORK"}
    assert "GLOBAL_NETWORK" in sentence(answer)


async def test_several_rails_are_submitted_together_or_not_at_all(org: Tenant) -> None:
    user = await make_person(org, last_name="Approval")
    path = f"/v2/users/{user}/kyc"
    rails = {"rails": ["USD", "AFRICA_NIGERIA", "USD"]}
    await org.post(path, {"additionalIdNumber": "1"})
    assert await org.refused("POST", f"{path}/submissions", rails) == (
        "400 USER_COMPLIANCE_DATA_INVALID"
    )
    assert (await status_of(org, user))["status"] == "INACTIVE"
    await org.post(path, {"additionalIdNumber": "22212345678"})
    created = await org.post(f"{path}/submissions", rails)
    assert {name: each["status"] for name, each in created.items()} == {
        "USD": "CREATED",
        "AFRICA_NIGERIA": "CREATED",
    }
    assert (await status_of(org, user, Rail.AFRICA_NIGERIA))["status"] == "ACTIVE"


async def test_a_frozen_user_submits_nothing(org: Tenant) -> None:
    user = await make_person(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    path = f"/v2/users/{user}/kyc/submissions"
    assert await org.refused("POST", path, {"rails": "USD"}) == "403 USER_FROZEN"


async def _rejected_fields(org: Tenant, user: str) -> Any:
    reply = await org.get(f"/v2/users/{user}/kyc/requirements", rails="USD")
    return reply["invalid"].get("fields", {})
