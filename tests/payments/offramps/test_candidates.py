"""The offramp that coins from an outside address are for."""

from typing import Any
from uuid import UUID, uuid4

from landbridge.customers.chain_deposits.model import (
    TreasuryDeposit,
    TreasuryDepositStatus,
)
from landbridge.payments.offramps import external_coins
from landbridge.providers.chains.tokens import Chain
from tests.payouts import accept, make_account, make_offramp, make_payee
from tests.tenants import Tenant, register

SENDER = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
ELSEWHERE = "0x52908400098527886E0F7030069857D2E4169EE7"


async def quoted(org: Tenant, user: str, amount: int, **source: Any) -> dict[str, Any]:
    """Return the quote of an offramp with coins from the sender."""
    wallet = await register(org, user, SENDER)
    parties = {"externalWalletId": wallet, **source}
    return await make_offramp(org, None, await make_account(org, user), amount, source=parties)


async def find(org: Tenant, treasury: str, coins: int) -> str | None:
    """Return the offramp that gets coins of the sender."""
    deposit = TreasuryDeposit(
        org_id=org.org_id,
        id=uuid4(),
        chain=Chain.POLYGON,
        transaction_hash="0x" + uuid4().hex * 2,
        block_number=1,
        asset="usdc:POLYGON",
        units=coins * 10**6,
        source_address=SENDER,
        destination_address=treasury,
        status=TreasuryDepositStatus.FINAL,
        transfer_id=None,
        reversals=0,
        found_at=org.container.clock.now(),
    )
    found: UUID | None = await org.container.database.read(
        lambda tx: external_coins.find(tx, deposit)
    )
    return None if found is None else str(found)


async def test_coins_of_an_address_of_two_users_are_for_neither(org: Tenant) -> None:
    ada, bob = await make_payee(org, funds=None), await make_payee(org, funds=None)
    offramp = await accept(org, await quoted(org, ada, 100))
    treasury = offramp["depositInformation"][0]["toAddress"]
    assert await find(org, treasury, 100) == offramp["id"]
    # Bob registers Ada's address. A quote is enough to get coins back that no offramp awaits.
    await register(org, bob, ELSEWHERE)
    await quoted(org, bob, 70, returnAddress=ELSEWHERE)
    assert [await find(org, treasury, coins) for coins in (100, 70, 5)] == [None] * 3


async def test_coins_of_an_address_of_one_user_are_for_the_awaiting_offramp(org: Tenant) -> None:
    ada = await make_payee(org, funds=None)
    first = await accept(org, await quoted(org, ada, 100))
    treasury = first["depositInformation"][0]["toAddress"]
    assert [await find(org, treasury, coins) for coins in (100, 70)] == [first["id"]] * 2
