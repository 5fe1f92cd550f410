"""From what is asked for to a record: every check, in the order of the request, then the quote."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.accounts.model import Account
from landbridge.accounts.service import Accounts
from landbridge.approvals.model import OFFRAMP_LIFETIME
from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.core.ids import new_id
from landbridge.core.money import Asset
from landbridge.flows.offramps.asked import Wanted, check_account
from landbridge.flows.offramps.fees import FeeLine, checked_value
from landbridge.flows.offramps.model import KIND, QUOTE_LIFETIME, Details, Status
from landbridge.flows.offramps.payouts import payout
from landbridge.flows.offramps.quoting import Asked, Quoting, Terms
from landbridge.flows.offramps.references import corridor
from landbridge.flows.offramps.texts import Texts
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Opening
from landbridge.ledger.past import amounts_told
from landbridge.payments.amounts import too_little
from landbridge.payments.ends import Ends, Payee, token_asset
from landbridge.payments.errors import AccountUnfit
from landbridge.payments.postings import hold
from landbridge.quotes.errors import RouteInvalid
from landbridge.rails.port import Rails
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.model import ExternalWallet
from landbridge.wallets.service import Wallets, checked_address
from landbridge.web.caller import Caller


@dataclass(frozen=True, slots=True)
class Draft:
    """A record to be opened, and the texts that are kept beside it."""

    opening: Opening
    texts: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where the coins come from, and where they would go back to."""

    user_id: UUID
    asset: Asset
    address: str
    wallet_id: UUID | None = None
    account_id: UUID | None = None
    available_units: int = 0
    external_wallet_id: UUID | None = None
    return_address: str
    return_account_id: UUID | None
    return_user_id: UUID | None

    @property
    def told(self) -> dict[str, Any]:
        """These members as a record has them."""
        return {
            "source_address": self.address,
            "source_wallet_id": self.wallet_id,
            "source_account_id": self.account_id,
            "external_wallet_id": self.external_wallet_id,
            "return_address": self.return_address,
            "return_account_id": self.return_account_id,
            "return_user_id": self.return_user_id,
        }


@dataclass(frozen=True, slots=True)
class Drafting:
    """Checks what is asked for, and quotes it."""

    ends: Ends
    accounts: Accounts
    wallets: Wallets
    quoting: Quoting
    rails: Rails
    clock: Clock

    async def owner(self, caller: Caller, wanted: Wanted) -> UUID:
        """Whose coins are paid out, or were; raises `FieldInvalid` and `WalletNotFound`."""
        wanted.check_ends()
        if wanted.source_user_id is not None:
            return wanted.source_user_id
        return (await self._registered(caller.org_id, wanted)).user_id

    async def draft(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> Draft:
        """The record of an offramp; raises what `Offramps.create` says."""
        wanted.check_fees()
        fiat = wanted.fiat()
        self._check_connected()
        source = await self._source(caller, wanted)
        payee_id = wanted.destination_user_id or source.user_id
        await self.ends.check_may_move(caller, source.user_id, payee_id)
        account = await self.accounts.check_usable(caller.org_id, payee_id, wanted.account_id)
        check_account(account, wanted.destination_currency)
        texts = wanted.texts(account)
        asked = Asked(
            money=wanted.amount(source.asset, fiat),
            source=source.asset,
            destination=fiat,
            corridor=corridor(account),
            payment_rail=account.payment_rail or "",
            fees=await self._fees(caller, wanted, source.asset),
        )
        at = self.clock.stamp(caller.clock_offset)
        terms = await self.quoting.terms(caller.org_id, asked, at)
        is_short = source.available_units < terms.gross.units
        if source.account_id is not None and is_short:
            raise InsufficientBalance(too_little(terms.gross), field=wanted.amount_field)
        due_at = at + (OFFRAMP_LIFETIME if needs_approval else QUOTE_LIFETIME)
        details = Details(
            **source.told,
            **_told(wanted, asked, terms),
            destination_address=await self.wallets.treasury_address(caller.org_id, wanted.chain),
            destination_user_id=payee_id,
            account_id=account.id,
            needs_approval=needs_approval,
            quote_expires_at=None if needs_approval else due_at,
            held_units=terms.gross.units if needs_approval and source.account_id else 0,
        )
        opening = _opening(
            *(caller, request_id, request),
            user_id=source.user_id,
            terms=terms,
            details=details,
            due_at=due_at,
            at=at,
        )
        await self._check_carried(opening, account, details, texts)
        return Draft(opening, texts)

    async def _check_carried(
        self, opening: Opening, account: Account, details: Details, texts: Texts
    ) -> None:
        """Raise `AccountUnfit` for what the bank would refuse: better now than with the coins."""
        payment = payout(
            opening.id,
            account,
            opening.destination,
            rail=details.payment_rail,
            texts=texts,
            purpose=details.purpose,
            is_same_day=details.is_same_day,
            at=opening.at,
        )
        if reason := await self.rails.why_not(payment):
            raise AccountUnfit(
                f"destination.accountId: the bank can't pay this account: {reason}",
                field="destination.accountId",
            )

    def _check_connected(self) -> None:
        if not self.ends.can_leave:
            raise RouteInvalid(
                "no chain and no bank is connected that could carry this out",
                field="destination.accountId",
            )

    async def _source(self, caller: Caller, wanted: Wanted) -> _Source:
        if wanted.source_user_id is not None:
            payer = await self.ends.payer(
                caller, wanted.source_user_id, wanted.chain, wanted.currency
            )
            return _Source(
                user_id=payer.wallet.user_id,
                asset=payer.asset,
                address=payer.wallet.address,
                wallet_id=payer.wallet.id,
                account_id=payer.account.id,
                available_units=payer.account.available_units,
                return_address=payer.wallet.address,
                return_account_id=payer.account.id,
                return_user_id=payer.wallet.user_id,
            )
        external = await self._external(caller.org_id, wanted)
        asset = token_asset(wanted.chain, wanted.currency, field="source.currency")
        back = Payee(None, external.address)
        if wanted.return_address is not None:
            address = checked_address(
                wanted.chain, wanted.return_address, field="source.returnAddress"
            )
            back = await self._payee_at(caller.org_id, wanted.chain, address, asset)
        return _Source(
            user_id=external.user_id,
            asset=asset,
            address=external.address,
            external_wallet_id=external.id,
            return_address=back.address,
            return_account_id=back.account_id,
            return_user_id=back.user_id,
        )

    async def _external(self, org_id: UUID, wanted: Wanted) -> ExternalWallet:
        """The registered wallet that the coins come from; raises `WalletNotFound`."""
        found = await self._registered(org_id, wanted)
        if not found.is_active or found.chain is not wanted.chain:
            field = "source.externalWalletId"
            raise WalletNotFound(f"{field} is not an active wallet on {wanted.chain}", field=field)
        return found

    async def _registered(self, org_id: UUID, wanted: Wanted) -> ExternalWallet:
        """That wallet, also if it is none any more; raises `WalletNotFound`."""
        if wanted.external_wallet_id is None:
            raise Broken("an offramp without a user has an external wallet")
        return await self.wallets.external(org_id, wanted.external_wallet_id)

    async def _fees(self, caller: Caller, wanted: Wanted, asset: Asset) -> tuple[FeeLine, ...]:
        """The fees with whose wallets they go to; raises `FieldInvalid`."""
        lines: list[FeeLine] = []
        for place, fee in enumerate(wanted.fees):
            field = f"developerFee.fees[{place}]"
            address = checked_address(
                wanted.chain, fee.wallet_address, field=f"{field}.walletAddress"
            )
            payee = await self._payee_at(caller.org_id, wanted.chain, address, asset)
            lines.append(
                FeeLine(
                    type=fee.type,
                    value=checked_value(f"{field}.value", fee.type, fee.value, asset),
                    wallet_address=address,
                    account_id=payee.account_id,
                    user_id=payee.user_id,
                )
            )
        return tuple(lines)

    async def _payee_at(self, org_id: UUID, chain: Chain, address: str, asset: Asset) -> Payee:
        """Who gets what goes to this address; nobody of ours if it is outside.

        Raises `WalletNotFound`, `WalletConfigInvalid`, and `UserFrozen`.
        """
        ours = await self.wallets.find_address(org_id, chain, address)
        if ours is None:
            return Payee(None, address)
        await self.ends.users.check_active(org_id, ours.user_id)
        account = await self.ends.ledger.account(org_id, ours.id, asset)
        return Payee(ours.user_id, address, account_id=account.id)


def _told(wanted: Wanted, asked: Asked, terms: Terms) -> dict[str, Any]:
    """What was asked for and quoted, as a record has it."""
    return {
        "payment_rail": asked.payment_rail,
        "corridor": asked.corridor,
        "is_same_day": wanted.is_same_day,
        "is_exact_out": wanted.source_amount is None,
        "purpose": wanted.purpose,
        "fees": tuple(asked.fees),
        "amount_units": terms.amount.units,
        "exchange_fee_units": terms.exchange_fee.units,
        "rate": terms.rate,
    }


def _opening(
    caller: Caller,
    request_id: UUID,
    request: dict[str, Any],
    *,
    user_id: UUID,
    terms: Terms,
    details: Details,
    due_at: datetime,
    at: datetime,
) -> Opening:
    last = Status.PENDING_APPROVAL if details.needs_approval else Status.OPEN_QUOTE
    account_id = details.source_account_id if details.held_units else None
    return Opening(
        org_id=caller.org_id,
        id=new_id(),
        kind=KIND,
        user_id=user_id,
        request_id=request_id,
        request=request,
        path=(Status.CREATED, last),
        source=terms.gross,
        destination=terms.receive,
        details={**msgspec.to_builtins(details), **amounts_told(terms.gross, terms.receive)},
        due_at=due_at,
        at=at,
        actor=caller.actor,
        journals={} if account_id is None else {1: hold(account_id, terms.gross)},
    )
