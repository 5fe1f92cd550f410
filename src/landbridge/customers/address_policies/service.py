"""Address screening: which addresses outside the platform an organisation may pay now.

Guarantees:
- Each check reads the sanctions list and the policy that are in force now; nothing is cached.
- An address is compared without regard to the case of EVM addresses.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from landbridge.customers.address_policies import store
from landbridge.customers.address_policies.model import AddressPolicy
from landbridge.customers.wallets import service as wallets
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.screening.model import comparable_address
from landbridge.providers.screening.service import Screening

CHANGE_KIND = "ADDRESS_POLICY"

_NO_POLICY = AddressPolicy()
ADDRESSES_MAX = 10_000
HOURS_MAX = 24 * 365
AMOUNT_MAX = 10**12


@dataclass(frozen=True, slots=True)
class AddressPolicies:
    """Sanctions lists and the organisations' own policies, applied to addresses."""

    database: Database
    screening: Screening
    clock: Clock

    async def get(self, org_id: UUID) -> AddressPolicy:
        """Return the policy of an organisation."""
        return await self.database.single(lambda tx: store.get(tx, org_id)) or _NO_POLICY

    async def set_for(
        self, caller: Caller, policy: AddressPolicy, *, instead_of: int | None = None
    ) -> AddressPolicy:
        """Replace the policy of the caller's organisation.

        Later payments and orders that are not signed yet follow it. Raises `RoleNotAllowed`;
        `ResourceConflict` if version `instead_of` is no longer in force.
        """
        check_admin(caller)
        org_id = caller.org_id
        policy = replace(
            policy,
            blocked_addresses=_comparable(policy.blocked_addresses),
            allowed_addresses=_comparable(policy.allowed_addresses),
            version=0,
        )
        at = self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            version = await store.set_policy(tx, org_id, policy, at, instead_of=instead_of)
            if version is None:
                current = await store.get(tx, org_id)
                if current is None or replace(current, version=0) != policy:
                    raise ResourceConflict("the policy was changed meanwhile; review it first")
                return
            await append_change(
                tx,
                org_id=org_id,
                object_id=derived_id(org_id, CHANGE_KIND),
                seq=version,
                kind=CHANGE_KIND,
                change_type="set",
                actor=caller.actor,
                at=at,
                facts={
                    "blocked_addresses": len(policy.blocked_addresses),
                    "allowed_addresses": len(policy.allowed_addresses),
                    "new_address_hours": policy.new_address_hours,
                    "new_address_amount_max": policy.new_address_amount_max,
                },
            )

        await self.database.transact(work)
        return await self.get(org_id)

    async def find_refusals(
        self, payments: Sequence[tuple[UUID, Sequence[str]]]
    ) -> list[str | None]:
        """Return for each payment why it may not be made now; None if it may.

        A payment is its organisation id and its destination addresses. Destinations may be internal
        wallets, so the policy's list of allowed addresses is not applied.
        """
        policies = {org_id: await self.get(org_id) for org_id in {each for each, _ in payments}}
        listed = await self.screening.blocked_addresses(
            sorted({address for _, destinations in payments for address in destinations})
        )
        return [
            _find_listing(destinations, listed, policies[org_id])
            for org_id, destinations in payments
        ]

    async def find_outside_refusal(self, org_id: UUID, address: str) -> str | None:
        """Return why a payment to this outside address can't be requested; None if it can."""
        policy = await self.get(org_id)
        listed = await self.screening.blocked_addresses([address])
        if refusal := _find_listing([address], listed, policy):
            return refusal
        allowed = policy.allowed_addresses
        if allowed and comparable_address(address) not in allowed:
            return "the destination is not on the organisation's list of allowed addresses"
        return None

    async def find_new_address_bound(
        self, caller: Caller, address: str
    ) -> tuple[int, timedelta] | None:
        """Return the most coins that a payment to a new address moves, and how long it is new.

        Return None if it is not new. An address that nobody has registered is always new.
        """
        policy = await self.get(caller.org_id)
        if not policy.new_address_hours:
            return None
        since = await self.database.single(
            lambda tx: wallets.registered_since(tx, caller.org_id, address)
        )
        is_new_for = timedelta(hours=policy.new_address_hours)
        now = self.clock.now(caller.clock_offset)
        if since is not None and now - since >= is_new_for:
            return None
        return policy.new_address_amount_max, is_new_for


async def checked_addresses(name: str, addresses: Sequence[str]) -> tuple[str, ...]:
    """Return valid addresses of either kind; raises `FieldInvalid` naming the field.

    Call it in a thread: thousands of addresses take tenths of a second.
    """
    return await asyncio.to_thread(_checked, name, addresses)


def _checked(name: str, addresses: Sequence[str]) -> tuple[str, ...]:
    if len(addresses) > ADDRESSES_MAX:
        raise FieldInvalid(f"{name} has more than {ADDRESSES_MAX} addresses", field=name)
    return tuple(
        wallets.checked_address(
            Chain.POLYGON if each[:2].lower() == "0x" else Chain.SOLANA,
            each,
            field=f"{name}[{at}]",
        )
        for at, each in enumerate(addresses)
    )


def _find_listing(
    destinations: Sequence[str], listed: frozenset[str], policy: AddressPolicy
) -> str | None:
    """Return a sentence that names the list of a refused destination; None if there is none."""
    if listed & {*destinations}:
        return "the destination is on a sanctions list"
    if {*_comparable(destinations)} & {*policy.blocked_addresses}:
        return "the destination is on the organisation's block list"
    return None


def _comparable(addresses: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted({comparable_address(each) for each in addresses}))
