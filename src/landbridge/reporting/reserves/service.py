"""Reserves of all organisations: counting liabilities at the cut of a day, and proving pieces."""

import asyncio
import hmac
from bisect import bisect_left
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from landbridge.ledger.house_accounts import units_below
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.reporting.reserves import store
from landbridge.reporting.reserves.liabilities import (
    LiabilityName,
    LiabilityPiece,
    WalletBalance,
    build_tree,
)
from landbridge.reporting.reserves.model import CountedLiabilities
from landbridge.reporting.reserves.sum_tree import ROW_WIDTH, SumNode, path_of

# What belongs to the organisation; the other roles are owed to others, or are outside.
_OWN = (HouseRole.LIQUIDITY, HouseRole.FEES, HouseRole.RECEIVABLE, HouseRole.WRITE_OFFS)


@dataclass(frozen=True, slots=True)
class ProvenPiece:
    """Piece of a balance, and its way to the root of its asset."""

    asset: str
    piece: LiabilityPiece
    index: int
    path: list[SumNode]


@dataclass(frozen=True, slots=True)
class Reserves:
    """Reserves of all organisations."""

    database: Database
    vault: Vault

    async def count(
        self,
        org_id: UUID,
        day: date,
        *,
        source: str,
        assets: Collection[str],
        addresses: Collection[str],
        read_tx: int,
    ) -> CountedLiabilities:
        """Return the liabilities of all transactions below `read_tx`, which have ended.

        Takes no lock, and no transaction is open while the tree is built.
        """
        key = await self._key(org_id)
        balances = await self.database.single(
            lambda tx: store.count_balances(tx, org_id, assets, read_tx=read_tx)
        )
        house = await self.database.read(lambda tx: units_below(tx, org_id, read_tx))
        return CountedLiabilities(
            read_tx=read_tx,
            trees=[
                await asyncio.to_thread(build_tree, LiabilityName(key, org_id, day, asset), found)
                for asset, found in balances.items()
            ],
            own_units={
                asset: sum(house.get((role, asset), 0) for role in _OWN) for asset in assets
            },
            addresses=sorted(addresses),
            addresses_salt=addresses_salt(key, day, source),
        )

    async def keep(
        self,
        tx: Tx,
        org_id: UUID,
        day: date,
        *,
        source: str,
        counted: CountedLiabilities,
        ledger_units: Mapping[str, int],
    ) -> None:
        """Store counted liabilities; `ledger_units` are what the ledger says is held, by asset.

        What is neither in wallets nor the organisation's own is owed in open payments.
        """
        for tree in counted.trees:
            rest = ledger_units.get(tree.asset, 0) - tree.root.units - counted.own_units[tree.asset]
            await store.add_tree(tx, org_id, day, tree, source=source, open_units=max(0, rest))
        await store.add_addresses(tx, org_id, day, source, counted)

    async def pieces_of(
        self, tx: Tx, org_id: UUID, day: date, user_id: UUID, wallet_ids: Collection[UUID]
    ) -> list[ProvenPiece]:
        """Return the pieces of a user's balances of all assets.

        Raises `InvariantBroken` if a balance is not in the tree.
        """
        key = await self._key(org_id)
        proven: list[ProvenPiece] = []
        for reserve in await store.of_day(tx, org_id, day):
            name = LiabilityName(key, org_id, day, reserve.asset)
            for wallet_id in sorted(wallet_ids):
                units = await store.balance_of(tx, org_id, day, reserve.asset, wallet_id)
                if not units:
                    continue
                pieces = name.split(WalletBalance(wallet_id, user_id, units))
                proven += [await _prove(tx, name, each) for each in pieces]
        return proven

    async def nodes(self, org_id: UUID, day: date, asset: str) -> AsyncIterator[SumNode]:
        """Yield all pieces of an asset, in the order of the tree."""
        number = 0
        while row := await self.database.single(
            lambda tx, at=number: store.row(tx, org_id, day, asset, at)
        ):
            for each in row:
                yield each
            number += 1

    async def addresses(self, org_id: UUID, day: date) -> Mapping[str, tuple[bytes, list[str]]]:
        """Return salt and addresses of each source at the cut of a day."""
        key = await self._key(org_id)
        found = await self.database.single(lambda tx: store.addresses(tx, org_id, day))
        return {source: (addresses_salt(key, day, source), each) for source, each in found.items()}

    async def _key(self, org_id: UUID) -> bytes:
        key = await self.database.transact(lambda tx: self.vault.make(tx, org_id, org_id))
        return key.derive("reserves.salts")


def addresses_salt(key: bytes, day: date, source: str) -> bytes:
    """Return the salt of the digest of a source's addresses."""
    return hmac.digest(key, f"addresses.{day}.{source}".encode(), "sha256")


async def _prove(tx: Tx, name: LiabilityName, piece: LiabilityPiece) -> ProvenPiece:
    of = name.org_id, name.day, name.asset
    number, row = await store.row_of_hash(tx, *of, piece.node.hash)
    at = bisect_left(row, piece.node)
    if row[at : at + 1] != [piece.node]:
        raise InvariantBroken(f"a piece of {name.asset} is not in the liabilities of {name.day}")
    above = await store.row_nodes(tx, *of)
    index = number * ROW_WIDTH + at
    return ProvenPiece(name.asset, piece, index, path_of(row, at) + path_of(above, number))
