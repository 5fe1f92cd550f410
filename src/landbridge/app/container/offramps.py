"""Payouts to bank accounts."""

from dataclasses import dataclass

from landbridge.app.container.coin_flows import CoinFlows
from landbridge.customers.chain_deposits.treasury_service import TreasuryDeposits
from landbridge.customers.users.system_freeze import SystemFreeze
from landbridge.payments.engine.outgoing_orders import OrderSender
from landbridge.payments.offramps.approval_decisions import OfframpDecisions
from landbridge.payments.offramps.draft import OfframpDrafting
from landbridge.payments.offramps.external_coins import ExternalCoins
from landbridge.payments.offramps.fee_disbursements import OfframpFeeDisbursements
from landbridge.payments.offramps.lost_coins import LostCoins
from landbridge.payments.offramps.orders import OfframpOrders
from landbridge.payments.offramps.quote import OfframpQuoting
from landbridge.payments.offramps.renewals import OfframpRenewals
from landbridge.payments.offramps.service import Offramps
from landbridge.payments.offramps.steps import OfframpSteps
from landbridge.payments.offramps.texts import TextArchive
from landbridge.providers.rates.port import RateSource


@dataclass(frozen=True, kw_only=True)
class OfframpServices:
    """Services of offramps: routes, decisions and worker steps."""

    offramps: Offramps
    offramp_decisions: OfframpDecisions
    offramp_steps: OfframpSteps
    external_coins: ExternalCoins
    offramp_renewals: OfframpRenewals


def build_offramp_services(on: CoinFlows, rates: RateSource) -> OfframpServices:
    """Wire offramps."""
    quoting = OfframpQuoting(rates, on.settings.price_age_max)
    texts = TextArchive(on.database, on.vault, on.files)
    fee_disbursements = OfframpFeeDisbursements(
        on.database, on.ledger, on.wallets, on.disbursements
    )
    offramps = Offramps(
        database=on.database,
        ledger=on.ledger,
        transfer_creation=on.transfer_creation,
        quote_acceptance=on.quote_acceptance,
        drafting=OfframpDrafting(
            on.payment_parties, on.bank_accounts, on.wallets, quoting, on.rails, on.clock
        ),
        archive=texts,
        approvals=on.approvals,
        rfis=on.rfis,
        users=on.users,
        fee_disbursements=fee_disbursements,
        clock=on.clock,
        review_above_usd=on.settings.review_above_usd,
    )
    deposits = TreasuryDeposits(on.database)
    freeze = SystemFreeze(on.database, on.wallets, on.vault).freeze
    external_coins = ExternalCoins(
        deposits,
        on.ledger,
        offramps,
        on.clock,
        LostCoins(deposits, on.ledger, offramps, on.clock, freeze),
    )
    orders = OfframpOrders(on.chains, on.rails, on.bank_accounts, texts, on.clock)
    return OfframpServices(
        offramps=offramps,
        offramp_decisions=OfframpDecisions(on.orgs, on.users, on.bank_accounts, quoting),
        offramp_steps=OfframpSteps(
            offramps,
            orders,
            OrderSender(on.ledger, on.clock, on.screens_payments),
            external_coins,
            parties=on.payment_parties,
            accounts=on.bank_accounts,
            clock=on.clock,
        ),
        external_coins=external_coins,
        offramp_renewals=OfframpRenewals(offramps, on.transfer_creation, on.approvals),
    )
