"""Client of a sidecar that counts its calls in the database, for all processes."""

from contextlib import AbstractAsyncContextManager

from typing_extensions import override

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import call_store
from landbridge.providers.sidecar.calls import CallFailure, counted
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import SidecarSettings


class CountedSidecar(SidecarClient):
    """Client of a sidecar in the providers file, with counted calls; see `SidecarClient`."""

    def __init__(self, settings: SidecarSettings, clock: Clock, database: Database) -> None:
        super().__init__(settings, clock)
        self._database = database

    @override
    def counting(self) -> AbstractAsyncContextManager[None]:
        return counted(self.name, self._record)

    async def _record(self, provider: str, failure: CallFailure | None) -> None:
        at = self._clock.now()
        await self._database.single(lambda tx: call_store.count(tx, provider, failure, at=at))
