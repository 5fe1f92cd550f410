"""Strategies for the create commands of payments, as the services draft them."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from hypothesis import strategies as st

from landbridge.ledger.model import CreateTransfer, created_record
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.bridges.model import BridgeDetails, BridgeStatus
from landbridge.payments.engine.fees import FeeType
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus, hold_journals
from landbridge.payments.engine.postings import hold
from landbridge.payments.incoming_payments.model import IncomingPayment, IncomingPaymentStatus
from landbridge.payments.offramps import model as offramps
from landbridge.payments.offramps.fees import FeeLine, OfframpFeeType, compute_fees, total
from landbridge.payments.offramps.model import OfframpDetails, OfframpStatus
from landbridge.payments.offramps.quote import OfframpQuoteTerms
from landbridge.payments.onramps import model as onramps
from landbridge.payments.onramps.model import (
    Onramp,
    OnrampDetails,
    OnrampStatus,
    SettlementPart,
    as_onramp,
)
from landbridge.payments.swaps import model as swaps
from landbridge.payments.swaps.model import SwapDetails, SwapStatus
from landbridge.payments.transfers import model as transfers
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.chains.tokens import NETWORK_TOKENS, TOKENS, Chain, Network
from landbridge.providers.rails.currencies import FIAT
from tests.payments.reached_states import ACTOR, AT

PAYER, PAYEE, PARTNER = UUID(int=11), UUID(int=12), UUID(int=13)
USER, OTHER_USER = UUID(int=21), UUID(int=22)
USDC = TOKENS[Chain.POLYGON, "usdc"].asset
UNITS = st.integers(1, 10) | st.integers(1, 10**18)
# Accounts of other wallets; None for coins that leave the platform.
PAYEES = st.sampled_from([PAYEE, PARTNER, None])
FIATS = st.sampled_from([FIAT["usd"], FIAT["ugx"]])


def _creation(kind: str, path: tuple[str, ...], **fields: Any) -> CreateTransfer:
    """Build a create command with constant ids and times."""
    values: dict[str, Any] = {
        "org_id": UUID(int=1),
        "id": UUID(int=2),
        "kind": kind,
        "user_id": USER,
        "request_id": UUID(int=3),
        "request": {},
        "path": path,
        "due_at": AT,
        "at": AT,
        "actor": ACTOR,
        **fields,
        "details": msgspec.to_builtins(fields["details"]),
    }
    return CreateTransfer(**values)


@st.composite
def swap_creations(draw: st.DrawFn) -> CreateTransfer:
    """Generate a quoted swap."""
    source = Money(draw(UNITS), USDC)
    details = SwapDetails(
        source_account_id=PAYER,
        destination_account_id=draw(PAYEES),
        destination_user_id=USER,
        destination_address="0xb",
        external_wallet_id=None,
        fee_units=draw(st.integers(0, source.units - 1)),
        rate=Decimal(1),
        quote_expires_at=AT,
        is_exact_out=False,
    )
    return _creation(
        swaps.KIND,
        (SwapStatus.OPEN_QUOTE,),
        source=source,
        destination=Money(draw(UNITS), TOKENS[Chain.POLYGON, "usdt"].asset),
        details=details,
    )


@st.composite
def transfer_creations(draw: st.DrawFn) -> CreateTransfer:
    """Generate a wallet transfer, with a fee or without one."""
    amount = Money(draw(UNITS), USDC)
    fee = None
    if draw(st.booleans()):
        units = draw(UNITS)
        fee = transfers.FeeDetails(type=FeeType.FIX, value=Decimal(1), units=units, address="0xf")
    gross = amount + Money(fee.units if fee else 0, USDC)
    details = transfers.TransferDetails(
        source_wallet_id=UUID(int=5),
        source_account_id=PAYER,
        source_address="0xa",
        destination_account_id=draw(PAYEES),
        destination_user_id=OTHER_USER,
        destination_address="0xb",
        external_wallet_id=None,
        fee=fee,
    )
    return _creation(
        transfers.KIND,
        (OutgoingTransferStatus.CREATED,),
        source=gross,
        destination=amount,
        details=details,
        journals=hold_journals(PAYER, gross),
    )


@st.composite
def batch_creations(draw: st.DrawFn) -> CreateTransfer:
    """Generate a batch, in which a recipient may occur more than once."""
    items = tuple(
        batches.BatchPaymentItem(account_id=account, user_id=None, address="0xb", units=units)
        for account, units in draw(st.lists(st.tuples(PAYEES, UNITS), min_size=1, max_size=5))
    )
    gross = Money(sum(each.units for each in items), USDC)
    details = batches.BatchDetails(
        source_wallet_id=UUID(int=5), source_account_id=PAYER, source_address="0xa", items=items
    )
    return _creation(
        batches.KIND,
        (OutgoingTransferStatus.CREATED,),
        source=gross,
        destination=gross,
        details=details,
        journals=hold_journals(PAYER, gross),
    )


@st.composite
def bridge_creations(draw: st.DrawFn) -> tuple[CreateTransfer, CreateTransfer]:
    """Generate a bridge twice: quoted, and waiting for an approval with its coins held."""
    units = draw(UNITS)
    source = Money(units, USDC)
    network = draw(st.sampled_from([Network.BASE, Network.ETHEREUM, Network.OPTIMISM]))
    details = BridgeDetails(
        source_account_id=PAYER,
        source_wallet_id=UUID(int=5),
        source_address="0xa",
        destination_account_id=draw(PAYEES) if network.chain else None,
        destination_user_id=None,
        destination_address="0xb",
        quote_expires_at=AT,
    )
    quoted = _creation(
        bridges.KIND,
        (BridgeStatus.OPEN_QUOTE,),
        source=source,
        destination=Money(units, NETWORK_TOKENS[network, "usdc"].asset),
        details=details,
    )
    waiting = replace(
        quoted,
        path=(BridgeStatus.PENDING_APPROVAL,),
        details={**quoted.details, "quote_expires_at": None, "held_units": units},
        journals={0: hold(PAYER, source)},
    )
    return quoted, waiting


@st.composite
def _fee_lines(draw: st.DrawFn) -> tuple[FeeLine, ...]:
    """Generate fees; the paying wallet itself may be a beneficiary."""
    lines: list[FeeLine] = []
    for kind in draw(st.lists(st.sampled_from(OfframpFeeType), max_size=3)):
        places = 4 if kind is OfframpFeeType.PERCENTAGE else 6
        value = Decimal(draw(st.integers(1, 10**4))).scaleb(-places)
        account = draw(st.sampled_from([PARTNER, PAYER, None]))
        lines.append(FeeLine(type=kind, value=value, wallet_address="0xf", account_id=account))
    return tuple(lines)


@st.composite
def offramp_terms(draw: st.DrawFn, lines: tuple[FeeLine, ...], fiat: Asset) -> OfframpQuoteTerms:
    """Generate a quote with these fees."""
    amount = Money(draw(UNITS), USDC)
    return OfframpQuoteTerms(
        amount=amount,
        exchange_fee=Money(draw(st.integers(0, amount.units - 1)), USDC),
        fees=compute_fees(lines, amount),
        receive=Money(draw(UNITS), fiat),
        rate=Decimal(1),
    )


@st.composite
def offramp_creations(
    draw: st.DrawFn, *, is_external: bool
) -> tuple[list[CreateTransfer], OfframpQuoteTerms]:
    """Generate an offramp, and the quote that an approval would make.

    It is quoted; coins of a wallet also wait for an approval, and are held then.
    """
    lines, fiat = draw(_fee_lines()), draw(FIATS)
    terms, later = draw(offramp_terms(lines, fiat)), draw(offramp_terms(lines, fiat))
    gross = terms.amount + total(terms.fees, USDC)
    account = None if is_external else PAYER
    details = OfframpDetails(
        source_address="0xa",
        destination_address="0xb",
        source_wallet_id=None if is_external else UUID(int=5),
        source_account_id=account,
        external_wallet_id=UUID(int=8) if is_external else None,
        return_address="0xa",
        return_account_id=draw(PAYEES) if is_external else account,
        destination_user_id=OTHER_USER,
        account_id=UUID(int=9),
        payment_rail="wire",
        corridor=None,
        is_same_day=False,
        is_exact_out=False,
        needs_approval=False,
        fees=lines,
        amount_units=terms.amount.units,
        exchange_fee_units=terms.exchange_fee.units,
        rate=terms.rate,
        quote_expires_at=AT,
    )
    quoted = _creation(
        offramps.KIND,
        (OfframpStatus.CREATED, OfframpStatus.OPEN_QUOTE),
        source=gross,
        destination=terms.receive,
        details=details,
    )
    if is_external:
        return [quoted], later
    waiting = replace(
        quoted,
        path=(OfframpStatus.CREATED, OfframpStatus.PENDING_APPROVAL),
        details={**quoted.details, "needs_approval": True, "held_units": gross.units},
        journals={1: hold(PAYER, gross)},
    )
    return [quoted, waiting], later


@st.composite
def onramp_creations(draw: st.DrawFn) -> CreateTransfer:
    """Generate a quoted onramp, with the parts of a settlement rule or without them."""
    source, destination = Money(draw(UNITS), draw(FIATS)), Money(draw(UNITS), USDC)
    parts: list[SettlementPart] = []
    remainder = destination.units
    for account in draw(st.lists(PAYEES, max_size=3)):
        if remainder:
            units = draw(st.integers(1, remainder))
            parts.append(SettlementPart(address="0xc", account_id=account, units=units))
            remainder -= units
    details = OnrampDetails(
        bank_account_id=None,
        source_address="0xa",
        destination_account_id=draw(PAYEES),
        destination_user_id=OTHER_USER,
        destination_address="0xb",
        external_wallet_id=None,
        fee_units=draw(st.integers(0, source.units)),
        rate=Decimal(1),
        quote_expires_at=AT,
        is_exact_out=False,
        parts=tuple(parts),
    )
    return _creation(
        onramps.KIND,
        (OnrampStatus.CREATED, OnrampStatus.OPEN_QUOTE),
        source=source,
        destination=destination,
        details=details,
    )


def onramp_at(status: OnrampStatus, **facts: Any) -> Onramp:
    """Return an onramp of 10 dollars for 10 usdc at this status, with these facts."""
    details = OnrampDetails(
        bank_account_id=None,
        source_address="0xa",
        destination_account_id=PAYEE,
        destination_user_id=USER,
        destination_address="0xb",
        external_wallet_id=None,
        fee_units=0,
        rate=Decimal(1),
        quote_expires_at=AT,
        is_exact_out=False,
    )
    creation = _creation(
        onramps.KIND,
        (status,),
        source=Money(1_000, FIAT["usd"]),
        destination=Money(10_000_000, USDC),
        details=details,
    )
    return as_onramp(replace(created_record(creation), facts=facts))


def incoming_payment(**changes: Any) -> IncomingPayment:
    """Build an unmatched deposit of ten dollars, with changes."""
    values: dict[str, Any] = {
        "org_id": UUID(int=1),
        "id": UUID(int=50),
        "bank_reference": "1",
        "account_number": "2",
        "reference": None,
        "money": Money(1_000, FIAT["usd"]),
        "rail": "wire",
        "sender": None,
        "description": None,
        "status": IncomingPaymentStatus.UNMATCHED,
        "transfer_id": None,
        "user_id": None,
        "version": 1,
        "received_at": AT,
        "arrived_at": AT - timedelta(seconds=1),
        "clears_at": AT,
        "updated_at": AT,
        "due_at": None,
        "return_attempts": 0,
    }
    return IncomingPayment(**{**values, **changes})


def bridge_creation() -> CreateTransfer:
    """Return a quoted bridge of 10 usdc to another chain."""
    details = BridgeDetails(
        source_account_id=PAYER,
        source_wallet_id=UUID(int=5),
        source_address="0xa",
        destination_account_id=PAYEE,
        destination_user_id=OTHER_USER,
        destination_address="0xb",
        quote_expires_at=AT,
    )
    return _creation(
        bridges.KIND,
        (BridgeStatus.OPEN_QUOTE,),
        source=Money(10_000_000, USDC),
        destination=Money(10_000_000, TOKENS[Chain.BASE, "usdc"].asset),
        details=details,
    )
