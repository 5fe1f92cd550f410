"""Offramps paid from external wallets, with fees and other disbursements."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.money import Money
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import accept, check_books
from tests.providers.simulation.simulated_bridges import SimulatedBridges

DISBURSEMENTS = "/v2/disbursements"
BENEFICIARY = "0x52908400098527886E0F7030069857D2E4169EE7"
USDC = TOKENS[Chain.POLYGON, "usdc"].asset


def fees(*lines: tuple[str, str]) -> dict[str, Any]:
    """Build flat fees, each of this many coins for an address."""
    return {
        "fees": [
            {"type": "FLAT", "value": value, "walletAddress": address} for value, address in lines
        ]
    }


async def make_paid_for(
    scenario: OfframpScenario, amount: Any = 100, **changes: Any
) -> dict[str, Any]:
    """Return an accepted offramp whose coins have arrived, before the worker has processed it."""
    changes.setdefault("developerFee", fees(("2", BENEFICIARY)))
    created = await accept(scenario.org, await scenario.from_outside(amount, **changes))
    await scenario.org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    return created


async def arrive(
    scenario: OfframpScenario, offramp: Mapping[str, Any], money: Money, chain_hash: str = "0x1"
) -> None:
    """Report coins as the chain watcher does."""
    await scenario.org.container.offramps.coins_arrived(
        scenario.org.caller, UUID(offramp["id"]), money, chain_hash
    )


async def disbursed(scenario: OfframpScenario, offramp: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the disbursements of an offramp, the oldest first."""
    found = await scenario.org.get(f"/v2/transactions/{offramp['id']}")
    return [
        (await scenario.org.get(f"{DISBURSEMENTS}/{each['id']}"))["transferDetails"]
        for each in found["disbursements"]
    ]


async def address_of(scenario: OfframpScenario, user: str) -> str:
    """Return the address of a user's wallet on POLYGON."""
    found = await scenario.org.get(f"/v2/users/{user}")
    return str(found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"])


def is_to(address: str) -> Any:
    """Return a predicate for orders that pay this address."""

    def check(order: ChainOrder) -> bool:
        return any(leg.address == address for leg in order.legs)

    return check


@dataclass
class RefusingChains(SimulatedBridges):
    """Chains that refuse every order to one address, until they are set to accept it."""

    inner: Chains
    address: str
    is_refusing: bool = True

    @property
    def key_lifetime(self) -> timedelta | None:
        return self.inner.key_lifetime

    def carries(self, chain: str, action: ChainAction) -> bool:
        del chain, action
        return True

    def holds_coins(self, chain: str) -> bool:
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        if self.is_refusing and is_to(self.address)(order):
            raise Rejected("the beneficiary refuses coins")
        return await self.inner.send(order)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        return await self.inner.find_status(org_id, key, at)


def refuse(scenario: OfframpScenario, address: str) -> RefusingChains:
    """Let the chain refuse every order to this address."""
    refusing = RefusingChains(scenario.chains.inner, address)
    scenario.chains.inner = refusing
    return refusing


async def check_settled(scenario: OfframpScenario) -> None:
    """Check the ledger: nothing is in transit and no fee is owed."""
    await check_books(scenario.org)
    found = await house_balances(scenario.org.container.database, scenario.org.org_id)
    open_roles = {HouseRole.IN_TRANSIT, HouseRole.PAYABLE}
    assert not {key: units for key, units in found.items() if key[0] in open_roles and units}
