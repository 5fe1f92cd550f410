"""Search for users, wallets and transfers by ids, references, amounts, addresses and names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from uuid import UUID

from landbridge.customers.bank_accounts.account_lists import AccountSummaries
from landbridge.customers.users.model import UserCard
from landbridge.customers.users.search import UserFilters
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.service import Wallets, checked_address
from landbridge.ledger.listing import TransferListing, TransferListRow
from landbridge.payments.transactions.model import ALL_ASSETS, KINDS
from landbridge.payments.transactions.payment_search import PaymentSearch
from landbridge.payments.transactions.schemas import chain_of
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database
from landbridge.platform.metadata import service as metadata_service
from landbridge.providers.chains.tokens import Chain

RESULTS_MAX = 20
LENGTH_MAX = 200
# Users with names that one search compares at most; an e-mail or a rare name needs far fewer.
_LOOKED_THROUGH_MAX = 1_000
_BATCH_SIZE = 100
# Form of addresses: EVM in hexadecimal, Solana in base58.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}")


class SearchResultKind(StrEnum):
    """Kind of a search result."""

    USER = "user"
    WALLET = "wallet"
    EXTERNAL_WALLET = "externalWallet"
    BANK_ACCOUNT = "bankAccount"
    TRANSACTION = "transaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Search result of the user `user_id`: a label, and details that distinguish it."""

    kind: SearchResultKind
    id: UUID
    label: str
    detail: str
    user_id: UUID


@dataclass(frozen=True, slots=True)
class TransactionSearch:
    """Searches the data of an organisation."""

    database: Database
    users: Users
    wallets: Wallets
    accounts: AccountSummaries
    listing: TransferListing
    payments: PaymentSearch

    async def find(self, org_id: UUID, text: str) -> Sequence[SearchResult]:
        """Find the matches of an id, reference, amount, address, hash, email, name or metadata.

        Return at most `RESULTS_MAX`. Metadata matches by a whole value, or as `key:value`, and
        these matches come first. Raises `FieldInvalid` for an empty or very long text.
        """
        query = text.strip()
        if not query or len(query) > LENGTH_MAX:
            raise FieldInvalid(f"q must have 1 to {LENGTH_MAX} characters", field="q")
        found = [*await self._by_metadata(org_id, query), *await self._by_text(org_id, query)]
        return list({(each.kind, each.id): each for each in found}.values())[:RESULTS_MAX]

    async def _by_metadata(self, org_id: UUID, text: str) -> list[SearchResult]:
        found = await self.database.read_on_replica(
            lambda tx: metadata_service.search(tx, org_id, text, limit=RESULTS_MAX)
        )
        if not found:
            return []
        cards = await self.users.cards(org_id, list({*found, *found.values()}))
        accounts = await self.accounts.of(org_id, found)
        lines = await self.listing.by_ids(org_id, list(found))
        return [
            *(_user(card) for card in cards.values() if card.id in found),
            *(
                SearchResult(
                    kind=SearchResultKind.BANK_ACCOUNT,
                    id=account_id,
                    label=f"{_label(cards, found[account_id])} · {summary}",
                    detail=str(account_id),
                    user_id=found[account_id],
                )
                for account_id, summary in accounts.items()
            ),
            *(_payment(each) for each in lines if each.kind in KINDS),
        ]

    async def _by_text(self, org_id: UUID, query: str) -> list[SearchResult]:
        object_id = as_uuid(query)
        if object_id is not None and (found := await self._by_id(org_id, object_id)):
            return found
        if _ADDRESS.fullmatch(query) and (found := await self._by_address(org_id, query)):
            return found
        payments = await self.payments.find(org_id, query)
        return [*map(_payment, payments), *await self._by_name(org_id, query)]

    async def _by_id(self, org_id: UUID, object_id: UUID) -> list[SearchResult]:
        cards = await self.users.cards(org_id, [object_id])
        lines = await self.listing.by_id(org_id, object_id)
        return [
            *map(_user, cards.values()),
            *(_payment(each) for each in lines if each.kind in KINDS),
        ]

    async def _by_address(self, org_id: UUID, text: str) -> list[SearchResult]:
        chain = Chain.ETHEREUM if text.startswith("0x") else Chain.SOLANA
        try:
            # EVM addresses are compared without regard to case.
            spelled = text.lower() if chain.is_evm else text
            address = checked_address(chain, spelled, field="q")
        except Refused:
            return []
        ours, outside = await self.wallets.at_address(org_id, address, limit=RESULTS_MAX)
        names = await self.users.cards(org_id, list({each.user_id for each in (*ours, *outside)}))
        found = [
            SearchResult(
                kind=SearchResultKind.WALLET,
                id=each.id,
                label=f"{_label(names, each.user_id)} · {each.chain}",
                detail=each.address,
                user_id=each.user_id,
            )
            for each in ours
        ]
        found += [
            SearchResult(
                kind=SearchResultKind.EXTERNAL_WALLET,
                id=each.id,
                label=f"{_label(names, each.user_id)} · {each.chain}",
                detail=each.address,
                user_id=each.user_id,
            )
            for each in outside
        ]
        return found

    async def _by_name(self, org_id: UUID, text: str) -> list[SearchResult]:
        """Find users by text in the email or a name, or by words in first and last name."""
        found: dict[UUID, UserCard] = {}
        for each in _patterns(text):
            if len(found) >= RESULTS_MAX:
                break
            page = await self.users.page(
                org_id,
                each,
                PageWindow(RESULTS_MAX, None, None),
                batch_size=_BATCH_SIZE,
                looked_through_max=_LOOKED_THROUGH_MAX,
            )
            found |= {card.id: card for card in page.users}
        cards = sorted(found.values(), key=attrgetter("created_at"), reverse=True)
        return [_user(each) for each in cards[:RESULTS_MAX]]


def _patterns(text: str) -> list[UserFilters]:
    def filters(
        *,
        first_name: str | None = None,
        last_name: str | None = None,
        business_name: str | None = None,
        email: str | None = None,
    ) -> UserFilters:
        return UserFilters(
            type=None,
            first_name=first_name,
            last_name=last_name,
            business_name=business_name,
            email=email,
        )

    if "@" in text:
        return [filters(email=text)]
    object_id = [
        filters(last_name=text),
        filters(first_name=text),
        filters(business_name=text),
        filters(email=text),
    ]
    first, _, last = text.partition(" ")
    if last.strip():
        object_id.insert(0, filters(first_name=first, last_name=last.strip()))
    return object_id


def _label(cards: Mapping[UUID, UserCard], user_id: UUID) -> str:
    """Return the name of a user, or the user's id if there is no name."""
    return (cards[user_id].name if user_id in cards else "") or str(user_id)


def _user(card: UserCard) -> SearchResult:
    return SearchResult(
        kind=SearchResultKind.USER,
        id=card.id,
        label=card.name or str(card.id),
        detail=card.email or str(card.id),
        user_id=card.id,
    )


def _payment(line: TransferListRow) -> SearchResult:
    asset = ALL_ASSETS[line.source_asset]
    chain = chain_of(line.source_asset)
    amount = f"{Money(line.source_units, asset)} {asset.currency}"
    return SearchResult(
        kind=SearchResultKind.TRANSACTION,
        id=line.id,
        label=f"{line.kind} · {amount}" + ("" if chain is None else f" · {chain}"),
        detail=line.status,
        user_id=line.user_id,
    )
