"""Providers of swaps: the chains file has one for each pair, and an organisation chooses another.

Guarantees:
- A choice applies to the next quote; a swap that was quoted keeps its provider.
- A choice that nobody can carry out is refused when it is made, and again when it is quoted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from landbridge.payments.swaps import provider_choice_store as store
from landbridge.payments.swaps.provider_choice_model import SwapProviderChoice, SwapProviderPolicy
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Asset
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.providers.chains.markets import MarketPair, Markets, SwapProvider

CHANGE_KIND = "SWAP_PROVIDERS"
CHOICES_MAX = 200

_NO_POLICY = SwapProviderPolicy()


@dataclass(frozen=True, slots=True)
class SwapProviderChoices:
    """Choices of all organisations."""

    database: Database
    markets: Markets
    clock: Clock

    @property
    def pairs(self) -> Sequence[MarketPair]:
        """Return the pairs that have a market, in each direction."""
        return self.markets.pairs

    async def get(self, org_id: UUID) -> SwapProviderPolicy:
        """Return the choices of an organisation."""
        return await self.database.single(lambda tx: store.get(tx, org_id)) or _NO_POLICY

    async def provider(self, org_id: UUID, source: Asset, destination: Asset) -> SwapProvider:
        """Return the provider of a pair for an organisation's next quote."""
        configured = self.markets.provider(source, destination)
        # Without connected chains nothing was ever chosen.
        if not self.markets.is_connected:
            return configured
        return (await self.get(org_id)).provider(source, destination) or configured

    async def set_for(
        self,
        caller: Caller,
        choices: Sequence[SwapProviderChoice],
        *,
        instead_of: int | None = None,
    ) -> SwapProviderPolicy:
        """Replace the choices of the caller's organisation.

        Raises `RoleNotAllowed`; `FieldInvalid` for a pair named twice, or a provider that the pair
        does not have; `ResourceConflict` if version `instead_of` is no longer in force.
        """
        check_admin(caller)
        self._check(choices)
        org_id, wanted = caller.org_id, tuple(sorted(choices))
        at = self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            version = await store.set_choices(tx, org_id, wanted, at, instead_of=instead_of)
            if version is None:
                current = await store.get(tx, org_id) or _NO_POLICY
                if replace(current, version=0) != SwapProviderPolicy(wanted):
                    raise ResourceConflict("the choices were changed meanwhile; review them first")
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
                facts={" ".join(each.pair): each.provider for each in wanted},
            )

        await self.database.transact(work)
        return await self.get(org_id)

    def _check(self, choices: Sequence[SwapProviderChoice]) -> None:
        if len(choices) > CHOICES_MAX:
            raise FieldInvalid(f"choices has more than {CHOICES_MAX} pairs", field="choices")
        known = {each.pair: each for each in self.pairs}
        seen: set[tuple[str, str, str]] = set()
        for at, each in enumerate(choices):
            field = f"choices[{at}]"
            name = f"{each.source} to {each.destination} on {each.chain}"
            if each.pair in seen:
                raise FieldInvalid(f"{field}: {name} is chosen twice", field=field)
            seen.add(each.pair)
            if each.provider is SwapProvider.TREASURY:
                continue
            pair = known.get(each.pair)
            if pair is None:
                raise FieldInvalid(
                    f"{field}: {name} has no market: the operator configures one in the chains "
                    "file. Only the treasury swaps it",
                    field=field,
                )
            if each.provider is SwapProvider.BEST and not pair.is_comparable:
                raise FieldInvalid(
                    f"{field}: {name} has no value of gas to compare with: the operator sets "
                    "coin_price in the chains file. Choose MARKET or TREASURY",
                    field=field,
                )
