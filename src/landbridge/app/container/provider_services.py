"""Connected providers: only where a providers file is configured."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.customers.kyc.model import Rail
from landbridge.payments.incoming_payments.provider_credits import ProviderCreditReceiver
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.limits.document import RAILS
from landbridge.payments.provider_operations.model import ProviderKind
from landbridge.payments.provider_operations.service import ProviderOperations
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.orgs.model import Mode
from landbridge.providers.identity.port import Identity
from landbridge.providers.packages.client import CountedPackage
from landbridge.providers.packages.discovery import ProviderPackageFailed, find_package
from landbridge.providers.packages.process import PackageProcess
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.port import Rails
from landbridge.providers.sidecar.accounts import ProviderAccounts
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import (
    ProvidersFile,
    ProvidersFileError,
    read_providers_file,
)
from landbridge.providers.sidecar.counted_client import CountedSidecar
from landbridge.providers.sidecar.credit_polls import ProviderCredits
from landbridge.providers.sidecar.identity import ProviderIdentity
from landbridge.providers.sidecar.orders import ProviderRails
from landbridge.providers.sidecar.screener import ProviderScreener


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderServices:
    """The rails that route payouts to the providers, and the client of each one.

    `processes` are those of packages; each is started by the first call, if not before.
    """

    rails: ProviderRails
    clients: Mapping[str, SidecarClient]
    screener: ProviderScreener
    processes: Mapping[str, PackageProcess]

    @property
    def rates(self) -> SidecarClient | None:
        """Return the client of the provider of rates; None without one."""
        name = self.rails.routes.rates
        return None if name is None else self.clients[name]

    @property
    def travel_rule(self) -> SidecarClient | None:
        """Return the client of the provider of travel rule messages; None without one."""
        route = self.rails.routes.travel_rule
        return None if route is None else self.clients[route.provider]

    @property
    def packages(self) -> Mapping[str, CountedPackage]:
        """Return the clients of the packages."""
        return {
            name: each for name, each in self.clients.items() if isinstance(each, CountedPackage)
        }

    def verify_users(self, database: Database, clock: Clock, others: Identity) -> ProviderIdentity:
        """Return who verifies users: the providers of routes, and `others` without one."""
        return ProviderIdentity(
            database=database,
            clock=clock,
            routes=self.rails.routes,
            providers=self.clients,
            others=others,
        )

    async def start(self) -> None:
        """Start the process of each package, and check that it serves what routes say.

        Raises `ProviderPackageFailed`.
        """
        for name, process in self.processes.items():
            await process.start()
            if missing := sorted(self.rails.routes.verbs_of(name) - set(process.serves)):
                raise ProviderPackageFailed(
                    f"provider {name}: routes lead to it, but its package does not serve "
                    f"{', '.join(missing)}"
                )

    async def close(self) -> None:
        """Close all connections to sidecars, and end the processes of packages."""
        for client in self.clients.values():
            await client.close()
        for process in self.processes.values():
            await process.close()


def read_providers(
    settings: Settings, vault: Vault, database: Database, clock: Clock, *rails: Rails
) -> ProviderServices | None:
    """Return the providers of the configured file; None without one.

    All that no route names stays with the first of the `rails`, and what another of them has stays
    there. Raises `SettingsInvalid`.
    """
    if settings.providers_file is None:
        return None
    try:
        file = read_providers_file(Path(settings.providers_file))
        processes = _processes(file)
    except (ProvidersFileError, ProviderPackageFailed) as error:
        raise SettingsInvalid(str(error)) from error
    known = {each.lower() for each in RAILS}
    for place, route in enumerate(file.routes):
        if unknown := sorted((route.rails or frozenset()) - known):
            raise SettingsInvalid(
                f"payouts[{place}].rails has {unknown[0]}; there are {', '.join(sorted(RAILS))}"
            )
    for place, route in enumerate(file.identity):
        if unknown := sorted((route.rails or frozenset()) - set(Rail)):
            raise SettingsInvalid(
                f"identity[{place}].rails has {unknown[0]}; there are {', '.join(Rail)}"
            )
    clients = {
        name: CountedPackage(each, clock, database, processes[name])
        if name in processes
        else CountedSidecar(each, clock, database)
        for name, each in file.sidecars.items()
    }
    accounts = ProviderAccounts(
        database=database, vault=vault, clock=clock, routes=file, providers=clients
    )
    return ProviderServices(
        rails=ProviderRails(
            database=database,
            routes=file,
            providers=clients,
            accounts=accounts,
            others=rails[0],
            elsewhere=[each for each in rails if not isinstance(each, NoRails)],
        ),
        clients=clients,
        screener=ProviderScreener(database=database, routes=file, providers=clients),
        processes=processes,
    )


def _processes(file: ProvidersFile) -> Mapping[str, PackageProcess]:
    """Return the process of each package, not started; each package must be installed."""
    found: dict[str, PackageProcess] = {}
    for name, settings in file.sidecars.items():
        if settings.package is not None:
            find_package(name, settings.package.name)
            found[name] = PackageProcess(settings, settings.package)
    return found


def operate_providers(
    settings: Settings, providers: ProviderServices | None, database: Database, clock: Clock
) -> ProviderOperations:
    """Return the overview of the connected providers."""
    is_sandbox = settings.mode is Mode.SANDBOX
    identity = settings.identity or ("sandbox" if is_sandbox else "manual")
    banks = {"sandbox": ProviderKind.SANDBOX, "files": ProviderKind.FILES}
    return ProviderOperations(
        database=database,
        clock=clock,
        routes=None if providers is None else providers.rails.routes,
        bank=banks.get(settings.bank),
        identity=ProviderKind.SANDBOX if identity == "sandbox" else ProviderKind.MANUAL,
        is_production=not is_sandbox,
    )


def poll_credits(
    providers: ProviderServices | None,
    database: Database,
    clock: Clock,
    incoming_payments: IncomingPayments,
) -> ProviderCredits | None:
    """Return what polls the providers; None without any."""
    if providers is None:
        return None
    return ProviderCredits(
        database=database,
        receiver=ProviderCreditReceiver(incoming_payments, clock),
        clock=clock,
        routes=providers.rails.routes,
        providers=providers.clients,
    )
