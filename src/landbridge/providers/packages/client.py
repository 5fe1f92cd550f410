"""Client of a provider package: a sidecar's client with an address of the process."""

from collections.abc import Mapping
from http import HTTPStatus

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import KeyInvalid, Unavailable
from landbridge.platform.db.pool import Database
from landbridge.providers.packages.interface import InboundWebhook, InboundWebhookNews
from landbridge.providers.packages.process import PackageProcess
from landbridge.providers.packages.verbs import INBOUND_WEBHOOKS_PATH
from landbridge.providers.sidecar.configuration import SidecarSettings
from landbridge.providers.sidecar.counted_client import CountedSidecar


class CountedPackage(CountedSidecar):
    """Client of a package in the providers file; see `SidecarClient`."""

    def __init__(
        self, settings: SidecarSettings, clock: Clock, database: Database, process: PackageProcess
    ) -> None:
        super().__init__(settings, clock, database)
        self._process = process

    async def _address(self) -> str:
        return await self._process.url()

    async def read_webhook(self, headers: Mapping[str, str], body: bytes) -> InboundWebhookNews:
        """Return the content of a webhook. The call is not counted: anybody can send a webhook.

        Raises `KeyInvalid`, `Unavailable` and `Unclear`.
        """
        message = InboundWebhook(headers=headers, body=body)
        status, answer = await self._call(INBOUND_WEBHOOKS_PATH, message)
        match status:
            case HTTPStatus.OK:
                return self._decoded(answer, InboundWebhookNews)
            case HTTPStatus.FORBIDDEN | HTTPStatus.NOT_FOUND:
                raise KeyInvalid("this webhook is not validly signed")
            case HTTPStatus.SERVICE_UNAVAILABLE:
                raise Unavailable(f"provider {self.name} can't say now")
            case _:
                raise self._unusable(f"HTTP status {status}")
