"""Client of an attestation service: the messages of a burn's transaction, and their signatures.

`GET /v2/messages/{sourceDomain}?transactionHash=0x...` answers 404 until the service has seen the
transaction, then messages with the status `pending_confirmations` or `complete`. Source:
developers.circle.com/api-reference/cctp/all/get-messages-v-2.

Answers are not trusted: the caller compares each message with the burn, and the chain checks the
signatures. A service that does not answer is paused for a while, so that its mints do not delay the
other orders of their chain.

Anybody may submit a signed burn in a transaction with burns of their own, as many as a block has
room for. So all messages of a transaction are read.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

import aiohttp
import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable
from landbridge.providers.evm.bridge_configuration import BridgeContracts
from landbridge.providers.evm.bridging.messages import BurnMessage, read_message
from landbridge.providers.evm.quantities import AnswerInvalid, read_data
from landbridge.providers.evm.transport import open_session

_COMPLETE = "complete"
_NOT_FOUND = 404
_TIMEOUT = timedelta(seconds=3)
# Pause after a request that was not answered in time.
_PAUSE = timedelta(seconds=15)
_NO_ANSWER = "did not answer in time"
# Bytes of the largest answer that is read. A block full of burns has less: each takes 50,000 gas,
# and at least some 4 KiB in the answer.
_BYTES_MAX = 16 * 1024 * 1024
# Maximum answers held in memory at once.
_ANSWERS_MAX = 4


class AttestationsUnavailable(Unavailable):
    """The service does not answer, or its answer is unusable."""


class AttestedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Attested burn: its decoded message, the bytes to submit, and the signatures."""

    message: BurnMessage
    raw: bytes
    attestation: bytes


class AttestationClient:
    """Client of one attestation service; the caller closes it."""

    def __init__(
        self, bridge: BridgeContracts, clock: Clock, *, timeout: timedelta = _TIMEOUT
    ) -> None:
        self._bridge = bridge
        self._timeout = timeout
        self._clock = clock
        self._quiet_until = clock.now()
        self._slots = asyncio.Semaphore(_ANSWERS_MAX)
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def messages(self, transaction_hash: str) -> Sequence[AttestedMessage]:
        """Return the attested burns of a transaction of this chain, in the order of their logs.

        Messages of other kinds and messages without an attestation are left out.

        Raises:
            AttestationsUnavailable: The service gave no usable answer.
        """
        path = f"/v2/messages/{self._bridge.domain}?transactionHash={transaction_hash}"
        async with self._slots:
            return self._attested(await self._get(path))

    def _attested(self, found: dict[str, Any] | None) -> Sequence[AttestedMessage]:
        answers: object = [] if found is None else found.get("messages")
        if not isinstance(answers, list):
            raise self._unavailable("answered no list of messages")
        attested: list[AttestedMessage] = []
        for each in cast("list[object]", answers):
            members = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
            if members.get("status") != _COMPLETE:
                continue
            try:
                raw = read_data(members.get("message"))
                message = read_message(raw)
                attestation = read_data(members.get("attestation"))
            except AnswerInvalid:
                continue
            attested.append(AttestedMessage(message=message, raw=raw, attestation=attestation))
        return attested

    async def _get(self, path: str) -> dict[str, Any] | None:
        """Return the object that the service answers; None if the status is 404."""
        if self._clock.now() < self._quiet_until:
            raise self._unavailable(_NO_ANSWER)
        try:
            async with self._open().get(
                self._bridge.attestation_url.secret_text + path,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=self._timeout.total_seconds()),
            ) as response:
                if response.status == _NOT_FOUND:
                    return None
                if response.status != 200:  # noqa: PLR2004  HTTP
                    raise self._unavailable(f"answered HTTP status {response.status}")
                content = await response.content.read(_BYTES_MAX + 1)
                while len(content) <= _BYTES_MAX and not response.content.at_eof():
                    content += await response.content.read(_BYTES_MAX + 1 - len(content))
        except TimeoutError:
            self._quiet_until = self._clock.now() + _PAUSE
            raise self._unavailable(_NO_ANSWER) from None
        # Error messages of the library may contain the URL, so no error is chained.
        except (aiohttp.ClientError, OSError) as error:
            raise self._unavailable(f"can't be read ({type(error).__name__})") from None
        if len(content) > _BYTES_MAX:
            raise self._unavailable(f"answered more than {_BYTES_MAX} bytes")
        try:
            return msgspec.json.decode(content, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise self._unavailable("answered something other than JSON") from None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = open_session()
        return self._session

    def _unavailable(self, problem: str) -> AttestationsUnavailable:
        return AttestationsUnavailable(
            f"the attestation service {self._bridge.attestation_url} {problem}"
        )
