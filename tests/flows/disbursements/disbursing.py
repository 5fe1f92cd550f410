"""Offramps whose coins come from outside, with fees, and what the house pays beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.chains.port import Chains, Order, Sent
from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.errors import Rejected
from landbridge.core.money import Money
from landbridge.ledger.house import house_balances
from landbridge.ledger.model import Role
from tests.flows.offramps.playing import Play
from tests.payouts import accept, check_books

DISBURSEMENTS = "/v2/disbursements"
BENEFICIARY = "0x52908400098527886E0F7030069857D2E4169EE7"
USDC = TOKENS[Chain.POLYGON, "usdc"].asset


def fees(*lines: tuple[str, str]) -> dict[str, Any]:
    """Flat fees, each of so many coins to an address."""
    return {
        "fees": [
            {"type": "FLAT", "value": value, "walletAddress": address} for value, address in lines
        ]
    }


async def make_paid_for(play: Play, amount: Any = 100, **changes: Any) -> dict[str, Any]:
    """Return an accepted offramp whose coins have arrived; the worker has not seen them."""
    changes.setdefault("developerFee", fees(("2", BENEFICIARY)))
    made = await accept(play.org, await play.from_outside(amount, **changes))
    await play.org.post(f"/v2/sandbox/offramps/{made['id']}/deposit", {})
    return made


async def arrive(
    play: Play, offramp: Mapping[str, Any], money: Money, chain_hash: str = "0x1"
) -> None:
    """Report coins as whatever watches the chain does."""
    await play.org.house.offramps.coins_arrived(
        play.org.caller, UUID(offramp["id"]), money, chain_hash
    )


async def disbursed(play: Play, offramp: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the disbursements of an offramp, the oldest first."""
    found = await play.org.get(f"/v2/transactions/{offramp['id']}")
    return [
        (await play.org.get(f"{DISBURSEMENTS}/{each['id']}"))["transferDetails"]
        for each in found["disbursements"]
    ]


async def address_of(play: Play, user: str) -> str:
    """Return the address of a user's wallet on POLYGON."""
    found = await play.org.get(f"/v2/users/{user}")
    return str(found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"])


def is_to(address: str) -> Any:
    """Return a test of orders: whether they pay this address."""

    def check(order: Order) -> bool:
        return any(leg.address == address for leg in order.legs)

    return check


@dataclass
class RefusingChains:
    """Chains that refuse every order to one address, until they are told to take it."""

    inner: Chains
    address: str
    is_refusing: bool = True

    @property
    def remembers(self) -> timedelta | None:
        return self.inner.remembers

    async def send(self, order: Order) -> Sent:
        if self.is_refusing and is_to(self.address)(order):
            raise Rejected("the beneficiary refuses coins")
        return await self.inner.send(order)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        return await self.inner.look(org_id, key, at)


def refuse(play: Play, address: str) -> RefusingChains:
    """Let the chain refuse every order to this address."""
    refusing = RefusingChains(play.chains.inner, address)
    play.chains.inner = refusing
    return refusing


async def check_settled(play: Play) -> None:
    """The books are right, nothing is in transit and no fee is owed."""
    await check_books(play.org)
    found = await house_balances(play.org.house.database, play.org.org_id)
    open_roles = {Role.IN_TRANSIT, Role.PAYABLE}
    assert not {key: units for key, units in found.items() if key[0] in open_roles and units}
