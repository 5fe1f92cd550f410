"""Client of a sidecar that counts its calls, for all processes."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.identity.port import Applicant, ApplicantDocument, HostedVerification
from landbridge.providers.kyt.port import ScreenedTransfer
from landbridge.providers.rails.port import (
    PayeeMatch,
    PayeeVerification,
    PayoutDestination,
    RailPayment,
)
from landbridge.providers.sidecar import call_store
from landbridge.providers.sidecar.calls import CallFailure, counted
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import SidecarSettings
from landbridge.providers.sidecar.credits import DepositAccount, ProviderCreditPage
from landbridge.providers.sidecar.identity_protocol import ApplicationAnswer
from landbridge.providers.sidecar.model import PayoutReport
from landbridge.providers.sidecar.protocol import (
    RequestedOutcome,
    RequestedScreening,
    RequestedVerification,
    ScreeningAnswer,
)
from landbridge.providers.sidecar.rates_protocol import RatesAnswer
from landbridge.providers.sidecar.travel_protocol import (
    RawTravelInbox,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelResolutionRequest,
)


class CountedSidecar(SidecarClient):
    """Sidecar of the providers file; see `SidecarClient`."""

    def __init__(self, settings: SidecarSettings, clock: Clock, database: Database) -> None:
        super().__init__(settings, clock)
        self._database = database

    async def pay(
        self,
        payment: RailPayment,
        *,
        returns: str | None = None,
        test_outcome: RequestedOutcome | None = None,
    ) -> PayoutReport:
        """Submit a payout; see `PayoutProvider`."""
        async with counted(self.name, self._record):
            return await super().pay(payment, returns=returns, test_outcome=test_outcome)

    async def find(self, org_id: UUID, key: UUID, money: Money, rail: str) -> PayoutReport | None:
        """Return the state of a payout; see `PayoutProvider`."""
        async with counted(self.name, self._record):
            return await super().find(org_id, key, money, rail)

    async def open_account(self, org_id: UUID, currency: str, key: UUID) -> DepositAccount:
        """Return the account for deposits of this key; see `DepositProvider`."""
        async with counted(self.name, self._record):
            return await super().open_account(org_id, currency, key)

    async def credits(self, after: str | None, limit: int) -> ProviderCreditPage:
        """Return credits behind a cursor; see `DepositProvider`."""
        async with counted(self.name, self._record):
            return await super().credits(after, limit)

    async def screen(
        self, transfer: ScreenedTransfer, *, test_outcome: RequestedScreening | None = None
    ) -> ScreeningAnswer:
        """Submit what is to be screened; see `SidecarClient`."""
        async with counted(self.name, self._record):
            return await super().screen(transfer, test_outcome=test_outcome)

    async def find_screening(self, key: UUID) -> ScreeningAnswer | None:
        """Return the state of a screening; see `SidecarClient`."""
        async with counted(self.name, self._record):
            return await super().find_screening(key)

    async def create_application(
        self,
        applicant: Applicant,
        key: UUID,
        *,
        test_outcome: RequestedVerification | None = None,
    ) -> ApplicationAnswer:
        """Create an application; see `IdentityClient`."""
        async with counted(self.name, self._record):
            return await super().create_application(applicant, key, test_outcome=test_outcome)

    async def attach_document(self, key: UUID, document: ApplicantDocument) -> ApplicationAnswer:
        """Add a document to an application; see `IdentityClient`."""
        async with counted(self.name, self._record):
            return await super().attach_document(key, document)

    async def submit_application(self, key: UUID) -> ApplicationAnswer:
        """Start a verification; see `IdentityClient`."""
        async with counted(self.name, self._record):
            return await super().submit_application(key)

    async def find_application(self, key: UUID) -> ApplicationAnswer | None:
        """Return the state of an application; see `IdentityClient`."""
        async with counted(self.name, self._record):
            return await super().find_application(key)

    async def open_link(self, key: UUID) -> HostedVerification | None:
        """Return the provider's own page for a person; see `IdentityClient`."""
        async with counted(self.name, self._record):
            return await super().open_link(key)

    async def verify_payee(
        self, destination: PayoutDestination, *, test_outcome: PayeeMatch | None = None
    ) -> PayeeVerification:
        """Ask about a payee; see `SidecarClient`."""
        async with counted(self.name, self._record):
            return await super().verify_payee(destination, test_outcome=test_outcome)

    async def read_rates(self, currencies: Sequence[str]) -> RatesAnswer:
        """Return values in dollars; see `SidecarClient`."""
        async with counted(self.name, self._record):
            return await super().read_rates(currencies)

    async def send_inquiry(self, request: TravelInquiryRequest) -> TravelInquiryAnswer:
        """Send an inquiry; see `TravelClient`."""
        async with counted(self.name, self._record):
            return await super().send_inquiry(request)

    async def resolve_inquiry(self, request: TravelResolutionRequest) -> None:
        """Answer an inquiry of another VASP; see `TravelClient`."""
        async with counted(self.name, self._record):
            await super().resolve_inquiry(request)

    async def confirm_transfer(self, key: UUID, transaction_hash: str | None) -> None:
        """Report what became of a transfer; see `TravelClient`."""
        async with counted(self.name, self._record):
            await super().confirm_transfer(key, transaction_hash)

    async def read_inbox(
        self, limit: int, *, inquiries: Sequence[str] = (), confirmations: Sequence[str] = ()
    ) -> RawTravelInbox:
        """Return messages of other VASPs; see `TravelClient`."""
        async with counted(self.name, self._record):
            return await super().read_inbox(limit, inquiries=inquiries, confirmations=confirmations)

    async def _record(self, provider: str, failure: CallFailure | None) -> None:
        at = self._clock.now()
        await self._database.single(lambda tx: call_store.count(tx, provider, failure, at=at))
