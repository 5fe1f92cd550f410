"""Services that seeding uses: the application's container satisfies this protocol."""

from typing import Protocol

from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.users.service import Users
from landbridge.customers.users.terms import TermsOfService
from landbridge.customers.verification.service import Verification
from landbridge.customers.wallets.service import Wallets
from landbridge.developers.webhooks.delivery.dispatcher import Dispatcher
from landbridge.payments.onramps.service import Onramps
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.egress import Egress
from landbridge.platform.orgs.model import Mode
from landbridge.platform.orgs.service import Orgs
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.updater import RollupUpdater


class InstallationMode(Protocol):
    """The setting that seeding reads."""

    @property
    def mode(self) -> Mode:
        """Sandbox or production."""
        ...


class SeedServices(Protocol):
    """Services of one container; each property is the container's field of that name."""

    # ruff: noqa: D102  the name and the type of each service say all there is to say

    @property
    def settings(self) -> InstallationMode: ...
    @property
    def database(self) -> Database: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def orgs(self) -> Orgs: ...
    @property
    def terms(self) -> TermsOfService: ...
    @property
    def users(self) -> Users: ...
    @property
    def kyc_profiles(self) -> KycProfiles: ...
    @property
    def verification(self) -> Verification: ...
    @property
    def bank_accounts(self) -> BankAccounts: ...
    @property
    def wallets(self) -> Wallets: ...
    @property
    def onramps(self) -> Onramps: ...
    @property
    def rollups(self) -> Rollups: ...
    @property
    def rollup_updater(self) -> RollupUpdater: ...
    @property
    def dispatcher(self) -> Dispatcher: ...
    @property
    def egress(self) -> Egress: ...

    def with_clock(self, clock: Clock) -> "SeedServices":
        """Return services over the same database, whose time is `clock`."""
        ...
