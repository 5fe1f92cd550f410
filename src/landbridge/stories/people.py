"""Who takes part in stories, and the stories of people: users, verification and bank accounts.

Everybody is made up (`made_up.py`).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from landbridge.core.ids import new_id
from landbridge.stories.client import Client, StoryFailed
from landbridge.stories.made_up import DOSSIER, PASSPORT, person, us_account

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
class Told:
    """What a story was about: where it is retrieved, and an id that its event shows.

    `path` is None for what no route retrieves.
    """

    path: str | None
    about: str


Story = Callable[[Client], Awaitable[Told]]


async def agree(client: Client) -> str:
    """The id of terms that somebody has accepted."""
    link = await client.post("/v2/tos-link", {"idempotencyKey": str(new_id())})
    path = f"/v2/tos-link/{link['signedAgreementId']}"
    token = (await client.get(path))["sessionToken"]
    await client.post(f"{path}/accept", {"sessionToken": token})
    return str(link["signedAgreementId"])


async def sign_up(client: Client, name: str = "Ada", *, funds: str | None = None) -> str:
    """The id of a new user with a wallet, and this much usdc on POLYGON in it."""
    told = person(name, await agree(client))
    user = str((await client.post("/v2/users", told))["id"])
    if funds is not None:
        await fund(client, user, funds)
    return user


async def fund(client: Client, user: str, amount: str) -> str:
    """Let usdc arrive on POLYGON; the id of the deposit."""
    body = {"chain": "POLYGON", "currency": "usdc", "amount": amount}
    return str((await client.post(f"/v2/sandbox/users/{user}/wallets/fund", body))["id"])


async def introduce(client: Client, user: str) -> None:
    """Tell all that is asked before dollars and naira move; submit nothing."""
    path = f"/v2/users/{user}/kyc"
    await client.post(path, DOSSIER)
    await client.post(f"{path}/documents", [PASSPORT])


async def verified(client: Client, *rails: str, funds: str | None = None) -> str:
    """The id of a new user who is verified on these rails, or for dollars."""
    user = await sign_up(client, funds=funds)
    await introduce(client, user)
    path = f"/v2/users/{user}/kyc"
    for rail in rails or (_USD,):
        await client.post(f"{path}/submissions", {"rails": rail})
        status = (await client.get(f"{path}/status", rails=rail))["status"]
        if status != "ACTIVE":
            raise StoryFailed(f"the verification is {status}: is the identity provider a sandbox?")
    return user


async def bank_account(client: Client, user: str, body: Mapping[str, Any] = _PAID) -> str:
    """The id of a bank account of a verified user, for payouts unless told otherwise."""
    return str((await client.post(f"/v2/users/{user}/accounts", body))["id"])


async def _terms_are_accepted(client: Client) -> Told:
    agreement = await agree(client)
    return Told(f"/v2/tos-link/{agreement}", agreement)


async def _user_is_made(client: Client) -> Told:
    user = await sign_up(client)
    return Told(f"/v2/users/{user}", user)


async def _user_changes(client: Client) -> Told:
    user = await sign_up(client)
    path = f"/v2/users/{user}"
    await client.post(path, {"email": "ada.new@example.com"})
    return Told(path, user)


async def _person_is_known(client: Client) -> Told:
    user = await sign_up(client)
    await introduce(client, user)
    return Told(f"/v2/users/{user}/kyc", user)


async def _person_is_verified(client: Client) -> Told:
    user = await verified(client)
    return Told(f"/v2/users/{user}/kyc/status?rails={_USD}", user)


async def _link_is_made(client: Client) -> Told:
    return _of_link(await _linked(client))


async def _link_is_submitted(client: Client) -> Told:
    page = await _linked(client)
    (session,) = parse_qs(page.query)["session"]
    await client.press(f"{page.path}/submit", {"session": session})
    return _of_link(page)


async def _linked(client: Client) -> SplitResult:
    """A link to the hosted form for a user who has told everything."""
    user = await sign_up(client)
    await introduce(client, user)
    made = await client.post("/v2/kyc-link", {"userId": user, "rails": [_USD]})
    return urlsplit(str(made["kycLinkUrl"]))


def _of_link(page: SplitResult) -> Told:
    return Told(None, page.path.rpartition("/")[2])


async def _payout_account(client: Client) -> str:
    """The path of a new bank account that is paid."""
    user = await verified(client)
    return f"/v2/users/{user}/accounts/{await bank_account(client, user)}"


async def _paying_account(client: Client) -> str:
    """The path of a new bank account that pays."""
    user = await verified(client, _NIGERIA)
    return f"/v2/users/{user}/accounts/{await bank_account(client, user, _PAYING)}"


async def _virtual_account(client: Client) -> str:
    """The path of a new virtual account."""
    path = f"/v2/users/{await verified(client)}/virtual-accounts"
    made = await client.post(path, _ROUTE)
    return f"{path}/{made['accountInfo']['id']}"


def _added(made: Callable[[Client], Awaitable[str]]) -> Story:
    async def play(client: Client) -> Told:
        return _at(await made(client))

    return play


def _deleted(made: Callable[[Client], Awaitable[str]]) -> Story:
    async def play(client: Client) -> Told:
        path = await made(client)
        await client.delete(path)
        return _at(path)

    return play


async def _virtual_account_is_closed(client: Client) -> Told:
    path = await _virtual_account(client)
    await client.post(f"{path}/deactivate")
    return _at(path)


def _at(path: str) -> Told:
    return Told(path, path.rpartition("/")[2])


# By the event that each leads to.
STORIES: Mapping[str, Story] = {
    "USER.CREATE": _user_is_made,
    "USER.UPDATE": _user_changes,
    "TOS_LINK.UPDATE": _terms_are_accepted,
    "KYC.DATA.UPDATE": _person_is_known,
    "KYC.STATUS.CREATE": _person_is_verified,
    "KYC.STATUS.UPDATE": _person_is_verified,
    "KYC_LINK.CREATE": _link_is_made,
    "KYC_LINK.UPDATE": _link_is_submitted,
    "ACCOUNT.ONRAMP.CREATE": _added(_paying_account),
    "ACCOUNT.ONRAMP.UPDATE": _deleted(_paying_account),
    "ACCOUNT.OFFRAMP.CREATE": _added(_payout_account),
    "ACCOUNT.OFFRAMP.UPDATE": _deleted(_payout_account),
    "ACCOUNT.VIRTUAL_ACCOUNT.CREATE": _added(_virtual_account),
    "ACCOUNT.VIRTUAL_ACCOUNT.UPDATE": _virtual_account_is_closed,
}
