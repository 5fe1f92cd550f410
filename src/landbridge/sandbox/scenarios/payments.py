"""Scenarios of payments: the payment, the scripted outcomes, and the actions that follow."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from landbridge.platform.core.ids import new_id
from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import (
    Scenario,
    ScenarioResult,
    bank_account,
    fund,
    sign_up,
    verified,
)

_FUNDS = "100"
_AMOUNT = 10
_HOUR_S = 3600
# Address outside the platform.
_OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@dataclass(frozen=True, slots=True)
class ScenarioPayment:
    """Payment of a scenario; `path` retrieves it, `accept_path` is the path to accept its quote."""

    client: ScenarioClient
    kind: str
    id: str
    path: str
    accept_path: str

    async def accept(self) -> None:
        """Accept the quote."""
        await self.client.post(f"{self.path}{self.accept_path}")

    async def cancel(self) -> None:
        """Cancel the payment while it is reviewed."""
        await self.client.post(f"{self.path}/cancel")

    async def deposit(self) -> None:
        """Send the deposit that the payment waits for."""
        await self.client.post(f"/v2/sandbox/{self.kind}/{self.id}/deposit", {})

    async def open_rfi(self) -> None:
        """Open a request for information."""
        await self._rfi("open")

    async def close_rfi(self) -> None:
        """Close the request for information."""
        await self._rfi("close")

    async def approve(self) -> None:
        """Approve the payment as an admin."""
        await self._vote("approve")

    async def reject(self) -> None:
        """Reject the payment as an admin."""
        await self._vote("reject")

    async def wait_a_day(self) -> None:
        """Advance the clock by more than a day."""
        await self.client.pass_time(25 * _HOUR_S)

    async def settle(self) -> None:
        """Run everything that is due now."""
        await self.client.pass_time()

    async def _rfi(self, action: str) -> None:
        await self.client.post(f"/v2/sandbox/transfers/{self.id}/rfi", {"action": action})

    async def _vote(self, verb: str) -> None:
        details = (await self.client.get(self.path))["transferDetails"]
        await self.client.post(f"/v2/transfer-approvals/{details['approval']['id']}/{verb}")


Action = Callable[[ScenarioPayment], Awaitable[None]]
Body = Callable[[ScenarioClient], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class ScenarioFlow:
    """Flow of a scenario: the paths that create payments and accept their quotes."""

    name: str
    path: str
    accept_path: str = "/accept"

    def scenario(
        self, body: Body, *actions: Action, plan: str | None = None, **changes: Any
    ) -> Scenario:
        """Build a scenario: create a payment with outcomes `plan`, then run these actions."""

        async def run(client: ScenarioClient) -> ScenarioResult:
            request = {"requestId": str(new_id()), **await body(client), **changes}
            created = (await client.post(self.path, request, plan=plan))["transferDetails"]
            payment = ScenarioPayment(
                client, self.name, created["id"], f"{self.path}/{created['id']}", self.accept_path
            )
            for action in actions:
                await action(payment)
                await payment.settle()
            await payment.settle()
            return ScenarioResult(payment.path, payment.id)

        return run


_SWAPS = ScenarioFlow("swaps", "/v2/wallets/swaps")
_TRANSFERS = ScenarioFlow("transfers", "/v2/wallets/transfers")
_BATCHES = ScenarioFlow("batches", "/v2/wallets/transfers/batches")
_BRIDGES = ScenarioFlow("bridges", "/v2/wallets/bridges")
_ONRAMPS = ScenarioFlow("onramps", "/v2/onramps", "/quote/accept")
_OFFRAMPS = ScenarioFlow("offramps", "/v2/offramps", "/quote/accept")


async def _swap(client: ScenarioClient) -> dict[str, Any]:
    user = await sign_up(client, funds=_FUNDS)
    wallet = {"userId": user, "chain": "POLYGON"}
    return {
        "source": {**wallet, "currency": "usdc", "amount": str(_AMOUNT)},
        "destination": {**wallet, "currency": "usdt"},
    }


async def _transfer(client: ScenarioClient) -> dict[str, Any]:
    ada, grace = await sign_up(client, funds=_FUNDS), await sign_up(client, "Grace")
    return {**_usdc(ada), "amount": _AMOUNT, "destination": {"userId": grace}}


async def _batch(client: ScenarioClient) -> dict[str, Any]:
    ada, grace = await sign_up(client, funds=_FUNDS), await sign_up(client, "Grace")
    item = {"userId": grace, "amount": str(_AMOUNT)}
    return {**_usdc(ada), "destination": {"batch": [item]}}


def _usdc(user: str) -> dict[str, Any]:
    return {"source": {"userId": user}, "currency": "usdc", "chain": "POLYGON"}


async def _bridge(client: ScenarioClient) -> dict[str, Any]:
    user = await sign_up(client, funds=_FUNDS)
    await client.post(f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})
    end = {"userId": user, "currency": "usdc"}
    return {
        "amount": _AMOUNT,
        "source": {**end, "chain": "POLYGON"},
        "destination": {**end, "chain": "BASE"},
    }


async def _onramp(client: ScenarioClient) -> dict[str, Any]:
    user = await verified(client)
    source = {"userId": user, "currency": "usd", "amount": _AMOUNT, "transferType": "wire"}
    return {
        "source": source,
        "destination": {"userId": user, "currency": "usdc", "chain": "POLYGON"},
    }


async def _offramp(client: ScenarioClient) -> dict[str, Any]:
    user = await verified(client, funds=_FUNDS)
    return await _payout(client, user, {"userId": user})


async def _offramp_from_outside(client: ScenarioClient) -> dict[str, Any]:
    user = await verified(client)
    wallet = {"address": _OUTSIDE, "chain": "POLYGON", "name": "Bank", "referenceId": "scenario"}
    created = await client.post(f"/v2/users/{user}/wallets/external", wallet)
    return await _payout(client, user, {"externalWalletId": created["id"]})


async def _payout(client: ScenarioClient, user: str, source: Mapping[str, Any]) -> dict[str, Any]:
    coins = {"chain": "POLYGON", "currency": "usdc", "amount": _AMOUNT}
    account = await bank_account(client, user)
    return {
        "source": {**source, **coins},
        "destination": {"userId": user, "accountId": account, "currency": "usd"},
    }


async def _coins_arrive(client: ScenarioClient) -> ScenarioResult:
    user = await sign_up(client)
    deposit = await fund(client, user, _FUNDS)
    return ScenarioResult(f"/v2/users/{user}/wallets/deposits/{deposit}", deposit)


_accept, _cancel, _deposit = ScenarioPayment.accept, ScenarioPayment.cancel, ScenarioPayment.deposit
_open_rfi, _close_rfi, _reject = (
    ScenarioPayment.open_rfi,
    ScenarioPayment.close_rfi,
    ScenarioPayment.reject,
)

_swapped = _SWAPS.scenario(_swap, _accept)
_delivered = _ONRAMPS.scenario(_onramp, _accept, _deposit)
_paid_out = _OFFRAMPS.scenario(_offramp, _accept)

_SWAP_SCENARIOS: Mapping[str, Scenario] = {
    "TRANSACTION.CREATE": _SWAPS.scenario(_swap),
    "STATUS.OPEN_QUOTE": _SWAPS.scenario(_swap),
    "STATUS.CREATED": _swapped,
    "STATUS.PENDING": _swapped,
    "STATUS.COMPLETED": _swapped,
    "STATUS.FAILED": _SWAPS.scenario(_swap, _accept, plan="chain_send=reject"),
    "STATUS.QUOTE_FAILED": _SWAPS.scenario(_swap, plan="quote=expire"),
}
_ONRAMP_SCENARIOS: Mapping[str, Scenario] = {
    "TRANSACTION.CREATE": _ONRAMPS.scenario(_onramp),
    "STATUS.OPEN_QUOTE": _ONRAMPS.scenario(_onramp),
    "STATUS.QUOTE_FAILED": _ONRAMPS.scenario(_onramp, plan="quote=expire"),
    "STATUS.AWAITING_FUNDS": _ONRAMPS.scenario(_onramp, _accept),
    "STATUS.IN_REVIEW": _ONRAMPS.scenario(_onramp, _accept, _open_rfi),
    "STATUS.NOT_INITIATED": _ONRAMPS.scenario(_onramp, _open_rfi, _cancel),
    "STATUS.FIAT_INITIATED": _delivered,
    "STATUS.FIAT_PENDING": _delivered,
    "STATUS.FIAT_PROCESSED": _delivered,
    "STATUS.FIAT_FAILED": _ONRAMPS.scenario(_onramp, _accept, _deposit, plan="deposit=reject"),
    "STATUS.FIAT_RETURNED": _ONRAMPS.scenario(_onramp, _accept, _deposit, plan="deposit=reject"),
    "STATUS.CRYPTO_INITIATED": _delivered,
    "STATUS.CRYPTO_PENDING": _ONRAMPS.scenario(
        _onramp, _accept, _deposit, plan="confirmation=late:1h"
    ),
    "STATUS.CRYPTO_FAILED": _ONRAMPS.scenario(_onramp, _accept, _deposit, plan="chain_send=reject"),
    "STATUS.COMPLETED": _delivered,
    "STATUS.UNKNOWN": _ONRAMPS.scenario(
        _onramp, _accept, _deposit, ScenarioPayment.wait_a_day, plan="confirmation=timeout"
    ),
    "RFI.OPEN": _ONRAMPS.scenario(_onramp, _accept, _open_rfi),
    "RFI.CLOSED": _ONRAMPS.scenario(_onramp, _accept, _open_rfi, _close_rfi),
}
_OFFRAMP_SCENARIOS: Mapping[str, Scenario] = {
    "TRANSACTION.CREATE": _OFFRAMPS.scenario(_offramp),
    "STATUS.PENDING_APPROVAL": _OFFRAMPS.scenario(_offramp, requireApproval=True),
    "STATUS.REJECTED": _OFFRAMPS.scenario(_offramp, _reject, requireApproval=True),
    "STATUS.EXPIRED": _OFFRAMPS.scenario(
        _offramp, ScenarioPayment.wait_a_day, requireApproval=True
    ),
    "STATUS.OPEN_QUOTE": _OFFRAMPS.scenario(_offramp),
    "STATUS.QUOTE_FAILED": _OFFRAMPS.scenario(_offramp, plan="quote=expire"),
    "STATUS.IN_REVIEW": _OFFRAMPS.scenario(_offramp, _open_rfi),
    "STATUS.NOT_INITIATED": _OFFRAMPS.scenario(_offramp, _accept, _cancel, plan="screening=review"),
    "STATUS.AWAITING_FUNDS": _OFFRAMPS.scenario(_offramp_from_outside, _accept),
    "STATUS.CRYPTO_INITIATED": _paid_out,
    "STATUS.CRYPTO_PENDING": _paid_out,
    "STATUS.CRYPTO_PROCESSED": _paid_out,
    "STATUS.CRYPTO_FAILED": _OFFRAMPS.scenario(_offramp, _accept, plan="chain_send=reject"),
    "STATUS.FIAT_INITIATED": _paid_out,
    "STATUS.FIAT_PENDING": _paid_out,
    "STATUS.FIAT_FAILED": _OFFRAMPS.scenario(_offramp, _accept, plan="payout=reject"),
    "STATUS.CRYPTO_RETURNED": _OFFRAMPS.scenario(_offramp, _accept, plan="payout=reject"),
    "STATUS.COMPLETED": _paid_out,
    "RFI.OPEN": _OFFRAMPS.scenario(_offramp, _open_rfi),
    "RFI.CLOSED": _OFFRAMPS.scenario(_offramp, _open_rfi, _close_rfi),
}

# By the event that each produces.
SCENARIOS: Mapping[str, Scenario] = {
    "WALLET.TRANSFER.CREATE": _TRANSFERS.scenario(_transfer),
    "WALLET.TRANSFER.UPDATE": _TRANSFERS.scenario(_transfer),
    "WALLET.TRANSFER.BATCH.CREATE": _BATCHES.scenario(_batch),
    "WALLET.TRANSFER.BATCH.UPDATE": _BATCHES.scenario(_batch),
    "WALLET.BRIDGE.CREATE": _BRIDGES.scenario(_bridge),
    "WALLET.BRIDGE.UPDATE": _BRIDGES.scenario(_bridge, _accept),
    "WALLET.TOKEN.BALANCE.UPDATE": _coins_arrive,
    **{f"WALLET.SWAP.{name}": scenario for name, scenario in _SWAP_SCENARIOS.items()},
    **{f"ONRAMP.{name}": scenario for name, scenario in _ONRAMP_SCENARIOS.items()},
    **{f"OFFRAMP.{name}": scenario for name, scenario in _OFFRAMP_SCENARIOS.items()},
}
