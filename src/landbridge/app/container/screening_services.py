"""Screening of deposits and payments: by a provider of the providers file, or by the sandbox."""

from dataclasses import dataclass

from landbridge.app.container.provider_services import ProviderServices
from landbridge.app.container.rates import reference, valuation
from landbridge.app.settings import Settings
from landbridge.customers.chain_deposits.screening import (
    TreasuryDepositEffects,
    WalletDepositEffects,
)
from landbridge.customers.deposit_screening.model import DepositSource
from landbridge.customers.deposit_screening.service import (
    DepositScreenings,
    ScreeningOutcomes,
    ScreeningReviews,
)
from landbridge.customers.payment_screening.channels import ScreenedChains, ScreenedRails
from landbridge.customers.payment_screening.service import PaymentScreenings
from landbridge.customers.travel_rule.checks import (
    ExchangeChecks,
    TravelRuleChecks,
    TravelRuleScreener,
)
from landbridge.customers.users.records import UserRecords
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.record_queues import RecordQueues
from landbridge.ledger.service import Ledger
from landbridge.payments.incoming_payments.screening import IncomingPaymentEffects
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.chains.port import Chains
from landbridge.providers.kyt.port import ScreeningDirection, TransferScreener
from landbridge.providers.kyt.sandbox import SandboxScreener
from landbridge.providers.rails.port import Rails
from landbridge.providers.sidecar.configuration import ProvidersFile
from landbridge.providers.sidecar.screener import ProviderScreener


@dataclass(frozen=True, kw_only=True)
class ScreeningServices:
    """Screenings of deposits, and what becomes of them; reviews of all screenings."""

    deposit_screenings: DepositScreenings
    screening_outcomes: ScreeningOutcomes
    screening_reviews: ScreeningReviews


@dataclass(frozen=True, kw_only=True)
class PaymentChannels:
    """Chains and rails of all payments. Without a screener nothing stands before them."""

    chains: Chains
    rails: Rails
    screens_payments: bool


def screen_deposits(
    settings: Settings,
    providers: ProviderServices | None,
    database: Database,
    vault: Vault,
    ledger: Ledger,
    *,
    travel_rule: TravelRuleChecks | None,
) -> ScreeningServices:
    """Wire the screening of deposits."""
    screener = _screener(settings.deposit_screening, providers, ScreeningDirection.DEPOSIT)
    if travel_rule is not None:
        screener = _with_travel_rule(screener, providers, travel_rule)
    screenings = DepositScreenings(ledger, screener)
    return ScreeningServices(
        deposit_screenings=screenings,
        screening_outcomes=ScreeningOutcomes(
            screenings,
            {
                DepositSource.WALLET: WalletDepositEffects(ledger),
                DepositSource.TREASURY: TreasuryDepositEffects(),
                DepositSource.BANK: IncomingPaymentEffects(database, vault),
            },
        ),
        screening_reviews=ScreeningReviews(ledger, RecordQueues(database, ledger)),
    )


def find_payment_screenings(
    settings: Settings,
    providers: ProviderServices | None,
    ledger: Ledger,
    orgs: Orgs,
    clock: Clock,
    *,
    travel_rule: TravelRuleChecks | None,
) -> PaymentScreenings | None:
    """Wire the screening of payments to outside; None if nobody screens them."""
    screener = _screener(settings.payment_screening, providers, ScreeningDirection.PAYMENT)
    if travel_rule is not None:
        screener = _with_travel_rule(screener, providers, travel_rule)
    return None if screener is None else PaymentScreenings(ledger, orgs, clock, screener)


def screen_payments(
    screenings: PaymentScreenings | None, wallets: Wallets, chains: Chains, rails: Rails
) -> PaymentChannels:
    """Return these chains and rails, with the screening before them if there is one."""
    if screenings is None:
        return PaymentChannels(chains=chains, rails=rails, screens_payments=False)
    return PaymentChannels(
        chains=ScreenedChains(chains, screenings, wallets),
        rails=ScreenedRails(rails, screenings),
        screens_payments=True,
    )


def check_travel_rule(
    settings: Settings,
    database: Database,
    vault: Vault,
    orgs: Orgs,
    clock: Clock,
    *,
    exchanges: ExchangeChecks,
) -> TravelRuleChecks | None:
    """Wire the checks of the travel rule; None where the installation does not apply it."""
    if settings.travel_rule != "on":
        return None
    values = valuation(settings, reference(settings, database, clock))
    return TravelRuleChecks(database, vault, UserRecords(vault), orgs, values, clock, exchanges)


def _with_travel_rule(
    screener: TransferScreener | None,
    providers: ProviderServices | None,
    travel_rule: TravelRuleChecks,
) -> TransferScreener:
    """Return a screener that also applies the travel rule.

    Without a route it still knows what a provider was asked about, so that this waits.
    """
    if screener is None and providers is not None:
        screener = providers.screener
    if screener is None:
        none = ProvidersFile(sidecars={}, routes=())
        screener = ProviderScreener(database=travel_rule.database, routes=none, providers={})
    return TravelRuleScreener(screener, travel_rule)


def _screener(
    setting: str | None, providers: ProviderServices | None, direction: ScreeningDirection
) -> TransferScreener | None:
    """Return who screens deposits or payments; None if nobody does."""
    if setting == "sandbox":
        return SandboxScreener()
    if providers is None or not providers.screener.routes.screenings_of(direction):
        return None
    return providers.screener
