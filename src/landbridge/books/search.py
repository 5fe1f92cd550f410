"""Finds users, wallets and payments by what somebody has at hand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from uuid import UUID

from landbridge.books.model import ALL_ASSETS, KINDS
from landbridge.books.shapes import chain_of
from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.core.ids import as_uuid
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.ledger.listing import Line, Listing
from landbridge.users.model import UserCard
from landbridge.users.service import Filters, Users
from landbridge.wallets.service import Wallets, checked_address

RESULTS_MAX = 20
_LENGTH_MAX = 200
# Users that a name is compared with; an e-mail or a rare name is found among far fewer.
_LOOKED_THROUGH_MAX = 1_000
_BATCH_SIZE = 100
# Of an EVM chain in hexadecimal, of Solana in base58.
_HASH = re.compile(r"0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{80,90}")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}")


class Kind(StrEnum):
    """What was found."""

    USER = "user"
    WALLET = "wallet"
    EXTERNAL_WALLET = "externalWallet"
    TRANSACTION = "transaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Something that was found: what it is called, and what tells it from others.

    `user_id` is whose it is.
    """

    kind: Kind
    id: UUID
    label: str
    detail: str
    user_id: UUID


@dataclass(frozen=True, slots=True)
class Search:
    """Searches what an organisation has."""

    users: Users
    wallets: Wallets
    listing: Listing

    async def find(self, org_id: UUID, text: str) -> Sequence[Result]:
        """What an id, an address, a hash, an e-mail or a name leads to, at most `RESULTS_MAX`.

        Raises `FieldInvalid` for a text that is empty or very long.
        """
        told = text.strip()
        if not told or len(told) > _LENGTH_MAX:
            raise FieldInvalid(f"q must have 1 to {_LENGTH_MAX} characters", field="q")
        wanted = as_uuid(told)
        if wanted is not None:
            return await self._by_id(org_id, wanted)
        if _HASH.fullmatch(told):
            spelled = told.lower() if told.startswith("0x") else told
            lines = await self.listing.by_hash(org_id, spelled, limit=RESULTS_MAX)
            return [_payment(each) for each in lines if each.kind in KINDS]
        if _ADDRESS.fullmatch(told) and (found := await self._by_address(org_id, told)):
            return found[:RESULTS_MAX]
        return await self._by_name(org_id, told)

    async def _by_id(self, org_id: UUID, wanted: UUID) -> list[Result]:
        cards = await self.users.cards(org_id, [wanted])
        lines = await self.listing.by_id(org_id, wanted)
        return [
            *map(_user, cards.values()),
            *(_payment(each) for each in lines if each.kind in KINDS),
        ]

    async def _by_address(self, org_id: UUID, text: str) -> list[Result]:
        chain = Chain.ETHEREUM if text.startswith("0x") else Chain.SOLANA
        try:
            # However its letters are written.
            spelled = text.lower() if chain.is_evm else text
            address = checked_address(chain, spelled, field="q")
        except Refused:
            return []
        ours, outside = await self.wallets.at_address(org_id, address, limit=RESULTS_MAX)
        names = await self.users.cards(org_id, list({each.user_id for each in (*ours, *outside)}))

        def label(user_id: UUID) -> str:
            return (names[user_id].name if user_id in names else "") or str(user_id)

        found = [
            Result(
                kind=Kind.WALLET,
                id=each.id,
                label=f"{label(each.user_id)} · {each.chain}",
                detail=each.address,
                user_id=each.user_id,
            )
            for each in ours
        ]
        found += [
            Result(
                kind=Kind.EXTERNAL_WALLET,
                id=each.id,
                label=f"{label(each.user_id)} · {each.chain}",
                detail=each.address,
                user_id=each.user_id,
            )
            for each in outside
        ]
        return found

    async def _by_name(self, org_id: UUID, text: str) -> list[Result]:
        """Users with this in the e-mail or a name, or a first and a last name with these words."""
        found: dict[UUID, UserCard] = {}
        for each in _patterns(text):
            if len(found) >= RESULTS_MAX:
                break
            page = await self.users.page(
                org_id,
                each,
                Window(RESULTS_MAX, None, None),
                batch_size=_BATCH_SIZE,
                looked_through_max=_LOOKED_THROUGH_MAX,
            )
            found |= {card.id: card for card in page.users}
        cards = sorted(found.values(), key=attrgetter("created_at"), reverse=True)
        return [_user(each) for each in cards[:RESULTS_MAX]]


def _patterns(text: str) -> list[Filters]:
    def filters(
        *,
        first_name: str | None = None,
        last_name: str | None = None,
        business_name: str | None = None,
        email: str | None = None,
    ) -> Filters:
        return Filters(
            type=None,
            first_name=first_name,
            last_name=last_name,
            business_name=business_name,
            email=email,
        )

    if "@" in text:
        return [filters(email=text)]
    wanted = [
        filters(last_name=text),
        filters(first_name=text),
        filters(business_name=text),
        filters(email=text),
    ]
    first, _, last = text.partition(" ")
    if last.strip():
        wanted.insert(0, filters(first_name=first, last_name=last.strip()))
    return wanted


def _user(card: UserCard) -> Result:
    return Result(
        kind=Kind.USER,
        id=card.id,
        label=card.name or str(card.id),
        detail=card.email or str(card.id),
        user_id=card.id,
    )


def _payment(line: Line) -> Result:
    asset = ALL_ASSETS[line.source_asset]
    chain = chain_of(line.source_asset)
    amount = f"{Money(line.source_units, asset)} {asset.currency}"
    return Result(
        kind=Kind.TRANSACTION,
        id=line.id,
        label=f"{line.kind} · {amount}" + ("" if chain is None else f" · {chain}"),
        detail=line.status,
        user_id=line.user_id,
    )
