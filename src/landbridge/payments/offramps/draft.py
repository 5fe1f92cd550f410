"""Offramp drafts: all checks of a request, in the order of its fields, then the quote."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.model import ExternalWallet
from landbridge.customers.wallets.service import Wallets, checked_address
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import CreateTransfer, created_record
from landbridge.ledger.snapshots import amount_facts
from landbridge.payments.approvals.model import OFFRAMP_LIFETIME
from landbridge.payments.engine.amounts import insufficient_balance_text
from landbridge.payments.engine.errors import AccountUnfit
from landbridge.payments.engine.order_keys import requested_details
from landbridge.payments.engine.parties import Payee, PaymentParties, token_asset
from landbridge.payments.engine.postings import hold
from landbridge.payments.offramps.fees import FeeLine, OfframpFee, validate_fee_value
from landbridge.payments.offramps.model import KIND, QUOTE_LIFETIME, OfframpDetails, OfframpStatus
from landbridge.payments.offramps.payouts import payout
from landbridge.payments.offramps.quote import (
    OfframpQuoteRequest,
    OfframpQuoteTerms,
    OfframpQuoting,
)
from landbridge.payments.offramps.references import corridor
from landbridge.payments.offramps.request import OfframpRequest, check_account
from landbridge.payments.offramps.texts import PayoutTexts
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.port import Rails


@dataclass(frozen=True, slots=True)
class OfframpDraft:
    """Record to create, with the texts stored beside it and the recipients of its coins.

    `destination` describes the bank account, the fees and the return address for an e-mail.
    """

    creation: CreateTransfer
    texts: PayoutTexts
    payees: Sequence[Payee]
    destination: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _CoinSource:
    """Wallet that the coins come from, and the address to which a refund returns them."""

    user_id: UUID
    asset: Asset
    address: str
    wallet_id: UUID | None = None
    account_id: UUID | None = None
    available_units: int = 0
    external_wallet_id: UUID | None = None
    refund_to: Payee

    @property
    def as_details(self) -> dict[str, Any]:
        """Return these fields as a record stores them."""
        return {
            "source_address": self.address,
            "source_wallet_id": self.wallet_id,
            "source_account_id": self.account_id,
            "external_wallet_id": self.external_wallet_id,
            "return_address": self.refund_to.address,
            "return_account_id": self.refund_to.account_id,
            "return_user_id": self.refund_to.user_id,
        }


@dataclass(frozen=True, slots=True)
class OfframpDrafting:
    """Checks and quotes offramp requests."""

    parties: PaymentParties
    accounts: BankAccounts
    wallets: Wallets
    quoting: OfframpQuoting
    rails: Rails
    clock: Clock

    async def owner(self, caller: Caller, params: OfframpRequest) -> UUID:
        """Return the id of the paying user; raises `FieldInvalid` and `WalletNotFound`."""
        params.check_ends()
        if params.source_user_id is not None:
            return params.source_user_id
        return (await self._registered(caller.org_id, params)).user_id

    async def draft(
        self,
        caller: Caller,
        request_id: UUID,
        params: OfframpRequest,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> OfframpDraft:
        """Draft the record of an offramp; raises the errors of `Offramps.create`."""
        params.check_fees()
        fiat = params.fiat()
        self._check_connected(params.chain)
        source = await self._source(caller, params)
        payee_id = params.destination_user_id or source.user_id
        await self.parties.check_may_move(caller, source.user_id, payee_id)
        account = await self.accounts.check_usable(caller.org_id, payee_id, params.account_id)
        check_account(account, params.destination_currency)
        texts = params.texts(account)
        fees, fee_payees = await self._fees(caller, params, source.asset)
        quote_request = OfframpQuoteRequest(
            money=params.amount(source.asset, fiat),
            source=source.asset,
            destination=fiat,
            corridor=corridor(account),
            payment_rail=account.payment_rail or "",
            fees=fees,
        )
        at = self.clock.stamp(caller.clock_offset)
        terms = await self._terms(caller, quote_request, fee_payees, at)
        if source.account_id is not None and source.available_units < terms.gross.units:
            raise InsufficientBalance(
                insufficient_balance_text(terms.gross), field=params.amount_field
            )
        due_at = at + (OFFRAMP_LIFETIME if needs_approval else QUOTE_LIFETIME)
        details = OfframpDetails(
            **source.as_details,
            **_details(params, quote_request, terms),
            destination_address=await self.wallets.find_treasury_address(
                caller.org_id, params.chain
            ),
            destination_user_id=payee_id,
            account_id=account.id,
            needs_approval=needs_approval,
            quote_expires_at=None if needs_approval else due_at,
            held_units=terms.gross.units if needs_approval and source.account_id else 0,
        )
        creation = _creation(
            caller=caller,
            request_id=request_id,
            request=request,
            user_id=source.user_id,
            terms=terms,
            details=details,
            due_at=due_at,
            at=at,
        )
        await self._check_carried(creation, account, details, texts)
        destination = _named(account, terms.fees, source)
        return OfframpDraft(creation, texts, (source.refund_to, *fee_payees), destination)

    async def _check_carried(
        self,
        creation: CreateTransfer,
        account: BankAccount,
        details: OfframpDetails,
        texts: PayoutTexts,
    ) -> None:
        """Raise `AccountUnfit` for a payout that the bank would reject after the debit."""
        payment = payout(
            created_record(creation),
            account,
            creation.destination,
            rail=details.payment_rail,
            texts=texts,
            purpose=details.purpose,
            is_same_day=details.is_same_day,
            at=creation.at,
        )
        if reason := await self.rails.rejection_reason(payment):
            raise AccountUnfit(
                f"destination.accountId: the bank can't pay this account: {reason}",
                field="destination.accountId",
            )

    def _check_connected(self, chain: str) -> None:
        if not self.parties.chains.carries(chain, ChainAction.TRANSFER):
            raise RouteInvalid(
                "no connected chain and bank can execute this",
                field="destination.accountId",
            )

    async def _source(self, caller: Caller, params: OfframpRequest) -> _CoinSource:
        if params.source_user_id is not None:
            payer = await self.parties.payer(
                caller, params.source_user_id, params.chain, params.currency
            )
            return _CoinSource(
                user_id=payer.wallet.user_id,
                asset=payer.asset,
                address=payer.wallet.address,
                wallet_id=payer.wallet.id,
                account_id=payer.account.id,
                available_units=payer.account.available_units,
                refund_to=Payee(
                    payer.wallet.user_id, payer.wallet.address, account_id=payer.account.id
                ),
            )
        external = await self._external(caller.org_id, params)
        asset = token_asset(params.chain, params.currency, field="source.currency")
        refund_to = Payee(None, external.address)
        if params.return_address is not None:
            address = checked_address(
                params.chain, params.return_address, field="source.returnAddress"
            )
            refund_to = await self._payee_at(
                caller.org_id, params.chain, address, asset, field="source.returnAddress"
            )
        return _CoinSource(
            user_id=external.user_id,
            asset=asset,
            address=external.address,
            external_wallet_id=external.id,
            refund_to=refund_to,
        )

    async def _external(self, org_id: UUID, params: OfframpRequest) -> ExternalWallet:
        """Return the registered wallet that sends the coins; raises `WalletNotFound`."""
        found = await self._registered(org_id, params)
        if not found.is_active or found.chain is not params.chain:
            field = "source.externalWalletId"
            raise WalletNotFound(f"{field} is not an active wallet on {params.chain}", field=field)
        return found

    async def _registered(self, org_id: UUID, params: OfframpRequest) -> ExternalWallet:
        """Return the registered wallet, even if it was removed since; raises `WalletNotFound`."""
        if params.external_wallet_id is None:
            raise InvariantBroken("an offramp without a user has an external wallet")
        return await self.wallets.external(org_id, params.external_wallet_id)

    async def _fees(
        self, caller: Caller, params: OfframpRequest, asset: Asset
    ) -> tuple[tuple[FeeLine, ...], Sequence[Payee]]:
        """Return the fees with their payees; raises `FieldInvalid`, and `RouteInvalid`."""
        if params.source_user_id is not None and params.fees:
            # One chain transaction pays the treasury and all fees. With external coins, each fee
            # is paid by a disbursement of its own.
            count = len(params.fees) + 1
            self.parties.check_recipients(params.chain, count, field="developerFee.fees")
        lines: list[FeeLine] = []
        payees: list[Payee] = []
        for index, fee in enumerate(params.fees):
            field = f"developerFee.fees[{index}]"
            address = checked_address(
                params.chain, fee.wallet_address, field=f"{field}.walletAddress"
            )
            payee = await self._payee_at(
                caller.org_id, params.chain, address, asset, field=f"{field}.walletAddress"
            )
            payees.append(payee)
            lines.append(
                FeeLine(
                    type=fee.type,
                    value=validate_fee_value(f"{field}.value", fee.type, fee.value, asset),
                    wallet_address=address,
                    account_id=payee.account_id,
                    user_id=payee.user_id,
                )
            )
        return tuple(lines), payees

    async def _terms(
        self,
        caller: Caller,
        request: OfframpQuoteRequest,
        fee_payees: Sequence[Payee],
        at: datetime,
    ) -> OfframpQuoteTerms:
        """Quote the request; raises as `OfframpQuoting.terms`.

        Raises `RouteInvalid` for a fee that may not be paid to a new external address.
        """
        terms = await self.quoting.terms(caller.org_id, request, at)
        await self.parties.check_new_addresses(
            caller,
            (
                (payee, fee.money, f"developerFee.fees[{index}].value")
                for index, (payee, fee) in enumerate(zip(fee_payees, terms.fees, strict=True))
            ),
        )
        return terms

    async def _payee_at(
        self, org_id: UUID, chain: Chain, address: str, asset: Asset, *, field: str
    ) -> Payee:
        """Return the payee at this address; an external address has no account or user.

        Raises `RouteInvalid` for an external address that may not be paid, `WalletNotFound`,
        `WalletConfigInvalid`, and `UserFrozen`.
        """
        ours = await self.wallets.find_address(org_id, chain, address)
        if ours is None:
            await self.parties.check_address(org_id, address, field)
            return Payee(None, address)
        await self.parties.users.check_active(org_id, ours.user_id)
        account = await self.parties.ledger.find_account(org_id, ours.id, asset)
        return Payee(ours.user_id, address, account_id=account.id, new_account=account.missing)


def _details(
    params: OfframpRequest, quote_request: OfframpQuoteRequest, terms: OfframpQuoteTerms
) -> dict[str, Any]:
    """Build the details of the record: request and quote."""
    return {
        "payment_rail": quote_request.payment_rail,
        "corridor": quote_request.corridor,
        "is_same_day": params.is_same_day,
        "is_exact_out": params.source_amount is None,
        "purpose": params.purpose,
        "fees": tuple(quote_request.fees),
        "amount_units": terms.amount.units,
        "exchange_fee_units": terms.exchange_fee.units,
        "rate": terms.rate,
    }


def _creation(
    caller: Caller,
    request_id: UUID,
    request: dict[str, Any],
    *,
    user_id: UUID,
    terms: OfframpQuoteTerms,
    details: OfframpDetails,
    due_at: datetime,
    at: datetime,
) -> CreateTransfer:
    last = OfframpStatus.PENDING_APPROVAL if details.needs_approval else OfframpStatus.OPEN_QUOTE
    account_id = details.source_account_id if details.held_units else None
    return CreateTransfer(
        org_id=caller.org_id,
        id=new_id(),
        kind=KIND,
        user_id=user_id,
        request_id=request_id,
        request=request,
        path=(OfframpStatus.CREATED, last),
        source=terms.gross,
        destination=terms.receive,
        details=requested_details(details, amount_facts(terms.gross, terms.receive)),
        due_at=due_at,
        at=at,
        actor=caller.actor,
        journals={} if account_id is None else {1: hold(account_id, terms.gross)},
    )


def _named(account: BankAccount, fees: Sequence[OfframpFee], source: _CoinSource) -> str:
    """Describe the bank account, and on further lines each fee and an external return address."""
    lines = [f"{account.summary} by {account.payment_rail}"]
    for each in fees:
        money, address = each.money, each.line.wallet_address
        lines.append(f"{money} {money.asset.currency.upper()} of it is a fee to {address}")
    if source.refund_to.address != source.address:
        lines.append(f"returned to {source.refund_to.address} if it fails")
    return "\n    ".join(lines)
