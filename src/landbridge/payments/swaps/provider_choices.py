"""Providers of swaps: the chains file names one for each pair; an organisation may choose another.

Guarantees:
- A choice applies to the next quote; a swap that was quoted keeps its provider.
- A provider that the pair does not have is refused when it is chosen, and again when a swap is
  quoted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import msgspec

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

_GET = "select choices::text, version from swap_provider_policies where org_id = $1"

# Returns no row if the choices are in force already, or if the version in force is not $4.
_SET = """
insert into swap_provider_policies as p (org_id, choices, version, updated_at)
values ($1, $2::text::jsonb, 1, $3)
on conflict (org_id) do update
set choices = excluded.choices, version = p.version + 1, updated_at = excluded.updated_at
where p.choices <> excluded.choices and ($4::integer is null or p.version = $4)
returning version
"""


class SwapProviderChoice(msgspec.Struct, frozen=True, order=True):
    """Provider of a pair of one chain, in one direction."""

    chain: str
    source: str
    destination: str
    provider: SwapProvider

    @property
    def pair(self) -> tuple[str, str, str]:
        """Return the chain, the currency sold and the currency bought."""
        return self.chain, self.source, self.destination


@dataclass(frozen=True, slots=True)
class SwapProviderPolicy:
    """Choices in force; `version` is 0 if none were ever set."""

    choices: tuple[SwapProviderChoice, ...] = ()
    version: int = 0

    def provider(self, source: Asset, destination: Asset) -> SwapProvider | None:
        """Return the provider chosen for a pair; None if the chains file decides."""
        pair = source.chain, source.currency, destination.currency
        return next((each.provider for each in self.choices if each.pair == pair), None)


@dataclass(frozen=True, slots=True)
class SwapProviderChoices:
    """Reads and sets the choices of all organisations."""

    database: Database
    markets: Markets
    clock: Clock

    @property
    def pairs(self) -> Sequence[MarketPair]:
        """Return the pairs that have a market, in each direction."""
        return self.markets.pairs

    async def get(self, org_id: UUID) -> SwapProviderPolicy:
        """Return the choices of an organisation."""
        return await self.database.single(lambda tx: _get(tx, org_id))

    async def provider(self, org_id: UUID, source: Asset, destination: Asset) -> SwapProvider:
        """Return the provider of a pair for an organisation's next quote."""
        configured = self.markets.provider(source, destination)
        # Without connected chains there are no choices.
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
            text = msgspec.json.encode(wanted).decode()
            version = await tx.fetchval(_SET, org_id, text, at, instead_of)
            if version is None:
                current = await _get(tx, org_id)
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


async def _get(tx: Tx, org_id: UUID) -> SwapProviderPolicy:
    """Return an organisation's choices; version 0 and no choices if none were ever set."""
    row = await tx.fetchrow(_GET, org_id)
    if row is None:
        return SwapProviderPolicy()
    choices = msgspec.json.decode(row["choices"], type=tuple[SwapProviderChoice, ...])
    return SwapProviderPolicy(choices, row["version"])
