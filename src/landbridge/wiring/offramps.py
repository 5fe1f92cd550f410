"""Payouts to bank accounts."""

from dataclasses import dataclass

from landbridge.flows.offramps.deciding import Deciding
from landbridge.flows.offramps.disbursing import OfframpDisbursing
from landbridge.flows.offramps.drafting import Drafting
from landbridge.flows.offramps.errands import Errands
from landbridge.flows.offramps.quoting import Quoting
from landbridge.flows.offramps.service import Offramps
from landbridge.flows.offramps.steps import OfframpSteps
from landbridge.flows.offramps.texts import TextArchive
from landbridge.payments.sending import Sending
from landbridge.rates.port import RateSource
from landbridge.wiring.coins import Coins


@dataclass(frozen=True, slots=True)
class PayingOut:
    """Offramps, what is decided about them, and what the worker does with them."""

    offramps: Offramps
    deciding: Deciding
    steps: OfframpSteps


def pay_out(on: Coins, rates: RateSource) -> PayingOut:
    """Wire offramps."""
    quoting = Quoting(rates, on.settings.price_age_max)
    texts = TextArchive(on.database, on.vault, on.files)
    disbursing = OfframpDisbursing(on.database, on.ledger, on.wallets, on.disbursements)
    offramps = Offramps(
        *(on.database, on.ledger, on.openings, on.committing),
        Drafting(on.ends, on.accounts, on.wallets, quoting, on.rails, on.clock),
        texts,
        *(on.approvals, on.rfis, on.users, disbursing, on.clock),
        review_above_usd=on.settings.review_above_usd,
    )
    errands = Errands(on.chains, on.rails, on.accounts, texts, on.clock)
    return PayingOut(
        offramps,
        Deciding(on.orgs, on.users, on.accounts, quoting),
        OfframpSteps(
            offramps,
            errands,
            Sending(on.ledger, on.clock),
            ends=on.ends,
            accounts=on.accounts,
            clock=on.clock,
        ),
    )
