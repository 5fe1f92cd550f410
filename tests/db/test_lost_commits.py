"""A commit that nobody heard of is tried again, and must not be done again."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.accounts.model import Status
from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.money import Rate
from landbridge.db.pool import Database, Tx
from landbridge.kyc.model import Rail
from landbridge.onboarding.model import Details
from landbridge.orgs.service import take_lane
from landbridge.rates.port import Price
from landbridge.receipts.steps import ReceiptSteps
from landbridge.simulation.model import Pace, Paces
from landbridge.users.model import UserType
from landbridge.wallets.errors import WalletAlreadyExists
from landbridge.wiring import wire
from tests.accounts.verified import make_verified
from tests.files.pictures import PDF
from tests.kyc.samples import document, make_business, owner
from tests.people import make_person
from tests.receipts.play import NoTaker
from tests.receipts.play import told as credit
from tests.simulation.outside import paid_out
from tests.tenants import SETTINGS, Tenant, make_user

T = TypeVar("T")
BRAZIL = {"pixKey": "123.456.789-09", "currency": "brl"}
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"


class Forgetful(Database):
    """Loses the connection at each commit, after it: everything is done twice."""

    @override
    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        await super().transact(work)
        return await super().transact(work)

    @override
    async def single(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        await super().single(work)
        return await super().single(work)


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Tenant]:
    """`org`, in a house that does everything twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, Clock(await take_lane(org.house.database)))
    yield Tenant(house, org.client, org.caller, org.key)
    await database.close()


async def told(org: Tenant, org_id: UUID, kind: str) -> list[tuple[str, int]]:
    rows = await org.house.database.rows(
        "select what, seq from changes where org_id = $1 and kind = $2 order by at, seq",
        org_id,
        kind,
    )
    return [(row["what"], row["seq"]) for row in rows]


async def test_an_organisation_and_its_keys_are_made_once(doubtful: Tenant) -> None:
    orgs = doubtful.house.orgs
    made = await orgs.create("Twice")
    key, secret = await orgs.create_key(made.id, "once", expires_at=None)
    assert [each.id for each in await orgs.keys(made.id)] == [key.id]
    assert (await orgs.authenticate(secret)).key_id == key.id
    await orgs.revoke_key(made.id, key.id)
    assert await told(doubtful, made.id, "ORG") == [("create", 1)]
    assert await told(doubtful, made.id, "API_KEY") == [("create", 1), ("revoke", 2)]


async def test_a_clock_is_moved_once(doubtful: Tenant) -> None:
    orgs, org_id = doubtful.house.orgs, doubtful.org_id
    minute = timedelta(minutes=1)
    assert await orgs.advance_clock(org_id, minute, actor="test") == minute
    assert await orgs.advance_clock(org_id, minute, actor="test") == 2 * minute
    assert await orgs.clock_offset(org_id) == 2 * minute
    assert await told(doubtful, org_id, "CLOCK") == [("advance", 1), ("advance", 1)]


async def test_a_price_is_set_and_removed_once(doubtful: Tenant) -> None:
    prices, org_id = doubtful.house.prices, doubtful.org_id
    pair = {"source_currency": "usdc", "destination_currency": "usdt"}
    for rate in ("1", "2"):
        await prices.set_price(
            org_id,
            source_currency="usdc",
            destination_currency="usdt",
            price=Price(Rate(Decimal(rate)), Decimal(0), None),
            at=doubtful.house.clock.stamp(),
        )
    await prices.remove_price(org_id, **pair, at=doubtful.house.clock.stamp())
    assert not await prices.prices(org_id)
    # Nothing is left to remove, and nothing is told.
    await prices.remove_price(org_id, **pair, at=doubtful.house.clock.stamp())
    assert await told(doubtful, org_id, "PRICE") == [("set", 1), ("set", 2), ("remove", 3)]


async def test_an_outside_address_is_registered_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))

    async def register() -> UUID:
        wallet = await doubtful.house.wallets.register(
            doubtful.caller, user, chain=Chain.POLYGON, address=ADDRESS, name="a", reference="b"
        )
        return wallet.id

    wallet_id = await register()
    assert (await org.house.wallets.external(org.org_id, wallet_id)).address == ADDRESS
    with pytest.raises(WalletAlreadyExists):
        await register()
    assert len(await told(org, org.org_id, "WALLET.EXTERNAL")) == 1


@pytest.mark.parametrize("request_id", [None, UUID(int=7)])
async def test_a_bank_account_is_added_and_deleted_once(
    org: Tenant, doubtful: Tenant, request_id: UUID | None
) -> None:
    user = UUID(await make_verified(org, Rail.SOUTH_AMERICA_STANDARD))
    accounts, caller = doubtful.house.accounts, doubtful.caller
    body = {"rail": "offramp", "type": "brazil", "brazil": BRAZIL}
    added = await accounts.create(caller, user, body, request_id=request_id)
    assert (await org.house.accounts.get(org.org_id, user, added.id)) == added
    deleted = await accounts.delete(caller, user, added.id)
    assert (deleted.status, deleted.version) == (Status.INACTIVE, 2)
    assert await told(org, org.org_id, added.kind) == [("create", 1), ("update", 2)]


async def test_an_owner_is_added_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_business(org))
    dossiers = doubtful.house.dossiers
    card = await org.house.users.get(org.org_id, user)
    after, added = await dossiers.add_owner(doubtful.caller, card, {"firstName": "Bob"})
    assert [each.data["firstName"] for each in after.owners] == ["Ada", "Bob"]
    assert after.owner(added.id) == added
    assert await told(org, org.org_id, "KYC.DATA") == [("update", 1)]


async def test_owners_in_a_list_are_made_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_business(org))
    card = await org.house.users.get(org.org_id, user)
    # Without a birth date nobody is known again; the first of the list replaces Ada.
    listed = [{"firstName": "Bob"}, {"firstName": "Bob"}, owner(firstName="Cleo")]
    after = await doubtful.house.dossiers.update(
        doubtful.caller, card, {"ultimateBeneficialOwners": listed}
    )
    assert [each.data["firstName"] for each in after.owners] == ["Bob", "Bob", "Cleo"]
    assert len({each.id for each in after.owners}) == 3
    assert await told(org, org.org_id, "KYC.DATA") == [("update", 1)]


async def test_documents_are_added_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))
    dossiers = doubtful.house.dossiers
    card = await org.house.users.get(org.org_id, user)
    added = await dossiers.add_documents(doubtful.caller, card, [document(), document("SELFIE")])
    assert (await dossiers.get(org.org_id, card)).documents == added
    assert [each.type for each in added] == ["PASSPORT", "SELFIE"]
    assert await told(org, org.org_id, "KYC.DATA") == [("update", 1)]


async def test_wallets_on_more_chains_are_told_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))
    users = doubtful.house.users
    assert (await users.add_wallets(doubtful.caller, user, [Chain.BASE])).version == 2
    assert await told(org, org.org_id, "USER") == [("create", 1), ("update", 2)]


async def test_a_submission_is_stored_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_person(org, last_name="Pending"))
    made = await doubtful.house.verification.submit(doubtful.caller, user, [Rail.USD])
    assert made[Rail.USD].round == 1
    assert await told(org, org.org_id, "KYC.STATUS") == [("create", 1)]


async def test_a_link_to_the_form_is_made_and_mailed_once(doubtful: Tenant) -> None:
    url = await doubtful.house.links.make_for_new(
        doubtful.caller, UserType.INDIVIDUAL, [], Details(recipient_email="ada@example.com")
    )
    link = await doubtful.house.links.find(url.partition("session=")[2])
    assert link is not None
    for query in (
        "select count(*) as n from kyc_links where org_id = $1",
        "select count(*) as n from mails where org_id = $1",
    ):
        assert (await doubtful.house.database.rows(query, doubtful.org_id))[0]["n"] == 1
    assert await told(doubtful, doubtful.org_id, "KYC_LINK") == [("create", 1)]


async def test_a_file_is_kept_and_deleted_once(org: Tenant, doubtful: Tenant) -> None:
    files = doubtful.house.files
    file = await files.add(doubtful.caller, name="a.pdf", content=PDF)
    assert await org.house.files.content(org.org_id, file.id) == PDF
    assert await files.delete(doubtful.caller, file.id) == file
    assert await told(org, org.org_id, "FILE") == [("create", 1), ("delete", 2)]
    await files.sweep({org.org_id: timedelta()})
    assert not await org.house.database.rows("select from files where org_id = $1", org.org_id)


async def test_a_pace_is_set_once(doubtful: Tenant) -> None:
    for paces in (Paces(rails=Pace.REAL), Paces()):
        await doubtful.house.sandbox.set_paces(
            doubtful.caller, chains=paces.chains, rails=paces.rails
        )
        assert await doubtful.house.memory.paces(doubtful.org_id) == paces
    told_of = await told(doubtful, doubtful.org_id, "SANDBOX.PACE")
    assert told_of == [("set", 1), ("set", 2)]


async def test_fiat_is_received_matched_and_given_back_once(org: Tenant, doubtful: Tenant) -> None:
    receipts, at = doubtful.house.receipts, doubtful.house.clock.stamp()
    user = UUID(await make_user(org))
    mine, nobodys = [
        await receipts.receive(credit(org.org_id, doubtful.house.clock)) for _ in range(2)
    ]

    async def match(tx: Tx) -> None:
        await receipts.match(tx, mine, user, user_id=user, at=at)

    await doubtful.house.database.transact(match)
    steps = ReceiptSteps(receipts, NoTaker(), doubtful.house.rails, doubtful.house.clock)
    await steps.run_all({org.org_id: timedelta()})
    ended = await org.house.receipts.of(org.org_id, [mine.id, nobodys.id])
    assert (ended[mine.id].status, ended[mine.id].version) == ("MATCHED", 2)
    assert (ended[nobodys.id].status, ended[nobodys.id].version) == ("RETURNED", 3)
    assert sorted(await told(org, org.org_id, "RECEIPT")) == [
        *[("match", 2), ("receive", 1), ("receive", 1), ("return", 2), ("returned", 3)]
    ]
    assert await paid_out(org.house.database, org.org_id) == {"usd:BANK": 10_000}
