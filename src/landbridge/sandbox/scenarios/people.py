"""Scenarios of users, verification and bank accounts, and the users of all scenarios.

All persons are invented (`personas.py`).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from landbridge.platform.core.ids import new_id
from landbridge.sandbox.scenarios.client import ScenarioClient, ScenarioFailed
from landbridge.sandbox.scenarios.personas import DOSSIER, PASSPORT, person, us_account

_PAID = us_account("wire")
_PAYING = {
    "rail": "onramp",
    "type": "africa",
    "africa": {
        "financialInstitute": "Example Bank",
        "accountType": "bank",
        "currency": "ngn",
        "country": "NGA",
    },
}
_ROUTE = {
    "sourceCurrency": "usd",
    "destinationCurrency": "usdc",
    "destinationChain": "POLYGON",
}
_USD, _NIGERIA = "USD", "AFRICA_NIGERIA"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """Subject of a scenario: the path that retrieves it, and an id that its event contains.

    `path` is None if no route retrieves it.
    """

    path: str | None
    subject_id: str


Scenario = Callable[[ScenarioClient], Awaitable[ScenarioResult]]


async def agree(client: ScenarioClient) -> str:
    """Return the id of an accepted terms agreement."""
    link = await client.post("/v2/tos-link", {"idempotencyKey": str(new_id())})
    path = f"/v2/tos-link/{link['signedAgreementId']}"
    token = (await client.get(path))["sessionToken"]
    await client.post(f"{path}/accept", {"sessionToken": token})
    return str(link["signedAgreementId"])


async def sign_up(client: ScenarioClient, name: str = "Ada", *, funds: str | None = None) -> str:
    """Return the id of a new user with this amount of usdc in a POLYGON wallet."""
    details = person(name, await agree(client))
    user = str((await client.post("/v2/users", details))["id"])
    if funds is not None:
        await fund(client, user, funds)
    return user


async def fund(client: ScenarioClient, user: str, amount: str) -> str:
    """Fund a wallet with usdc on POLYGON; return the id of the deposit."""
    body = {"chain": "POLYGON", "currency": "usdc", "amount": amount}
    return str((await client.post(f"/v2/sandbox/users/{user}/wallets/fund", body))["id"])


async def introduce(client: ScenarioClient, user: str) -> None:
    """Provide all data that the USD and Nigeria rails require; submit nothing."""
    path = f"/v2/users/{user}/kyc"
    await client.post(path, DOSSIER)
    await client.post(f"{path}/documents", [PASSPORT])


async def verified(client: ScenarioClient, *rails: str, funds: str | None = None) -> str:
    """Return the id of a new user who is verified for these rails, or for USD."""
    user = await sign_up(client, funds=funds)
    await introduce(client, user)
    path = f"/v2/users/{user}/kyc"
    for rail in rails or (_USD,):
        await client.post(f"{path}/submissions", {"rails": rail})
        status = (await client.get(f"{path}/status", rails=rail))["status"]
        if status != "ACTIVE":
            raise ScenarioFailed(
                f"the verification is {status}: is the identity provider a sandbox?"
            )
    return user


async def bank_account(client: ScenarioClient, user: str, body: Mapping[str, Any] = _PAID) -> str:
    """Return the id of a bank account of a verified user, for payouts by default."""
    return str((await client.post(f"/v2/users/{user}/accounts", body))["id"])


async def _terms_are_accepted(client: ScenarioClient) -> ScenarioResult:
    agreement = await agree(client)
    return ScenarioResult(f"/v2/tos-link/{agreement}", agreement)


async def _user_is_created(client: ScenarioClient) -> ScenarioResult:
    user = await sign_up(client)
    return ScenarioResult(f"/v2/users/{user}", user)


async def _user_changes(client: ScenarioClient) -> ScenarioResult:
    user = await sign_up(client)
    path = f"/v2/users/{user}"
    await client.post(path, {"email": "ada.new@example.com"})
    return ScenarioResult(path, user)


async def _person_is_known(client: ScenarioClient) -> ScenarioResult:
    user = await sign_up(client)
    await introduce(client, user)
    return ScenarioResult(f"/v2/users/{user}/kyc", user)


async def _person_is_verified(client: ScenarioClient) -> ScenarioResult:
    user = await verified(client)
    return ScenarioResult(f"/v2/users/{user}/kyc/status?rails={_USD}", user)


async def _link_is_created(client: ScenarioClient) -> ScenarioResult:
    return _of_link(await _linked(client))


async def _link_is_submitted(client: ScenarioClient) -> ScenarioResult:
    page = await _linked(client)
    (session,) = parse_qs(page.query)["session"]
    await client.press(f"{page.path}/submit", {"session": session})
    return _of_link(page)


async def _linked(client: ScenarioClient) -> SplitResult:
    """Create a link to the hosted form for a user whose data are complete."""
    user = await sign_up(client)
    await introduce(client, user)
    link = await client.post("/v2/kyc-link", {"userId": user, "rails": [_USD]})
    return urlsplit(str(link["kycLinkUrl"]))


def _of_link(page: SplitResult) -> ScenarioResult:
    return ScenarioResult(None, page.path.rpartition("/")[2])


async def _payout_account(client: ScenarioClient) -> str:
    """Return the path of a new bank account for payouts."""
    user = await verified(client)
    return f"/v2/users/{user}/accounts/{await bank_account(client, user)}"


async def _paying_account(client: ScenarioClient) -> str:
    """Return the path of a new bank account for deposits."""
    user = await verified(client, _NIGERIA)
    return f"/v2/users/{user}/accounts/{await bank_account(client, user, _PAYING)}"


async def _virtual_account(client: ScenarioClient) -> str:
    """Return the path of a new virtual account."""
    path = f"/v2/users/{await verified(client)}/virtual-accounts"
    created = await client.post(path, _ROUTE)
    return f"{path}/{created['accountInfo']['id']}"


def _added(create: Callable[[ScenarioClient], Awaitable[str]]) -> Scenario:
    async def run(client: ScenarioClient) -> ScenarioResult:
        return _at(await create(client))

    return run


def _deleted(create: Callable[[ScenarioClient], Awaitable[str]]) -> Scenario:
    async def run(client: ScenarioClient) -> ScenarioResult:
        path = await create(client)
        await client.delete(path)
        return _at(path)

    return run


async def _virtual_account_is_closed(client: ScenarioClient) -> ScenarioResult:
    path = await _virtual_account(client)
    await client.post(f"{path}/deactivate")
    return _at(path)


def _at(path: str) -> ScenarioResult:
    return ScenarioResult(path, path.rpartition("/")[2])


# By the event that each produces.
SCENARIOS: Mapping[str, Scenario] = {
    "USER.CREATE": _user_is_created,
    "USER.UPDATE": _user_changes,
    "TOS_LINK.UPDATE": _terms_are_accepted,
    "KYC.DATA.UPDATE": _person_is_known,
    "KYC.STATUS.CREATE": _person_is_verified,
    "KYC.STATUS.UPDATE": _person_is_verified,
    "KYC_LINK.CREATE": _link_is_created,
    "KYC_LINK.UPDATE": _link_is_submitted,
    "ACCOUNT.ONRAMP.CREATE": _added(_paying_account),
    "ACCOUNT.ONRAMP.UPDATE": _deleted(_paying_account),
    "ACCOUNT.OFFRAMP.CREATE": _added(_payout_account),
    "ACCOUNT.OFFRAMP.UPDATE": _deleted(_payout_account),
    "ACCOUNT.VIRTUAL_ACCOUNT.CREATE": _added(_virtual_account),
    "ACCOUNT.VIRTUAL_ACCOUNT.UPDATE": _virtual_account_is_closed,
}
