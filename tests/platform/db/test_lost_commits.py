"""A commit whose answer was lost is retried without a second effect."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.app.container import wire
from landbridge.customers.bank_accounts.model import BankAccountStatus
from landbridge.customers.kyc.model import Rail
from landbridge.customers.onboarding.model import KycLinkDetails
from landbridge.customers.users.model import UserType
from landbridge.customers.wallets.errors import WalletAlreadyExists
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rates.port import Price
from landbridge.providers.simulation.model import LatencyProfile, LatencyProfiles
from tests.customers.bank_accounts.verified import make_verified
from tests.customers.kyc.samples import document, make_business, owner
from tests.payments.incoming_payments.incoming_payment_setup import NoTaker
from tests.payments.incoming_payments.incoming_payment_setup import make_credit as credit
from tests.people import make_person
from tests.platform.files.sample_files import PDF
from tests.providers.simulation.external_state import paid_out
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
    """`org` on a database that runs every transaction twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    yield Tenant(container, org.client, org.caller, org.key)
    await database.close()


async def changes_of_kind(org: Tenant, org_id: UUID, kind: str) -> list[tuple[str, int]]:
    rows = await org.container.database.rows(
        "select change_type, seq from changes where org_id = $1 and kind = $2"
        " order by occurred_at, seq",
        org_id,
        kind,
    )
    return [(row["change_type"], row["seq"]) for row in rows]


async def test_organisation_and_keys_are_created_once(doubtful: Tenant) -> None:
    orgs = doubtful.container.orgs
    created = await orgs.create("Twice")
    key, secret = await orgs.create_key(created.id, "once", expires_at=None)
    assert [each.id for each in await orgs.keys(created.id)] == [key.id]
    assert (await orgs.authenticate(secret)).key_id == key.id
    await orgs.revoke_key(created.id, key.id)
    assert await changes_of_kind(doubtful, created.id, "ORG") == [("create", 1)]
    assert await changes_of_kind(doubtful, created.id, "API_KEY") == [("create", 1), ("revoke", 2)]


async def test_clock_is_moved_once(doubtful: Tenant) -> None:
    orgs, org_id = doubtful.container.orgs, doubtful.org_id
    minute = timedelta(minutes=1)
    assert await orgs.advance_clock(org_id, minute, actor="test") == minute
    assert await orgs.advance_clock(org_id, minute, actor="test") == 2 * minute
    assert await orgs.clock_offset(org_id) == 2 * minute
    assert await changes_of_kind(doubtful, org_id, "CLOCK") == [("advance", 1), ("advance", 1)]


async def test_price_is_set_and_removed_once(doubtful: Tenant) -> None:
    prices, org_id = doubtful.container.prices, doubtful.org_id
    pair = {"source_currency": "usdc", "destination_currency": "usdt"}
    for rate in ("1", "2"):
        await prices.set_price(
            org_id,
            source_currency="usdc",
            destination_currency="usdt",
            price=Price(Rate(Decimal(rate)), Decimal(0), None),
            at=doubtful.container.clock.stamp(),
        )
    await prices.remove_price(org_id, **pair, at=doubtful.container.clock.stamp())
    assert not await prices.prices(org_id)
    # Nothing remains to be removed, and nothing is recorded.
    await prices.remove_price(org_id, **pair, at=doubtful.container.clock.stamp())
    assert await changes_of_kind(doubtful, org_id, "PRICE") == [
        ("set", 1),
        ("set", 2),
        ("remove", 3),
    ]


async def test_external_address_is_registered_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))

    async def register() -> UUID:
        wallet = await doubtful.container.wallets.register(
            doubtful.caller, user, chain=Chain.POLYGON, address=ADDRESS, name="a", reference="b"
        )
        return wallet.id

    wallet_id = await register()
    assert (await org.container.wallets.external(org.org_id, wallet_id)).address == ADDRESS
    with pytest.raises(WalletAlreadyExists):
        await register()
    assert len(await changes_of_kind(org, org.org_id, "WALLET.EXTERNAL")) == 1


@pytest.mark.parametrize("request_id", [None, UUID(int=7)])
async def test_bank_account_is_added_and_deleted_once(
    org: Tenant, doubtful: Tenant, request_id: UUID | None
) -> None:
    user = UUID(await make_verified(org, Rail.SOUTH_AMERICA_STANDARD))
    accounts, caller = doubtful.container.bank_accounts, doubtful.caller
    body = {"rail": "offramp", "type": "brazil", "brazil": BRAZIL}
    added = await accounts.create(caller, user, body, request_id=request_id)
    assert (await org.container.bank_accounts.get(org.org_id, user, added.id)) == added
    deleted = await accounts.delete(caller, user, added.id)
    assert (deleted.status, deleted.version) == (BankAccountStatus.INACTIVE, 2)
    assert await changes_of_kind(org, org.org_id, added.kind) == [("create", 1), ("update", 2)]


async def test_owner_is_added_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_business(org))
    profiles = doubtful.container.kyc_profiles
    card = await org.container.users.get(org.org_id, user)
    after, added = await profiles.add_owner(doubtful.caller, card, {"firstName": "Bob"})
    assert [each.data["firstName"] for each in after.owners] == ["Ada", "Bob"]
    assert after.owner(added.id) == added
    assert await changes_of_kind(org, org.org_id, "KYC.DATA") == [("update", 1)]


async def test_owners_in_a_list_are_created_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_business(org))
    card = await org.container.users.get(org.org_id, user)
    # Without a birth date nobody is recognised again; the first of the list replaces Ada.
    listed = [{"firstName": "Bob"}, {"firstName": "Bob"}, owner(firstName="Cleo")]
    after = await doubtful.container.kyc_profiles.update(
        doubtful.caller, card, {"ultimateBeneficialOwners": listed}
    )
    assert [each.data["firstName"] for each in after.owners] == ["Bob", "Bob", "Cleo"]
    assert len({each.id for each in after.owners}) == 3
    assert await changes_of_kind(org, org.org_id, "KYC.DATA") == [("update", 1)]


async def test_documents_are_added_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))
    profiles = doubtful.container.kyc_profiles
    card = await org.container.users.get(org.org_id, user)
    added = await profiles.add_documents(doubtful.caller, card, [document(), document("SELFIE")])
    assert (await profiles.get(org.org_id, card)).documents == added
    assert [each.type for each in added] == ["PASSPORT", "SELFIE"]
    assert await changes_of_kind(org, org.org_id, "KYC.DATA") == [("update", 1)]


async def test_wallets_on_more_chains_are_recorded_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))
    users = doubtful.container.users
    assert (await users.add_wallets(doubtful.caller, user, [Chain.BASE])).version == 2
    assert await changes_of_kind(org, org.org_id, "USER") == [("create", 1), ("update", 2)]


async def test_submission_is_stored_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_person(org, last_name="Pending"))
    created = await doubtful.container.verification.submit(doubtful.caller, user, [Rail.USD])
    assert created[Rail.USD].round == 1
    assert await changes_of_kind(org, org.org_id, "KYC.STATUS") == [("create", 1)]


async def test_form_link_is_created_and_mailed_once(doubtful: Tenant) -> None:
    url = await doubtful.container.kyc_links.make_for_new(
        doubtful.caller, UserType.INDIVIDUAL, [], KycLinkDetails(recipient_email="ada@example.com")
    )
    link = await doubtful.container.kyc_links.find(url.partition("session=")[2])
    assert link is not None
    for query in (
        "select count(*) as n from kyc_links where org_id = $1",
        "select count(*) as n from outbound_emails where org_id = $1",
    ):
        assert (await doubtful.container.database.rows(query, doubtful.org_id))[0]["n"] == 1
    assert await changes_of_kind(doubtful, doubtful.org_id, "KYC_LINK") == [("create", 1)]


async def test_file_is_stored_and_deleted_once(org: Tenant, doubtful: Tenant) -> None:
    files = doubtful.container.files
    file = await files.add(doubtful.caller, name="a.pdf", content=PDF)
    assert await org.container.files.content(org.org_id, file.id) == PDF
    assert await files.delete(doubtful.caller, file.id) == file
    assert await changes_of_kind(org, org.org_id, "FILE") == [("create", 1), ("delete", 2)]
    await files.sweep({org.org_id: timedelta()})
    assert not await org.container.database.rows("select from files where org_id = $1", org.org_id)


async def test_latency_profile_is_set_once(doubtful: Tenant) -> None:
    for paces in (LatencyProfiles(rails=LatencyProfile.REAL), LatencyProfiles()):
        await doubtful.container.sandbox.set_latencies(
            doubtful.caller, chains=paces.chains, rails=paces.rails
        )
        assert await doubtful.container.simulated_state.get_latencies(doubtful.org_id) == paces
    changes = await changes_of_kind(doubtful, doubtful.org_id, "SANDBOX.LATENCY")
    assert changes == [("set", 1), ("set", 2)]


async def test_fiat_is_received_matched_and_returned_once(org: Tenant, doubtful: Tenant) -> None:
    incoming_payments, at = doubtful.container.incoming_payments, doubtful.container.clock.stamp()
    user = UUID(await make_user(org))
    mine, nobodys = [
        await incoming_payments.receive(credit(org.org_id, doubtful.container.clock))
        for _ in range(2)
    ]

    async def match(tx: Tx) -> None:
        await incoming_payments.match(tx, mine, user, user_id=user, at=at)

    await doubtful.container.database.transact(match)
    steps = IncomingPaymentSteps(
        incoming_payments, NoTaker(), doubtful.container.rails, doubtful.container.clock
    )
    await steps.run_all({org.org_id: timedelta()})
    ended = await org.container.incoming_payments.of(org.org_id, [mine.id, nobodys.id])
    assert (ended[mine.id].status, ended[mine.id].version) == ("MATCHED", 2)
    assert (ended[nobodys.id].status, ended[nobodys.id].version) == ("RETURNED", 3)
    assert sorted(await changes_of_kind(org, org.org_id, "INCOMING_PAYMENT")) == [
        *[("match", 2), ("receive", 1), ("receive", 1), ("return", 2), ("returned", 3)]
    ]
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}
