"""Users of a seeded organisation, created through the services with a clock in the past."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserType
from landbridge.customers.users.validation import UserDetails
from landbridge.customers.verification.errors import VerificationMissing
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.tokens import Chain
from landbridge.sandbox.scenarios.personas import DOSSIER, PASSPORT, us_account
from landbridge.sandbox.seeding import store
from landbridge.sandbox.seeding.calendar import micros
from landbridge.sandbox.seeding.random_source import Random
from landbridge.sandbox.seeding.services import SeedServices

CHAINS = (Chain.POLYGON, Chain.ETHEREUM)
_AT_ONCE = 16
# The sandbox delays the verification of ordinary names; the service is polled until it is done.
_VERIFIED_WITHIN, _POLLS = timedelta(minutes=2), 2
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
class SeededPerson:
    """A paying user: ids and addresses as texts, `accounts` maps assets to indexes in a list."""

    id: str
    since_us: int
    bank_account: str
    # Id and address.
    wallets: dict[str, tuple[str, str]]
    accounts: dict[str, int]


@dataclass(frozen=True, slots=True)
class SeededPeople:
    """All users in the order in which they joined, and the ids of all their accounts."""

    people: Sequence[SeededPerson]
    accounts: Sequence[str]


async def create_people(
    services: SeedServices,
    clock: FrozenClock,
    caller: Caller,
    *,
    created_at: Sequence[datetime],
    rng: Random,
    report_progress: Callable[[int], None],
) -> SeededPeople:
    """Create a user at each of these times, verified for USD, with wallets and a bank account.

    The clock of `services` is `clock`; `report_progress` is called with the progress.
    """
    created: list[tuple[UUID, UUID, datetime]] = []
    for start in range(0, len(created_at), _AT_ONCE):
        some = created_at[start : start + _AT_ONCE]
        clock.at = max(clock.at, some[0])
        names = [(rng.choice(_FIRST), rng.choice(_LAST)) for _ in some]
        users = await asyncio.gather(*(_create_user(services, caller, *each) for each in names))
        for _ in range(_POLLS):
            clock.at += _VERIFIED_WITHIN
            await services.verification.run_all({caller.org_id: caller.clock_offset})
        banks = await asyncio.gather(
            *(
                _bank_account(services, caller, user, name)
                for user, name in zip(users, names, strict=True)
            )
        )
        created += [(*ids, clock.at) for ids in zip(users, banks, strict=True)]
        report_progress(len(some))
    return await _people(services, caller, created)


async def _create_user(services: SeedServices, caller: Caller, first: str, last: str) -> UUID:
    """Return the id of a new user whose verification is pending."""
    link = await services.terms.link(caller, new_id(), template_id=None, redirect_url=None)
    await services.terms.accept(
        *(link, link.session_token),
        offset=caller.clock_offset,
        signed_from=_IP,
        actor=caller.actor,
    )
    particulars = UserDetails(
        type=UserType.INDIVIDUAL,
        email=f"{link.id.hex[-8:]}@example.com",
        first_name=first,
        last_name=last,
        date_of_birth=date(1990, 1, 1),
        ip_address=_IP,
    )
    user = await services.users.create(
        caller,
        particulars,
        agreement_id=link.id,
        chains=CHAINS,
        request_id=None,
        request={"signedAgreementId": str(link.id)},
    )
    await services.kyc_profiles.update(caller, user, DOSSIER)
    await services.kyc_profiles.add_documents(caller, user, [dict(PASSPORT)])
    await services.verification.submit(caller, user.id, [Rail.USD])
    return user.id


async def _bank_account(
    services: SeedServices, caller: Caller, user: UUID, name: tuple[str, str]
) -> UUID:
    """Return the id of a bank account of a verified user.

    A worker that runs at the same time may have started the verification, which then completes
    shortly. Raises `InvariantBroken` if that takes too long, and whatever `BankAccounts.create`
    raises.
    """
    account = us_account("ach", holder=" ".join(name))
    for _ in range(_ATTEMPTS):
        try:
            return (await services.bank_accounts.create(caller, user, account, request_id=None)).id
        except VerificationMissing:
            await asyncio.sleep(_PAUSE_S)
    raise InvariantBroken(
        f"user {user} is not verified after {_ATTEMPTS} attempts; is a worker stuck on it?"
    )


async def _people(
    services: SeedServices, caller: Caller, created: Iterable[tuple[UUID, UUID, datetime]]
) -> SeededPeople:
    wallets: dict[UUID, dict[str, tuple[str, str]]] = {}
    accounts: dict[UUID, dict[str, int]] = {}
    ids: list[str] = []
    for row in await services.database.single(lambda tx: store.accounts(tx, caller.org_id)):
        user: Any = row["user_id"]
        wallets.setdefault(user, {})[row["chain"]] = (str(row["wallet_id"]), row["address"])
        accounts.setdefault(user, {})[row["asset"]] = len(ids)
        ids.append(str(row["id"]))
    return SeededPeople(
        [
            SeededPerson(str(user), micros(at), str(bank), wallets[user], accounts[user])
            for user, bank, at in created
        ],
        ids,
    )
