"""Check of a package that reads webhooks: what its provider did not sign is refused."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

import msgspec

from landbridge.providers.packages.interface import InboundWebhook
from landbridge.providers.packages.verbs import INBOUND_WEBHOOKS_PATH
from landbridge.providers.sidecar.suite.model import CheckFailed, ContractResult, run_check
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks

_NAME = "webhooks that the provider did not sign are refused"
_BODIES = (b"", b"{}", b"[]", b"\xff", b'{"id": "evt_1", "type": "payout.paid"}', b"x" * 60_000)
_HEADERS: Sequence[Mapping[str, str]] = (
    {},
    {"content-type": "application/json", "signature": "t=1,v1=00", "x-signature": "a"},
)


async def check_package_webhooks(protocol: ProtocolChecks) -> ContractResult:
    """Run the check; skipped if the package reads no webhooks."""

    async def check() -> str | None:
        statuses: set[int | None] = set()
        for headers in _HEADERS:
            for body in _BODIES:
                message = InboundWebhook(headers=headers, body=body)
                encoded = msgspec.json.encode(message)
                statuses.add(await protocol.send(INBOUND_WEBHOOKS_PATH, encoded))
        if statuses == {HTTPStatus.NOT_FOUND}:
            return "the package reads no webhooks"
        if statuses != {HTTPStatus.FORBIDDEN}:
            raise CheckFailed("a webhook without a valid signature was not refused")
        return None

    return await run_check(_NAME, check)
