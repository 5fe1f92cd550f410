"""The people of a seeded organisation, made by the verbs that routes have, in its past."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Broken
from landbridge.core.ids import new_id
from landbridge.kyc.model import Rail
from landbridge.seeding import store
from landbridge.seeding.calendar import micros
from landbridge.seeding.chance import Random
from landbridge.stories.made_up import DOSSIER, PASSPORT, us_account
from landbridge.users.checks import Particulars
from landbridge.users.model import UserType
from landbridge.verification.errors import VerificationMissing
from landbridge.web.caller import Caller
from landbridge.wiring import House

CHAINS = (Chain.POLYGON, Chain.ETHEREUM)
_AT_ONCE = 16
# A sandbox takes its time with whoever has an ordinary name; then somebody looks, and looks again.
_VERIFIED_WITHIN, _LOOKS = timedelta(minutes=2), 2
_ATTEMPTS, _PAUSE_S = 100, 0.2
_IP = "203.0.113.7"
_FIRST = (
    *("Ada", "Grace", "Alan", "Edsger", "Barbara", "Katherine", "Linus", "Margaret", "Niklaus"),
    *("Radia", "Ken", "Frances", "Tim", "Hedy", "Claude", "Annie", "Dennis", "Joan", "Kurt"),
    *("Zoë", "José", "Søren", "Łucja", "Chidi", "Amara", "Ngozi", "Thabo", "Mei", "Hiroshi"),
)
_LAST = (
    *("Okafor", "Müller", "Silva", "Kowalska", "Tanaka", "Mensah", "Garcia", "Novak", "Dlamini"),
    *("Lindqvist", "Moreau", "Rossi", "Haddad", "Nguyen", "Wanjiru", "Larsen", "Costa", "Adeyemi"),
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who pays: ids and addresses as texts, `accounts` by asset as places in a list."""

    id: str
    since_us: int
    bank_account: str
    # Id and address.
    wallets: dict[str, tuple[str, str]]
    accounts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Everybody, those who came first in front; and the ids of all their accounts."""

    people: Sequence[Person]
    accounts: Sequence[str]


async def settle_in(
    house: House,
    clock: FrozenClock,
    caller: Caller,
    *,
    joined: Sequence[datetime],
    rng: Random,
    told: Callable[[int], None],
) -> Crowd:
    """Make somebody at each of these moments, verified for dollars, with wallets and a bank.

    `house` is one whose clock is `clock`; `told` hears of each few.
    """
    made: list[tuple[UUID, UUID, datetime]] = []
    for start in range(0, len(joined), _AT_ONCE):
        some = joined[start : start + _AT_ONCE]
        clock.at = max(clock.at, some[0])
        names = [(rng.choice(_FIRST), rng.choice(_LAST)) for _ in some]
        users = await asyncio.gather(*(_person(house, caller, *each) for each in names))
        for _ in range(_LOOKS):
            clock.at += _VERIFIED_WITHIN
            await house.verification.run_all({caller.org_id: caller.clock_offset})
        banks = await asyncio.gather(
            *(
                _bank_account(house, caller, user, name)
                for user, name in zip(users, names, strict=True)
            )
        )
        made += [(*ids, clock.at) for ids in zip(users, banks, strict=True)]
        told(len(some))
    return await _crowd(house, caller, made)


async def _person(house: House, caller: Caller, first: str, last: str) -> UUID:
    """The id of a new user who waits to be verified."""
    link = await house.terms.link(caller, new_id(), template_id=None, redirect_url=None)
    await house.terms.accept(
        *(link, link.session_token),
        offset=caller.clock_offset,
        signed_from=_IP,
        actor=caller.actor,
    )
    particulars = Particulars(
        type=UserType.INDIVIDUAL,
        email=f"{link.id.hex[-8:]}@example.com",
        first_name=first,
        last_name=last,
        date_of_birth=date(1990, 1, 1),
        ip_address=_IP,
    )
    user = await house.users.create(
        caller,
        particulars,
        agreement_id=link.id,
        chains=CHAINS,
        request_id=None,
        request={"signedAgreementId": str(link.id)},
    )
    await house.dossiers.update(caller, user, DOSSIER)
    await house.dossiers.add_documents(caller, user, [dict(PASSPORT)])
    await house.verification.submit(caller, user.id, [Rail.USD])
    return user.id


async def _bank_account(house: House, caller: Caller, user: UUID, name: tuple[str, str]) -> UUID:
    """The id of a bank account of somebody who is verified.

    A worker that runs beside us may have taken the verification up; it is done in a moment then.
    Raises `Broken` if that takes too long, and what `Accounts.create` raises otherwise.
    """
    account = us_account("ach", holder=" ".join(name))
    for _ in range(_ATTEMPTS):
        try:
            return (await house.accounts.create(caller, user, account, request_id=None)).id
        except VerificationMissing:
            await asyncio.sleep(_PAUSE_S)
    raise Broken(f"user {user} is not verified after {_ATTEMPTS} looks; is a worker stuck on it?")


async def _crowd(
    house: House, caller: Caller, made: Iterable[tuple[UUID, UUID, datetime]]
) -> Crowd:
    wallets: dict[UUID, dict[str, tuple[str, str]]] = {}
    accounts: dict[UUID, dict[str, int]] = {}
    ids: list[str] = []
    for row in await house.database.single(lambda tx: store.accounts(tx, caller.org_id)):
        user: Any = row["user_id"]
        wallets.setdefault(user, {})[row["chain"]] = (str(row["wallet_id"]), row["address"])
        accounts.setdefault(user, {})[row["asset"]] = len(ids)
        ids.append(str(row["id"]))
    return Crowd(
        [
            Person(str(user), micros(at), str(bank), wallets[user], accounts[user])
            for user, bank, at in made
        ],
        ids,
    )
