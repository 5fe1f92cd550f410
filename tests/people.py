"""Creates users with complete data for every rail, submitted or verified."""

from typing import Any, cast
from uuid import UUID

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import Rail
from tests.customers.kyc.samples import COMPANY_DOCUMENTS, company, document, owner, person
from tests.tenants import Tenant, business, individual, make_agreement

# Names in local script are submitted only by tests that need them.
_NO_LOCAL_NAME = {"firstNameLocal": None, "middleNameLocal": None, "lastNameLocal": None}


async def add_documents(org: Tenant, user: str, *fields: dict[str, Any]) -> None:
    """Add documents to a user."""
    await org.post(f"/v2/users/{user}/kyc/documents", list(fields))


async def make_person(org: Tenant, *, last_name: str = "Example", **kyc: Any) -> str:
    """Create a person with KYC data for every rail, changed by `kyc`; return their id."""
    submitted = individual(await make_agreement(org), lastName=last_name)
    user = str((await org.post("/v2/users", submitted))["id"])
    names: dict[str, Any] = {**_NO_LOCAL_NAME, "lastName": last_name}
    await org.post(f"/v2/users/{user}/kyc", person(**{**names, **kyc}))
    await add_documents(org, user, document())
    return user


async def make_business(
    org: Tenant, *, owner_name: str = "Example", name: str = "Example Ltd", **kyc: Any
) -> str:
    """Create a business with KYC data for every rail and one owner of this name; return its id."""
    submitted = business(await make_agreement(org), businessName=name)
    user = str((await org.post("/v2/users", submitted))["id"])
    data = company(businessName=name, businessNameLocal=None)
    await org.post(
        f"/v2/users/{user}/kyc", {**{k: v for k, v in data.items() if k != OWNERS}, **kyc}
    )
    for each in await owners_of(org, user):
        about = owner(**_NO_LOCAL_NAME, lastName=owner_name)
        await org.post(f"/v2/users/{user}/kyc/ubos/{each}", about)
        await add_documents(org, user, document(uboId=each))
    await add_documents(org, user, *(document(each) for each in COMPANY_DOCUMENTS))
    return user


async def owners_of(org: Tenant, user: str) -> list[str]:
    """Return the ids of a business's owners."""
    reply = await org.get(f"/v2/users/{user}/kyc")
    return [str(each) for each in reply["kycInfo"][OWNERS]]


async def documents_of(org: Tenant, user: str) -> list[str]:
    """Return the ids of a user's documents, including those of its owners."""
    profiles, users = org.container.kyc_profiles, org.container.users
    profile = await profiles.get(org.org_id, await users.get(org.org_id, UUID(user)))
    return [str(each.id) for each in profile.documents]


async def submit(org: Tenant, user: str, rail: Rail = Rail.USD) -> dict[str, Any]:
    """Submit for a rail; return the status object of the reply."""
    reply = await org.post(f"/v2/users/{user}/kyc/submissions", {"rails": rail})
    return cast("dict[str, Any]", reply[rail])


async def status_of(org: Tenant, user: str, rail: Rail = Rail.USD) -> dict[str, Any]:
    """Return the status object."""
    return cast("dict[str, Any]", await org.get(f"/v2/users/{user}/kyc/status", rails=rail))


async def verify(org: Tenant, user: str, rail: Rail = Rail.USD) -> None:
    """Verify a user with complete data for a rail; advances the sandbox's clock."""
    await submit(org, user, rail)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    assert (await status_of(org, user, rail))["status"] == "ACTIVE"


async def make_verified(org: Tenant, rail: Rail = Rail.USD, **kyc: Any) -> str:
    """Create a person verified for a rail; return their id."""
    user = await make_person(org, **kyc)
    await verify(org, user, rail)
    return user
