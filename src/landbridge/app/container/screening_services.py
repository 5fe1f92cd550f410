"""Screening of deposits: by a provider of the providers file, or by the sandbox; else none."""

from dataclasses import dataclass

from landbridge.app.container.provider_services import ProviderServices
from landbridge.app.settings import Settings
from landbridge.customers.chain_deposits.screening import (
    TreasuryDepositEffects,
    WalletDepositEffects,
)
from landbridge.customers.deposit_screening.model import DepositSource
from landbridge.customers.deposit_screening.reviews import ScreeningReviews
from landbridge.customers.deposit_screening.service import DepositScreenings, ScreeningOutcomes
from landbridge.ledger.record_queues import RecordQueues
from landbridge.ledger.service import Ledger
from landbridge.payments.incoming_payments.screening import IncomingPaymentEffects
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.providers.kyt.port import DepositScreener
from landbridge.providers.kyt.sandbox import SandboxScreener


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningServices:
    """Screenings of deposits, and what becomes of them."""

    deposit_screenings: DepositScreenings
    screening_outcomes: ScreeningOutcomes
    screening_reviews: ScreeningReviews


def screen_deposits(
    settings: Settings,
    providers: ProviderServices | None,
    database: Database,
    vault: Vault,
    ledger: Ledger,
) -> ScreeningServices:
    """Wire the screening of deposits."""
    screenings = DepositScreenings(ledger, _screener(settings, providers))
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


def _screener(settings: Settings, providers: ProviderServices | None) -> DepositScreener | None:
    """Return who screens deposits; None if nobody does."""
    if settings.deposit_screening == "sandbox":
        return SandboxScreener()
    return None if providers is None else providers.screener
