"""Flows that take money in."""

from dataclasses import dataclass

from landbridge.flows.onramps.backgrounds import Backgrounds
from landbridge.flows.onramps.deposits import Deposits
from landbridge.flows.onramps.matching import Matching
from landbridge.flows.onramps.service import Onramps
from landbridge.flows.onramps.steps import OnrampSteps
from landbridge.payments.sending import Sending
from landbridge.rates.port import RateSource
from landbridge.receipts.reviewing import DepositReviews
from landbridge.wiring.paying import Paying


@dataclass(frozen=True, slots=True, kw_only=True)
class TakingIn:
    """Onramps: their verbs, what the worker does, what deposits do, what replies show.

    Deposits that nobody takes are reviewed.
    """

    onramps: Onramps
    steps: OnrampSteps
    deposits: Deposits
    reviews: DepositReviews
    backgrounds: Backgrounds


def take_in(on: Paying, rates: RateSource) -> TakingIn:
    """Wire onramps."""
    onramps = Onramps(
        database=on.database,
        ledger=on.ledger,
        ends=on.ends,
        openings=on.openings,
        committing=on.committing,
        wallets=on.wallets,
        accounts=on.accounts,
        verification=on.verification,
        rfis=on.rfis,
        rates=rates,
        valuation=on.valuation,
        rails=on.rails,
        clock=on.clock,
        price_age_max=on.settings.price_age_max,
    )
    deposits = Deposits(
        onramps=onramps,
        virtual_accounts=on.virtual_accounts,
        receipts=on.receipts,
        orgs=on.orgs,
        clock=on.clock,
        review_above_usd=on.settings.review_above_usd,
    )
    return TakingIn(
        onramps=onramps,
        steps=OnrampSteps(
            onramps=onramps,
            sending=Sending(on.ledger, on.clock),
            receipts=on.receipts,
            chains=on.chains,
            rails=on.rails,
            clock=on.clock,
        ),
        deposits=deposits,
        reviews=DepositReviews(on.receipts, Matching(deposits), on.rails, on.clock),
        backgrounds=Backgrounds(on.users, on.receipts, on.rails),
    )
