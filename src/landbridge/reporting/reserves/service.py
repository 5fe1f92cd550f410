"""Reserves of all organisations: counting liabilities at the cut of a day, and proving pieces."""

import asyncio
import hmac
import json
from base64 import b64encode
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
from landbridge.reporting.reserves.model import CountedLiabilities, StoredReserve
from landbridge.reporting.reserves.sum_tree import ROW_WIDTH, SumNode, cover, root_of

# Roles of house accounts with the organisation's own money; others are owed, or are outside.
_OWN = (HouseRole.LIQUIDITY, HouseRole.FEES, HouseRole.RECEIVABLE, HouseRole.WRITE_OFFS)

_encode = json.JSONEncoder(separators=(",", ":")).encode


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
        read_place: int,
    ) -> CountedLiabilities:
        """Return the liabilities of all changes at places below `read_place`.

        It takes no lock, and holds no transaction open while it builds the tree.
        """
        key = await self.database.transact(lambda tx: self._key(tx, org_id))
        balances = await self.database.single(
            lambda tx: store.count_balances(tx, org_id, assets, read_place=read_place)
        )
        house = await self.database.read(lambda tx: units_below(tx, org_id, read_place))
        return CountedLiabilities(
            read_place=read_place,
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
        """Store counted liabilities; `ledger_units` are the units held according to the ledger.

        Units that are neither in wallets nor the organisation's own are owed in open payments.
        """
        for tree in counted.trees:
            rest = ledger_units.get(tree.asset, 0) - tree.root.units - counted.own_units[tree.asset]
            await store.add_tree(tx, org_id, day, tree, source=source, open_units=max(0, rest))
        await store.add_addresses(tx, org_id, day, source, counted)

    async def lines_of(
        self, tx: Tx, org_id: UUID, day: date, user_id: UUID, wallet_ids: Collection[UUID]
    ) -> list[str]:
        """Return the trees of all assets that a user had, which show only the user's pieces.

        Raises `InvariantBroken` if a balance is not in its tree.
        """
        key = await self._key(tx, org_id)
        lines: list[str] = []
        for reserve in await store.of_day(tx, org_id, day):
            name = LiabilityName(key, org_id, day, reserve.asset)
            balances = [
                WalletBalance(
                    wallet_id,
                    user_id,
                    await store.balance_of(tx, org_id, day, reserve.asset, wallet_id),
                )
                for wallet_id in wallet_ids
            ]
            pieces = [piece for each in balances if each.units for piece in name.split(each)]
            if pieces:
                lines += await _shown(tx, name, reserve, {each.node: each for each in pieces})
        return lines

    async def all_lines(self, org_id: UUID, day: date) -> AsyncIterator[str]:
        """Yield the trees of all assets, with hash and units of each piece instead of the piece."""
        for reserve in await self.database.single(lambda tx: store.of_day(tx, org_id, day)):
            for number in range(len(range(0, reserve.pieces, ROW_WIDTH))):
                row = await self.database.single(
                    lambda tx, asset=reserve.asset, at=number: store.row(tx, org_id, day, asset, at)
                )
                for each in row:
                    yield _hidden(reserve.asset, each, 1)

    async def addresses(self, org_id: UUID, day: date) -> Mapping[str, tuple[bytes, list[str]]]:
        """Return salt and addresses of each source at the cut of a day."""
        key = await self.database.transact(lambda tx: self._key(tx, org_id))
        found = await self.database.single(lambda tx: store.addresses(tx, org_id, day))
        return {source: (addresses_salt(key, day, source), each) for source, each in found.items()}

    async def _key(self, tx: Tx, org_id: UUID) -> bytes:
        return (await self.vault.make(tx, org_id, org_id)).derive("reserves.salts")


def addresses_salt(key: bytes, day: date, source: str) -> bytes:
    """Return the salt of the digest of a source's addresses."""
    return hmac.digest(key, f"addresses.{day}.{source}".encode(), "sha256")


async def liabilities_of_day(tx: Tx, org_id: UUID, day: date) -> list[StoredReserve]:
    """Return the liabilities at the cut of a day, by source and asset."""
    return await store.of_day(tx, org_id, day)


async def _shown(
    tx: Tx, name: LiabilityName, reserve: StoredReserve, pieces: Mapping[SumNode, LiabilityPiece]
) -> list[str]:
    """Return the lines of a tree: these pieces, and the fewest nodes that cover all others."""
    of = name.org_id, name.day, name.asset
    found = [await store.row_of_hash(tx, *of, each.hash) for each in pieces]
    rows = dict(found)
    if not pieces.keys() <= {each for row in rows.values() for each in row}:
        raise InvariantBroken(f"a balance is not in the liabilities of {name.asset} on {name.day}")
    above = await store.row_nodes(tx, *of)
    # The last row is not a full subtree, unless its pieces fill it.
    if reserve.pieces % ROW_WIDTH:
        rows[len(above) - 1] = await store.row(tx, *of, len(above) - 1)
    lines: list[str] = []
    for first, size in cover(len(above), rows):
        if first not in rows:
            node = root_of(above[first : first + size])
            lines.append(_hidden(name.asset, node, size * ROW_WIDTH))
            continue
        row = rows[first]
        opened = [at for at, each in enumerate(row) if each in pieces]
        for at, count in cover(len(row), opened):
            if at in opened:
                lines.append(_open(pieces[row[at]]))
            else:
                lines.append(_hidden(name.asset, root_of(row[at : at + count]), count))
    return lines


def _open(piece: LiabilityPiece) -> str:
    return _encode({"salt": b64encode(piece.salt).decode(), "text": piece.text.decode()})


def _hidden(asset: str, node: SumNode, size: int) -> str:
    shown = b64encode(node.hash).decode()
    return _encode({"asset": asset, "hash": shown, "size": size, "units": str(node.units)})
