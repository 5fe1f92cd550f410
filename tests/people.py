"""Makers of users who have told enough for every rail, have submitted it, or are verified."""

from typing import Any, cast
from uuid import UUID

from landbridge.kyc.fields import OWNERS
from landbridge.kyc.model import Rail
from tests.kyc.samples import COMPANY_DOCUMENTS, company, document, owner, person
from tests.tenants import Tenant, business, individual, make_agreement

# Names of their own script are told only where a test says so.
_NO_LOCAL_NAME = {"firstNameLocal": None, "middleNameLocal": None, "lastNameLocal": None}


async def add_documents(org: Tenant, user: str, *told: dict[str, Any]) -> None:
    """Add documents to a user."""
    await org.post(f"/v2/users/{user}/kyc/documents", list(told))


async def make_person(org: Tenant, *, last_name: str = "Example", **kyc: Any) -> str:
    """The id of a person with enough KYC data for every rail; `kyc` are changes to it."""
    told = individual(await make_agreement(org), lastName=last_name)
    user = str((await org.post("/v2/users", told))["id"])
    names: dict[str, Any] = {**_NO_LOCAL_NAME, "lastName": last_name}
    await org.post(f"/v2/users/{user}/kyc", person(**{**names, **kyc}))
    await add_documents(org, user, document())
    return user


async def make_business(
    org: Tenant, *, owner_name: str = "Example", name: str = "Example Ltd", **kyc: Any
) -> str:
    """The id of a business with enough KYC data for every rail, of one owner of this last name."""
    told = business(await make_agreement(org), businessName=name)
    user = str((await org.post("/v2/users", told))["id"])
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
    """The ids of a business's owners."""
    told = await org.get(f"/v2/users/{user}/kyc")
    return [str(each) for each in told["kycInfo"][OWNERS]]


async def documents_of(org: Tenant, user: str) -> list[str]:
    """The ids of a user's documents, and of its owners'."""
    dossiers, users = org.house.dossiers, org.house.users
    dossier = await dossiers.get(org.org_id, await users.get(org.org_id, UUID(user)))
    return [str(each.id) for each in dossier.documents]


async def submit(org: Tenant, user: str, rail: Rail = Rail.USD) -> dict[str, Any]:
    """Submit for a rail; the status object of the answer."""
    told = await org.post(f"/v2/users/{user}/kyc/submissions", {"rails": rail})
    return cast("dict[str, Any]", told[rail])


async def status_of(org: Tenant, user: str, rail: Rail = Rail.USD) -> dict[str, Any]:
    """The status object."""
    return cast("dict[str, Any]", await org.get(f"/v2/users/{user}/kyc/status", rails=rail))


async def verify(org: Tenant, user: str, rail: Rail = Rail.USD) -> None:
    """Have a user who has told enough verified for a rail; moves the clock of the sandbox."""
    await submit(org, user, rail)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    assert (await status_of(org, user, rail))["status"] == "ACTIVE"


async def make_verified(org: Tenant, rail: Rail = Rail.USD, **kyc: Any) -> str:
    """The id of a person who is verified for a rail."""
    user = await make_person(org, **kyc)
    await verify(org, user, rail)
    return user
