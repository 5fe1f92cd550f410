"""The stories of payments: who makes which, what the sandbox is to force, and what is done then."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from landbridge.core.ids import new_id
from landbridge.stories.client import Client
from landbridge.stories.people import Story, Told, bank_account, fund, sign_up, verified

_FUNDS = "100"
_AMOUNT = 10
_HOUR_S = 3600
# Of somebody outside.
_OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment of a story; `path` retrieves it, and `accepting` is where its quote is accepted."""

    client: Client
    kind: str
    id: str
    path: str
    accepting: str

    async def accept(self) -> None:
        """Its owner accepts the quote."""
        await self.client.post(f"{self.path}{self.accepting}")

    async def cancel(self) -> None:
        """Its owner gives it up while it is reviewed."""
        await self.client.post(f"{self.path}/cancel")

    async def deposit(self) -> None:
        """What it waits for arrives from outside."""
        await self.client.post(f"/v2/sandbox/{self.kind}/{self.id}/deposit", {})

    async def ask(self) -> None:
        """Compliance asks about it."""
        await self._rfi("open")

    async def close(self) -> None:
        """Compliance is content."""
        await self._rfi("close")

    async def approve(self) -> None:
        """An admin approves it."""
        await self._vote("approve")

    async def reject(self) -> None:
        """An admin refuses it."""
        await self._vote("reject")

    async def wait_a_day(self) -> None:
        """Over a day passes."""
        await self.client.pass_time(25 * _HOUR_S)

    async def settle(self) -> None:
        """What is due now is done."""
        await self.client.pass_time()

    async def _rfi(self, action: str) -> None:
        await self.client.post(f"/v2/sandbox/transfers/{self.id}/rfi", {"action": action})

    async def _vote(self, verb: str) -> None:
        details = (await self.client.get(self.path))["transferDetails"]
        await self.client.post(f"/v2/transfer-approvals/{details['approval']['id']}/{verb}")


Act = Callable[[Payment], Awaitable[None]]
Body = Callable[[Client], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Kind:
    """Payments of a flow: where they are made, and where their quotes are accepted."""

    name: str
    path: str
    accepting: str = "/accept"

    def story(self, body: Body, *acts: Act, plan: str | None = None, **changes: Any) -> Story:
        """Make one, then do all this with it; the sandbox forces what `plan` says."""

        async def play(client: Client) -> Told:
            asked = {"requestId": str(new_id()), **await body(client), **changes}
            made = (await client.post(self.path, asked, plan=plan))["transferDetails"]
            payment = Payment(
                client, self.name, made["id"], f"{self.path}/{made['id']}", self.accepting
            )
            for act in acts:
                await act(payment)
                await payment.settle()
            await payment.settle()
            return Told(payment.path, payment.id)

        return play


_SWAPS = Kind("swaps", "/v2/wallets/swaps")
_TRANSFERS = Kind("transfers", "/v2/wallets/transfers")
_BATCHES = Kind("batches", "/v2/wallets/transfers/batches")
_BRIDGES = Kind("bridges", "/v2/wallets/bridges")
_ONRAMPS = Kind("onramps", "/v2/onramps", "/quote/accept")
_OFFRAMPS = Kind("offramps", "/v2/offramps", "/quote/accept")


async def _swap(client: Client) -> dict[str, Any]:
    user = await sign_up(client, funds=_FUNDS)
    wallet = {"userId": user, "chain": "POLYGON"}
    return {
        "source": {**wallet, "currency": "usdc", "amount": str(_AMOUNT)},
        "destination": {**wallet, "currency": "usdt"},
    }


async def _transfer(client: Client) -> dict[str, Any]:
    ada, grace = await sign_up(client, funds=_FUNDS), await sign_up(client, "Grace")
    return {**_usdc(ada), "amount": _AMOUNT, "destination": {"userId": grace}}


async def _batch(client: Client) -> dict[str, Any]:
    ada, grace = await sign_up(client, funds=_FUNDS), await sign_up(client, "Grace")
    item = {"userId": grace, "amount": str(_AMOUNT)}
    return {**_usdc(ada), "destination": {"batch": [item]}}


def _usdc(user: str) -> dict[str, Any]:
    return {"source": {"userId": user}, "currency": "usdc", "chain": "POLYGON"}


async def _bridge(client: Client) -> dict[str, Any]:
    user = await sign_up(client, funds=_FUNDS)
    await client.post(f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})
    end = {"userId": user, "currency": "usdc"}
    return {
        "amount": _AMOUNT,
        "source": {**end, "chain": "POLYGON"},
        "destination": {**end, "chain": "BASE"},
    }


async def _onramp(client: Client) -> dict[str, Any]:
    user = await verified(client)
    source = {"userId": user, "currency": "usd", "amount": _AMOUNT, "transferType": "wire"}
    return {
        "source": source,
        "destination": {"userId": user, "currency": "usdc", "chain": "POLYGON"},
    }


async def _offramp(client: Client) -> dict[str, Any]:
    user = await verified(client, funds=_FUNDS)
    return await _payout(client, user, {"userId": user})


async def _offramp_from_outside(client: Client) -> dict[str, Any]:
    user = await verified(client)
    wallet = {"address": _OUTSIDE, "chain": "POLYGON", "name": "Bank", "referenceId": "story"}
    made = await client.post(f"/v2/users/{user}/wallets/external", wallet)
    return await _payout(client, user, {"externalWalletId": made["id"]})


async def _payout(client: Client, user: str, source: Mapping[str, Any]) -> dict[str, Any]:
    coins = {"chain": "POLYGON", "currency": "usdc", "amount": _AMOUNT}
    account = await bank_account(client, user)
    return {
        "source": {**source, **coins},
        "destination": {"userId": user, "accountId": account, "currency": "usd"},
    }


async def _coins_arrive(client: Client) -> Told:
    user = await sign_up(client)
    deposit = await fund(client, user, _FUNDS)
    return Told(f"/v2/users/{user}/wallets/deposits/{deposit}", deposit)


_accept, _cancel, _deposit = Payment.accept, Payment.cancel, Payment.deposit
_ask, _close, _reject = Payment.ask, Payment.close, Payment.reject

_swapped = _SWAPS.story(_swap, _accept)
_delivered = _ONRAMPS.story(_onramp, _accept, _deposit)
_paid_out = _OFFRAMPS.story(_offramp, _accept)

_SWAP_STORIES: Mapping[str, Story] = {
    "TRANSACTION.CREATE": _SWAPS.story(_swap),
    "STATUS.OPEN_QUOTE": _SWAPS.story(_swap),
    "STATUS.CREATED": _swapped,
    "STATUS.PENDING": _swapped,
    "STATUS.COMPLETED": _swapped,
    "STATUS.FAILED": _SWAPS.story(_swap, _accept, plan="chain_send=reject"),
    "STATUS.QUOTE_FAILED": _SWAPS.story(_swap, plan="quote=expire"),
}
_ONRAMP_STORIES: Mapping[str, Story] = {
    "TRANSACTION.CREATE": _ONRAMPS.story(_onramp),
    "STATUS.OPEN_QUOTE": _ONRAMPS.story(_onramp),
    "STATUS.QUOTE_FAILED": _ONRAMPS.story(_onramp, plan="quote=expire"),
    "STATUS.AWAITING_FUNDS": _ONRAMPS.story(_onramp, _accept),
    "STATUS.IN_REVIEW": _ONRAMPS.story(_onramp, _accept, _ask),
    "STATUS.NOT_INITIATED": _ONRAMPS.story(_onramp, _ask, _cancel),
    "STATUS.FIAT_INITIATED": _delivered,
    "STATUS.FIAT_PENDING": _delivered,
    "STATUS.FIAT_PROCESSED": _delivered,
    "STATUS.FIAT_FAILED": _ONRAMPS.story(_onramp, _accept, _deposit, plan="deposit=reject"),
    "STATUS.FIAT_RETURNED": _ONRAMPS.story(_onramp, _accept, _deposit, plan="deposit=reject"),
    "STATUS.CRYPTO_INITIATED": _delivered,
    "STATUS.CRYPTO_PENDING": _ONRAMPS.story(
        _onramp, _accept, _deposit, plan="confirmation=late:1h"
    ),
    "STATUS.CRYPTO_FAILED": _ONRAMPS.story(_onramp, _accept, _deposit, plan="chain_send=reject"),
    "STATUS.COMPLETED": _delivered,
    "STATUS.UNKNOWN": _ONRAMPS.story(
        *(_onramp, _accept, _deposit, Payment.wait_a_day), plan="confirmation=timeout"
    ),
    "RFI.OPEN": _ONRAMPS.story(_onramp, _accept, _ask),
    "RFI.CLOSED": _ONRAMPS.story(_onramp, _accept, _ask, _close),
}
_OFFRAMP_STORIES: Mapping[str, Story] = {
    "TRANSACTION.CREATE": _OFFRAMPS.story(_offramp),
    "STATUS.PENDING_APPROVAL": _OFFRAMPS.story(_offramp, requireApproval=True),
    "STATUS.REJECTED": _OFFRAMPS.story(_offramp, _reject, requireApproval=True),
    "STATUS.EXPIRED": _OFFRAMPS.story(_offramp, Payment.wait_a_day, requireApproval=True),
    "STATUS.OPEN_QUOTE": _OFFRAMPS.story(_offramp),
    "STATUS.QUOTE_FAILED": _OFFRAMPS.story(_offramp, plan="quote=expire"),
    "STATUS.IN_REVIEW": _OFFRAMPS.story(_offramp, _ask),
    "STATUS.NOT_INITIATED": _OFFRAMPS.story(_offramp, _accept, _cancel, plan="screening=review"),
    "STATUS.AWAITING_FUNDS": _OFFRAMPS.story(_offramp_from_outside, _accept),
    "STATUS.CRYPTO_INITIATED": _paid_out,
    "STATUS.CRYPTO_PENDING": _paid_out,
    "STATUS.CRYPTO_PROCESSED": _paid_out,
    "STATUS.CRYPTO_FAILED": _OFFRAMPS.story(_offramp, _accept, plan="chain_send=reject"),
    "STATUS.FIAT_INITIATED": _paid_out,
    "STATUS.FIAT_PENDING": _paid_out,
    "STATUS.FIAT_FAILED": _OFFRAMPS.story(_offramp, _accept, plan="payout=reject"),
    "STATUS.CRYPTO_RETURNED": _OFFRAMPS.story(_offramp, _accept, plan="payout=reject"),
    "STATUS.COMPLETED": _paid_out,
    "RFI.OPEN": _OFFRAMPS.story(_offramp, _ask),
    "RFI.CLOSED": _OFFRAMPS.story(_offramp, _ask, _close),
}

# By the event that each leads to.
STORIES: Mapping[str, Story] = {
    "WALLET.TRANSFER.CREATE": _TRANSFERS.story(_transfer),
    "WALLET.TRANSFER.UPDATE": _TRANSFERS.story(_transfer),
    "WALLET.TRANSFER.BATCH.CREATE": _BATCHES.story(_batch),
    "WALLET.TRANSFER.BATCH.UPDATE": _BATCHES.story(_batch),
    "WALLET.BRIDGE.CREATE": _BRIDGES.story(_bridge),
    "WALLET.BRIDGE.UPDATE": _BRIDGES.story(_bridge, _accept),
    "WALLET.TOKEN.BALANCE.UPDATE": _coins_arrive,
    **{f"WALLET.SWAP.{name}": story for name, story in _SWAP_STORIES.items()},
    **{f"ONRAMP.{name}": story for name, story in _ONRAMP_STORIES.items()},
    **{f"OFFRAMP.{name}": story for name, story in _OFFRAMP_STORIES.items()},
}
