"""Services of onramps and incoming payments."""

from dataclasses import dataclass

from landbridge.app.container.payment_services import PaymentServices
from landbridge.payments.engine.outgoing_orders import OrderSender
from landbridge.payments.incoming_payments.reviews import IncomingPaymentReviews
from landbridge.payments.onramps.deposits import OnrampDeposits
from landbridge.payments.onramps.matching import ManualDepositMatching
from landbridge.payments.onramps.reply_context import OnrampReplyContexts
from landbridge.payments.onramps.service import Onramps
from landbridge.payments.onramps.steps import OnrampSteps
from landbridge.providers.rates.port import RateSource


@dataclass(frozen=True, kw_only=True)
class OnrampServices:
    """Services of onramps: commands, worker steps, deposits, reviews of unmatched ones, replies."""

    onramps: Onramps
    onramp_steps: OnrampSteps
    onramp_deposits: OnrampDeposits
    incoming_payment_reviews: IncomingPaymentReviews
    onramp_reply_contexts: OnrampReplyContexts


def build_onramp_services(on: PaymentServices, rates: RateSource) -> OnrampServices:
    """Wire onramps."""
    onramps = Onramps(
        database=on.database,
        ledger=on.ledger,
        parties=on.payment_parties,
        transfer_creation=on.transfer_creation,
        quote_acceptance=on.quote_acceptance,
        wallets=on.wallets,
        accounts=on.bank_accounts,
        verification=on.verification,
        rfis=on.rfis,
        rates=rates,
        valuation=on.valuation,
        rails=on.rails,
        clock=on.clock,
        price_age_max=on.settings.price_age_max,
    )
    deposits = OnrampDeposits(
        onramps=onramps,
        virtual_accounts=on.virtual_accounts,
        incoming_payments=on.incoming_payments,
        orgs=on.orgs,
        limits=on.limits,
        clock=on.clock,
        review_above_usd=on.settings.review_above_usd,
    )
    return OnrampServices(
        onramps=onramps,
        onramp_steps=OnrampSteps(
            onramps=onramps,
            order_sender=OrderSender(on.ledger, on.clock, on.screens_payments),
            incoming_payments=on.incoming_payments,
            chains=on.chains,
            rails=on.rails,
            clock=on.clock,
        ),
        onramp_deposits=deposits,
        incoming_payment_reviews=IncomingPaymentReviews(
            incoming_payments=on.incoming_payments,
            matcher=ManualDepositMatching(deposits),
            rails=on.rails,
            clock=on.clock,
            database=on.database,
            orders=on.return_orders,
        ),
        onramp_reply_contexts=OnrampReplyContexts(on.users, on.incoming_payments, on.rails),
    )
