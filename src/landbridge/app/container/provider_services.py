"""Connected providers: only where a providers file is configured."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.payments.limits.document import RAILS
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.port import Rails
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import (
    ProvidersFileError,
    read_providers_file,
)
from landbridge.providers.sidecar.orders import ProviderRails


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderServices:
    """The rails that route payouts to the providers, and the client of each sidecar."""

    rails: ProviderRails
    clients: Mapping[str, SidecarClient]

    async def close(self) -> None:
        """Close all connections to sidecars."""
        for client in self.clients.values():
            await client.close()


def read_providers(
    settings: Settings, database: Database, clock: Clock, others: Rails, *elsewhere: Rails
) -> ProviderServices | None:
    """Return the providers of the configured file; None without one.

    All that no route names stays with `others`, and what `elsewhere` has stays there. Raises
    `SettingsInvalid`.
    """
    if settings.providers_file is None:
        return None
    try:
        file = read_providers_file(Path(settings.providers_file))
    except ProvidersFileError as error:
        raise SettingsInvalid(str(error)) from error
    known = {each.lower() for each in RAILS}
    for place, route in enumerate(file.routes):
        if unknown := sorted((route.rails or frozenset()) - known):
            raise SettingsInvalid(
                f"payouts[{place}].rails has {unknown[0]}; there are {', '.join(sorted(RAILS))}"
            )
    clients = {name: SidecarClient(each, clock) for name, each in file.sidecars.items()}
    banks = [each for each in (others, *elsewhere) if not isinstance(each, NoRails)]
    rails = ProviderRails(database, file, clients, others, banks)
    return ProviderServices(rails=rails, clients=clients)
