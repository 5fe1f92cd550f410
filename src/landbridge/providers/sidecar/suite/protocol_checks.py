"""Checks of a sidecar's side of the protocol: signatures, and invalid requests."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import msgspec

from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.http.egress import Egress
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import SidecarSettings
from landbridge.providers.sidecar.protocol import PAYOUTS_PATH, QUERY_PATH, RequestedOutcome
from landbridge.providers.sidecar.signing import (
    SIGNATURE_HEADER,
    SignedPurpose,
    SigningSecret,
    sign,
)
from landbridge.providers.sidecar.suite.model import CheckFailed, ContractResult, run_check
from landbridge.providers.sidecar.suite.sidecar_adapter import SidecarUnderTest

_WRONG = b"a secret that no sidecar was ever given"
_LATE = timedelta(hours=1)
_BYTES_MAX = 64 * 1024
_INVALID = (b"", b"{", b"null", b"[]", b'{"key": 1}', b"\xff", b'{"key": "x", "amount": -1}')
_PARALLEL = 20


@dataclass(frozen=True, slots=True)
class ProtocolChecks:
    """Checks of one sidecar; `adapter` builds payouts for it."""

    settings: SidecarSettings
    adapter: SidecarUnderTest
    clock: Clock

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order."""
        checks: Mapping[str, Callable[[], Awaitable[str | None]]] = {
            "a request with a wrong signature does nothing": self._wrong_secret,
            "a request that was changed does nothing": self._changed,
            "a signature for another path does nothing": self._other_path,
            "a request without a signature does nothing": self._unsigned,
            "a request of an hour ago does nothing": self._old,
            "both secrets are accepted": self._both_secrets,
            "requests that are not valid are survived": self._invalid,
            "many calls at once are answered": self._parallel,
        }
        return [await run_check(name, check) for name, check in checks.items()]

    async def _wrong_secret(self) -> None:
        key = SigningSecret(self.settings.keys[0].id, _WRONG)
        await self._refused(PAYOUTS_PATH, key=key)

    async def _changed(self) -> None:
        await self._refused(PAYOUTS_PATH, suffix=b" ")

    async def _other_path(self) -> None:
        await self._refused(PAYOUTS_PATH, signed_path=QUERY_PATH)

    async def _unsigned(self) -> None:
        await self._refused(PAYOUTS_PATH, is_signed=False)

    async def _old(self) -> None:
        await self._refused(PAYOUTS_PATH, clock=FrozenClock(self.clock.now() - _LATE))

    async def _both_secrets(self) -> str | None:
        if len(self.settings.keys) == 1:
            return "the providers file has one secret"
        settings = replace(self.settings, keys=self.settings.keys[::-1])
        client = SidecarClient(settings, self.clock)
        try:
            await client.describe()
        finally:
            await client.close()
        return None

    async def _invalid(self) -> None:
        for body in _INVALID:
            status = await self.send(PAYOUTS_PATH, body)
            if status is not None and not 400 <= status < 500:  # noqa: PLR2004  4xx
                raise CheckFailed(f"a request that is not valid was answered with {status}")
        await self.adapter.client.describe()

    async def _parallel(self) -> None:
        payments = [self.adapter.payment(1 + each) for each in range(_PARALLEL)]
        await asyncio.gather(
            *(self.adapter.pay(each, RequestedOutcome.SETTLE) for each in payments)
        )
        for payment in payments:
            if await self.adapter.find(payment) is None:
                raise CheckFailed("of many payouts at once one is not known")

    async def _refused(
        self,
        path: str,
        *,
        key: SigningSecret | None = None,
        signed_path: str | None = None,
        suffix: bytes = b"",
        is_signed: bool = True,
        clock: Clock | None = None,
    ) -> None:
        """Send an order that must be answered with 401, and check that it was not accepted."""
        payment = self.adapter.payment(1)
        message: dict[str, Any] = {
            "key": str(payment.key),
            "orgId": str(payment.org_id),
            "amount": str(payment.money),
            "currency": payment.money.asset.currency,
            "rail": payment.rail,
            "isSameDay": False,
            "payee": payment.payee,
            "texts": {},
            "testOutcome": RequestedOutcome.SETTLE,
        }
        status = await self.send(
            path,
            msgspec.json.encode(message),
            key=key,
            signed_path=signed_path,
            suffix=suffix,
            is_signed=is_signed,
            clock=clock,
        )
        if status != HTTPStatus.UNAUTHORIZED:
            raise CheckFailed(f"it was answered with {status or 'nothing'}, not with 401")
        if await self.adapter.find(payment) is not None:
            raise CheckFailed("the order was taken")

    async def check_refusals(self, bodies: Sequence[bytes], *paths: str) -> None:
        """Raise `CheckFailed` unless these paths refuse invalid bodies and an unsigned request."""
        for path in paths:
            for body in bodies:
                status = await self.send(path, body)
                if status is not None and not 400 <= status < 500:  # noqa: PLR2004  4xx
                    raise CheckFailed(f"{path} answered an invalid request with {status}")
            status = await self.send(path, b"{}", is_signed=False)
            if status != HTTPStatus.UNAUTHORIZED:
                raise CheckFailed(f"{path} answered a request without a signature with {status}")

    async def send(
        self,
        path: str,
        body: bytes,
        *,
        key: SigningSecret | None = None,
        signed_path: str | None = None,
        suffix: bytes = b"",
        is_signed: bool = True,
        clock: Clock | None = None,
    ) -> int | None:
        """Return the status of the answer to a raw request; None if there is no answer."""
        at_s = int((clock or self.clock).now().timestamp())
        subject = f"POST {signed_path or path}"
        headers = sign(
            key or self.settings.keys[0], SignedPurpose.REQUEST, subject, body, at_s=at_s
        )
        if not is_signed:
            del headers[SIGNATURE_HEADER]
        egress = Egress.for_operator(
            is_plain=self.settings.url.startswith("http://"), connections=4
        )
        try:
            found = await egress.exchange(
                f"{self.settings.url}{path}",
                body=body + suffix,
                headers={"content-type": "application/json", **headers},
                timeout_s=self.settings.timeout_s,
                bytes_max=_BYTES_MAX,
            )
        finally:
            await egress.close()
        return found.status
