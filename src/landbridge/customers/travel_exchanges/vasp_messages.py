"""Messages of other providers: inquiries, answers to ours, and confirmations.

Guarantees:
- The sender gets no data: neither about a person, nor whether a wallet is hosted here.
- An inquiry is stored once, even if it is sent again. Its answer goes to the URL in it, and so to
  the host that has the certificate for that name.
- A setting approves an inquiry only if a certificate proved its sender; reviewers decide on all
  others.
- Our URLs for answers contain a secret, and are valid only for one exchange and its request
  identifier.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from landbridge.customers.travel_exchanges import store
from landbridge.customers.travel_exchanges.deliveries import ExchangeDeliveries
from landbridge.customers.travel_exchanges.model import (
    Exchange,
    ExchangeData,
    ExchangeDirection,
    ExchangeSetting,
    ExchangeStatus,
    InquiryPolicy,
    host_of,
)
from landbridge.customers.travel_exchanges.payments import comparable_hash
from landbridge.customers.travel_exchanges.service import (
    TravelExchanges,
    decided,
    new_secret,
    secret_hash,
)
from landbridge.platform.core.errors import Busy, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.providers.trp import protocol
from landbridge.providers.trp.port import TransferConfirmation

CLIENT_HEADER: Final = "trp-client"
PROXY_SECRET_HEADER: Final = "trp-proxy-secret"  # noqa: S105  the name of a header
# Most inquiries that wait for reviewers and have no certificate of a counterparty, because anybody
# may send them. The limit applies to each counterparty's host, and to all other hosts together.
OPEN_MAX: Final = 1_000
_NO_EXCHANGE: Final = "there is no such exchange"


@dataclass(frozen=True, slots=True)
class VaspMessages:
    """Receives the messages of other providers.

    `proxy_secret` authenticates the operator's proxy, which sends the name in a client's
    certificate; None if no proxy checks certificates.
    """

    exchanges: TravelExchanges
    deliveries: ExchangeDeliveries
    proxy_secret: str | None

    async def receive_inquiry(self, org_id: UUID, headers: Mapping[str, str], body: bytes) -> str:
        """Store an inquiry, and return its request identifier.

        Raises `FieldInvalid`, `ResourceNotFound` if the organisation does not exchange data,
        `ResourceConflict` for another inquiry with the same identifier, and `Busy` while too many
        inquiries wait for reviewers.
        """
        setting = await self.exchanges.setting(org_id)
        if not setting.is_on or self.exchanges.provider_of(org_id) is not None:
            raise ResourceNotFound(_NO_EXCHANGE)
        key = protocol.check_headers(headers)
        message = protocol.read_inquiry(body)
        url = self.deliveries.vasps.check_url("callback", message.callback)
        data = ExchangeData(ivms101=message.ivms101, url=url, secret=new_secret())
        new = self._new(org_id, key, data, self._is_proven(headers, url))
        new = replace(
            new,
            token=message.asset.dti,
            amount=format(message.amount, "f"),
            wallet_address=protocol.beneficiary_wallet(message.ivms101),
        )
        await self.store_inquiry(setting, new, data)
        return key

    async def store_inquiry(
        self, setting: ExchangeSetting, new: Exchange, data: ExchangeData
    ) -> None:
        """Store an inquiry once. Raises `ResourceConflict` and `Busy` as `receive_inquiry` does."""
        org_id = new.org_id
        found = setting.money(new.host, new.token, new.amount)
        if found is not None and new.wallet_address is not None:
            owner = await self.exchanges.owner(org_id, found[0], new.wallet_address)
            new = replace(new, user_id=owner)
        offset = await self.exchanges.clock_offset(org_id)
        await self.exchanges.database.transact(
            lambda tx: self._store(tx, setting, new, data, offset)
        )

    async def receive_callback(
        self, org_id: UUID, secret: str, headers: Mapping[str, str], body: bytes
    ) -> None:
        """Store an answer to our inquiry, or the confirmation of a transfer to us.

        Raises `FieldInvalid`, `ResourceNotFound` if exchange, sender or identifier do not match,
        and `ResourceConflict` if an earlier message said the opposite.
        """
        key = protocol.check_headers(headers)
        hash_ = secret_hash(secret)
        found = await self.exchanges.database.single(
            lambda tx: store.find_callback(tx, org_id, hash_)
        )
        if found is None or not hmac.compare_digest(found.request_identifier, key):
            raise ResourceNotFound(_NO_EXCHANGE)
        if self.proxy_secret is not None and self._client(headers) != found.host:
            raise ResourceNotFound(_NO_EXCHANGE)
        if found.direction is ExchangeDirection.OUTGOING:
            answer = protocol.read_resolution(body)
            await self.deliveries.answer(org_id, found.id, answer)
        else:
            await self.confirm(found, protocol.read_confirmation(body))

    def _is_proven(self, headers: Mapping[str, str], url: str) -> bool:
        """Return whether a certificate proves that an inquiry is from the host of its callback.

        All organisations of this installation share one certificate, which proves none of them.
        """
        is_here = url.startswith(f"{self.exchanges.base_url}/trp/")
        return not is_here and self._client(headers) == host_of(url)

    def _client(self, headers: Mapping[str, str]) -> str | None:
        """Return the name in the client's certificate; None unless the proxy has checked it."""
        sent = headers.get(PROXY_SECRET_HEADER, "")
        secret = self.proxy_secret
        if secret is None or not hmac.compare_digest(sent.encode(), secret.encode()):
            return None
        return headers.get(CLIENT_HEADER)

    def _new(self, org_id: UUID, key: str, data: ExchangeData, is_authenticated: bool) -> Exchange:  # noqa: FBT001  stored beside what it is about
        now = self.exchanges.clock.now()
        return Exchange(
            org_id=org_id,
            id=new_id(),
            direction=ExchangeDirection.INCOMING,
            status=ExchangeStatus.OPEN,
            host=host_of(data.url),
            request_identifier=key,
            is_authenticated=is_authenticated,
            token=None,
            amount="",
            callback_hash=secret_hash(data.secret),
            created_at=now,
            updated_at=now,
        )

    async def _store(
        self,
        tx: Tx,
        setting: ExchangeSetting,
        new: Exchange,
        data: ExchangeData,
        offset: timedelta,
    ) -> None:
        known = await store.find_inquiry(tx, new.org_id, new.host, new.request_identifier)
        hosts = [each.host for each in setting.counterparties]
        is_trusted = new.is_authenticated and new.host in hosts
        is_bounded = known is None and not is_trusted
        if is_bounded and await store.count_open(tx, new.org_id, new.host, hosts) >= OPEN_MAX:
            raise Busy("too many inquiries wait for people")
        if known is None:
            sealed = replace(new, sealed_data=await self.exchanges.seal(tx, new, data))
            if await store.add(tx, sealed):
                await self.exchanges.record_in(tx, sealed, offset)
                if _is_approved(sealed, setting):
                    after = decided(sealed, ExchangeStatus.APPROVED, wallet=None, at=new.created_at)
                    await self.exchanges.advance_in(tx, sealed, after, offset)
                return
            known = await store.find_inquiry(tx, new.org_id, new.host, new.request_identifier)
        await self._check_same(tx, known, new, data)

    async def _check_same(
        self, tx: Tx, known: Exchange | None, new: Exchange, data: ExchangeData
    ) -> None:
        """Raise `ResourceConflict` unless an inquiry is the same as the stored one."""
        before = None if known is None else await self.exchanges.open(tx, known)
        is_same = (
            known is not None
            and before is not None
            and (known.provider, known.token, known.amount) == (new.provider, new.token, new.amount)
            and before.ivms101 == data.ivms101
        )
        if not is_same:
            raise ResourceConflict(
                f"{protocol.KEY_HEADER} belongs to another inquiry, or to one that was erased"
            )

    async def confirm(self, exchange: Exchange, confirmation: TransferConfirmation) -> None:
        """Store the confirmation of a transfer to us.

        Raises `ResourceConflict` unless the inquiry is approved, or has this confirmation already.
        """
        hash_ = confirmation.transaction_hash
        named = None if hash_ is None else comparable_hash(hash_)
        status = ExchangeStatus.CANCELLED if named is None else ExchangeStatus.CONFIRMED
        now = self.exchanges.clock.now()
        offset = await self.exchanges.clock_offset(exchange.org_id)

        async def work(tx: Tx) -> None:
            found = await store.lock(tx, exchange.org_id, exchange.id)
            if found is None or (found.status, found.transaction_hash) == (status, named):
                return
            if found.status is not ExchangeStatus.APPROVED:
                raise ResourceConflict(f"this inquiry is {found.status}")
            after = replace(
                found,
                status=status,
                transaction_hash=named,
                pending_message=None,
                next_attempt_at=None,
                updated_at=now,
            )
            await self.exchanges.advance_in(tx, found, after, offset)

        await self.exchanges.database.transact(work)


def _is_approved(exchange: Exchange, setting: ExchangeSetting) -> bool:
    """Return whether the setting approves an inquiry without a reviewer."""
    counterparty = setting.counterparty(exchange.host)
    return (
        exchange.is_authenticated
        and exchange.user_id is not None
        and counterparty is not None
        and counterparty.policy is InquiryPolicy.APPROVE
    )
