"""Client of the Travel Rule Protocol: the adapter of the port. Never run live.

Guarantees:
- Messages are sent only through `Egress`: to public HTTPS addresses, or to this machine in a
  sandbox.
- Only a valid answer with a status of 200 to 299 counts.
- No text of the other side is in an error.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.egress import Egress
from landbridge.providers.trp import protocol
from landbridge.providers.trp.port import (
    InquiryResolution,
    TransferConfirmation,
    TransferInquiry,
    VaspUnreachable,
)

_TIMEOUT_S: Final = 10
_ANSWER_BYTES_MAX: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class TrpClient:
    """Sends messages of the Travel Rule Protocol; see the port."""

    egress: Egress
    timeout_s: float = _TIMEOUT_S

    def check_url(self, field: str, url: str) -> str:
        """Return the normalised URL; see the port."""
        return self.egress.check(field, url)

    async def inquire(self, url: str, key: str, inquiry: TransferInquiry) -> InquiryResolution:
        """Send an inquiry to the beneficiary's provider; see the port."""
        text = await self._send(url, key, protocol.write_inquiry(inquiry))
        try:
            return protocol.read_resolution(text.encode())
        except FieldInvalid:
            raise VaspUnreachable("the answer was not valid") from None

    async def resolve(self, url: str, key: str, resolution: InquiryResolution) -> None:
        """Answer an inquiry; see the port."""
        await self._send(url, key, protocol.write_resolution(resolution))

    async def confirm(self, url: str, key: str, confirmation: TransferConfirmation) -> None:
        """Report the result of a transfer; see the port."""
        await self._send(url, key, protocol.write_confirmation(confirmation))

    async def _send(self, url: str, key: str, body: bytes) -> str:
        """Return the text of a successful answer. Raises `VaspUnreachable`."""
        found = await self.egress.post(
            url,
            body=body,
            headers=protocol.headers(key),
            timeout_s=self.timeout_s,
            read_max=_ANSWER_BYTES_MAX,
            text_max=_ANSWER_BYTES_MAX,
            # A slow provider, or a slow name server of it, delays only its own messages.
            share=("travel-rule-protocol", urlsplit(url).netloc),
        )
        if found.status is None:
            raise VaspUnreachable(found.error or "there was no answer")
        if not 200 <= found.status < 300:  # noqa: PLR2004  as HTTP says
            raise VaspUnreachable(f"the answer was HTTP {found.status}")
        return found.text or ""
