"""Simulates orders against the chain and plans their transactions. Nothing is stored here.

An order carries a key that the token or contract accepts once, so if another party submits our
authorization first, the order counts as paid, and is never paid again.
"""

from collections.abc import Sequence

import structlog

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.gather import gather_in_order
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm import abi
from landbridge.providers.evm.chain_data import BlockHeader, BlockTag
from landbridge.providers.evm.configuration import EvmChain, SponsorMethod
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.fees import GasFees
from landbridge.providers.evm.node_errors import SimulationFailureKind, simulation_failure
from landbridge.providers.evm.outbox import paid_amounts
from landbridge.providers.evm.outbox.burn_calls import burn_calls, burn_data, messenger_of
from landbridge.providers.evm.outbox.mint_planner import MintPlanner
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import (
    APPROVE_GAS,
    BURN_GAS,
    SEARCH_BLOCKS,
    SWAP_GAS,
    VALIDITY_S,
    AlreadyExecuted,
    Plan,
    PlanRefusal,
    PlanView,
    PlanWait,
    TransactionPlan,
    choose_method,
    execute_gas,
    explain_failure,
    explain_no_method,
    validity_s,
    with_margin,
)
from landbridge.providers.evm.outbox.swap_calls import swap_calls
from landbridge.providers.evm.outbox.swap_fills import SwapFills
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.evm.signing.delegate_calls import encode_execute
from landbridge.providers.evm.signing.model import AccountCall, SignedDelegation, SigningKey

# A top-up pays for several transactions at the current fee, so that the next orders need none.
_TOP_UP_FACTOR = 3
# Beginning of the code of an account that delegates (EIP-7702); the contract's address follows.
_DELEGATION_PREFIX = bytes.fromhex("ef0100")

_log = structlog.stdlib.get_logger()


class OrderPlanner:
    """Plans the orders of one chain."""

    def __init__(
        self,
        chain: EvmChain,
        client: ChainClient,
        signer: SignerClient,
        mints: MintPlanner,
    ) -> None:
        self._chain = chain
        self._client = client
        self._signer = signer
        self._mints = mints
        self.fills = SwapFills(chain, client)

    async def plan(
        self,
        order: OutboxOrder,
        key: SigningKey,
        *,
        relayer: str,
        view: PlanView,
        units_before: int,
        refusal: str | None,
    ) -> Plan:
        """Return the next transaction of an order, or why there is none.

        `key` signs for the paying address; `relayer` pays gas in the simulation. Other orders will
        take `units_before` from the paying address. `refusal` is why its destinations may not be
        paid, None if they may. Raises `NodeUnavailable`, `NodeError`, `AnswerInvalid`,
        `SignerUnavailable` and `SigningRefused`.
        """
        if order.action is ChainAction.MINT:
            return await self._mints.plan(order, relayer=relayer, view=view, refusal=refusal)
        method = order.method or choose_method(self._chain, order)
        if method is None:
            return PlanRefusal(explain_no_method(self._chain, order))
        if await self.is_executed(order, method, BlockTag.LATEST):
            return await self._executed(order, method, view)
        if refusal is not None:
            return _refused(order, refusal)
        balance = await self._client.token_balance(self._token(order), order.source)
        if balance < order.units + units_before:
            return PlanWait("waits for coins at the paying address")
        return await self._plan_by(method, order, key, relayer, view)

    async def _plan_by(
        self,
        method: SponsorMethod,
        order: OutboxOrder,
        key: SigningKey,
        relayer: str,
        view: PlanView,
    ) -> Plan:
        plans = {
            SponsorMethod.EIP3009: lambda: self._authorization(order, key, relayer, view.head),
            SponsorMethod.EIP7702: lambda: self._account_calls(order, key, relayer, view),
            SponsorMethod.TOP_UP: lambda: self._own_transaction(order, relayer, view.fees),
        }
        try:
            return await plans[method]()
        except NodeError as error:
            return await self._explain(order, error)

    async def _executed(
        self, order: OutboxOrder, method: SponsorMethod, view: PlanView
    ) -> AlreadyExecuted | PlanWait:
        """Return an order as executed once no reorganisation can undo it; a wait until then."""
        if not await self.is_executed(order, method, max(view.final_block, 0)):
            return PlanWait("waits until the chain can't undo the payment", is_executed=True)
        found = await self.find_execution(order, method, view.head.number)
        if order.action is ChainAction.SWAP:
            return await self.fills.executed(order, found)
        return await paid_amounts.executed(
            self._client, order, self._token(order), found, self._mints.bridges
        )

    async def _explain(self, order: OutboxOrder, error: NodeError) -> PlanRefusal | PlanWait:
        failure = simulation_failure(error)
        waits = failure.kind is SimulationFailureKind.REVERTED and order.swap is None
        if waits and await self._is_closed(order):
            return PlanWait("waits: the token's contract refuses all transfers of this address")
        return explain_failure(failure, order)

    async def _is_closed(self, order: OutboxOrder) -> bool:
        """Return whether the token refuses even a transfer of zero from an address to itself.

        It does while its issuer has paused it. Not all tokens give a reason, and a pause ends.
        """
        data = abi.encode_transfer(destination=order.source, amount_units=0)
        try:
            await self._client.call(source=order.source, destination=self._token(order), data=data)
        except NodeError:
            return True
        return False

    async def is_executed(
        self, order: OutboxOrder, method: SponsorMethod | None, block: BlockTag | int
    ) -> bool:
        """Return whether a contract has carried out the order, as of a block."""
        match method:
            case None:
                return await self._mints.is_executed(order, block)
            case SponsorMethod.EIP3009:
                contract = self._token(order)
                data = abi.AUTHORIZATION_STATE.encode(order.source, order.chain_key)
            case SponsorMethod.EIP7702:
                contract, data = order.source, abi.IS_NONCE_USED.encode(order.chain_key)
            case SponsorMethod.TOP_UP if len(order.legs) > 1:
                contract = self._batch_contract()
                data = abi.IS_BATCH_USED.encode(order.source, order.chain_key)
            case SponsorMethod.TOP_UP:
                return False
        # An account that does not delegate yet has no code, so its answer is empty.
        answer = await self._client.call(destination=contract, data=data, block=block)
        return bool(answer) and abi.decode_uint256(answer) != 0

    async def find_execution(
        self, order: OutboxOrder, method: SponsorMethod | None, head: int
    ) -> str | None:
        """Return the hash of the transaction that carried out the order, if it is recent."""
        if method is None:
            nonce = order.message_nonce
            return None if nonce is None else await self._mints.find_execution(nonce, head)
        key = f"0x{order.chain_key.hex()}"
        source = abi.address_topic(order.source)
        topics: list[str]
        match method:
            case SponsorMethod.EIP3009:
                contract, topics = (
                    self._token(order),
                    [abi.AUTHORIZATION_USED_TOPIC, source, key],
                )
            case SponsorMethod.EIP7702:
                contract, topics = order.source, [abi.EXECUTED_TOPIC, key]
            case SponsorMethod.TOP_UP:
                contract, topics = self._batch_contract(), [abi.DISPERSED_TOPIC, source, key]
        logs = await self._client.logs(
            first_block=max(head - SEARCH_BLOCKS, 0),
            last_block=head,
            addresses=[contract],
            topics=topics,
        )
        return logs[0].transaction_hash if logs else None

    async def _authorization(
        self, order: OutboxOrder, key: SigningKey, relayer: str, head: BlockHeader
    ) -> TransactionPlan:
        """Plan a transfer by EIP-3009, submitted by a relayer."""
        (leg,) = order.legs
        token = self._token(order)
        authorization = abi.TransferAuthorization(
            source=order.source,
            destination=leg.destination,
            amount_units=leg.units,
            valid_after_s=0,
            valid_before_s=head.timestamp_s + VALIDITY_S,
            nonce=order.chain_key,
        )
        signature = await self._signer.sign_token_authorization(
            key, self._chain.name, token, authorization
        )
        data = abi.encode_transfer_with_authorization(authorization, signature, is_split=True)
        gas = await self._client.estimate_gas(source=relayer, destination=token, data=data)
        return TransactionPlan(
            method=SponsorMethod.EIP3009,
            sender=None,
            destination=token,
            data=data,
            gas=with_margin(gas),
        )

    async def _account_calls(
        self, order: OutboxOrder, key: SigningKey, relayer: str, view: PlanView
    ) -> TransactionPlan | PlanRefusal:
        """Plan the order as calls of the account itself (EIP-7702), submitted by a relayer."""
        contract = self._chain.delegate_contract
        if contract is None:
            raise InvariantBroken(f"{self._chain.name} has no delegate contract")
        code = await self._client.code(order.source)
        if code not in (b"", _DELEGATION_PREFIX + bytes.fromhex(contract[2:])):
            return PlanRefusal("the paying address has the code of another contract")
        deadline_s = view.head.timestamp_s + validity_s(self._chain, order)
        calls = self._calls(order, deadline_s)
        is_together = order.action is not ChainAction.TRANSFER
        estimates = (
            [APPROVE_GAS, APPROVE_GAS, SWAP_GAS if order.swap else BURN_GAS, APPROVE_GAS]
            if is_together
            else await self._estimate_each(order.source, calls)
        )
        signature = await self._signer.sign_account_calls(
            key, self._chain.name, calls, nonce=order.chain_key, deadline_s=deadline_s
        )
        data = encode_execute(
            calls, nonce=order.chain_key, deadline_s=deadline_s, signature=signature
        )
        if is_together:
            # A burn or swap needs the approval before it, so all calls are simulated together, as
            # if the account had already delegated to the contract.
            designator = _DELEGATION_PREFIX + bytes.fromhex(contract[2:])
            await self._client.call(
                source=relayer,
                destination=order.source,
                data=data,
                codes={} if code else {order.source: designator},
            )
        delegations = await self._delegations(order, key, view, has_code=bool(code))
        return TransactionPlan(
            method=SponsorMethod.EIP7702,
            sender=None,
            destination=order.source,
            data=data,
            gas=execute_gas(
                estimates[: len(calls)], data_bytes=len(data), delegations=len(delegations)
            ),
            delegations=delegations,
        )

    def _calls(self, order: OutboxOrder, deadline_s: int) -> Sequence[AccountCall]:
        """Return the calls of the account that carry out an order."""
        token = self._token(order)
        if order.action is ChainAction.SWAP:
            return swap_calls(self._chain, order, deadline_s=deadline_s)
        if order.action is ChainAction.BURN:
            return burn_calls(order, token, self._mints.bridges)
        return [
            AccountCall(
                destination=token,
                value_wei=0,
                data=abi.encode_transfer(destination=leg.destination, amount_units=leg.units),
            )
            for leg in order.legs
        ]

    async def _delegations(
        self, order: OutboxOrder, key: SigningKey, view: PlanView, *, has_code: bool
    ) -> tuple[SignedDelegation, ...]:
        """Return the delegation that the transaction needs; none if an earlier one is final.

        A call of an account without code succeeds and does nothing. So a delegation that a
        reorganisation can undo is signed again; the chain skips one whose nonce was used.
        """
        block: BlockTag | int = BlockTag.LATEST
        if has_code:
            block = max(view.final_block, 0)
            if await self._client.code(order.source, block):
                return ()
        nonce = await self._client.nonce(order.source, block)
        return (await self._signer.sign_delegation(key, self._chain.name, nonce=nonce),)

    async def _own_transaction(
        self, order: OutboxOrder, relayer: str, fees: GasFees
    ) -> TransactionPlan:
        """Plan the next transaction of a wallet that pays its own gas: coins, allowance, payment.

        Each is planned from the current state of the chain, so nothing is repeated.
        """
        destination, data, is_payment, gas = await self._own_call(order)
        needed = gas * fees.max_fee_wei
        if await self._client.balance(order.source) < needed:
            value_wei = needed * _TOP_UP_FACTOR
            return TransactionPlan(
                method=SponsorMethod.TOP_UP,
                sender=None,
                destination=order.source,
                data=b"",
                # An account that delegates receives coins by a call of its contract, which takes
                # more gas.
                gas=with_margin(
                    await self._client.estimate_gas(
                        source=relayer, destination=order.source, data=b""
                    )
                ),
                value_wei=value_wei,
                is_payment=False,
            )
        return TransactionPlan(
            method=SponsorMethod.TOP_UP,
            sender=order.source,
            destination=destination,
            data=data,
            gas=gas,
            is_payment=is_payment,
        )

    async def _own_call(self, order: OutboxOrder) -> tuple[str, bytes, bool, int]:
        """Return the wallet's next call: destination, data, whether it is the payment, and gas."""
        token = self._token(order)
        is_burn = order.action is ChainAction.BURN
        if len(order.legs) == 1 and not is_burn:
            (leg,) = order.legs
            data = abi.encode_transfer(destination=leg.destination, amount_units=leg.units)
            return token, data, True, await self._own_gas(order, token, data)
        bridges = self._mints.bridges
        spender = messenger_of(order, bridges) if is_burn else self._batch_contract()
        allowed = abi.decode_uint256(
            await self._client.call(
                destination=token, data=abi.ALLOWANCE.encode(order.source, spender)
            )
        )
        if allowed < order.units:
            # Some tokens change an allowance only from or to zero.
            data = abi.encode_approve(spender=spender, amount_units=0 if allowed else order.units)
            return token, data, False, await self._own_gas(order, token, data)
        if is_burn:
            data = burn_data(order, token, bridges)
        else:
            data = abi.encode_disperse(
                batch_id=order.chain_key,
                token=token,
                recipients=[leg.destination for leg in order.legs],
                amounts_units=[leg.units for leg in order.legs],
            )
        return spender, data, True, await self._own_gas(order, spender, data)

    async def _own_gas(self, order: OutboxOrder, destination: str, data: bytes) -> int:
        return with_margin(
            await self._client.estimate_gas(source=order.source, destination=destination, data=data)
        )

    async def _estimate_each(self, source: str, calls: Sequence[AccountCall]) -> list[int]:
        return await gather_in_order(
            self._client.estimate_gas(source=source, destination=each.destination, data=each.data)
            for each in calls
        )

    def _token(self, order: OutboxOrder) -> str:
        return self._chain.tokens[order.currency].address

    def _batch_contract(self) -> str:
        if self._chain.batch_contract is None:
            raise InvariantBroken(f"{self._chain.name} has no batch contract")
        return self._chain.batch_contract


def _refused(order: OutboxOrder, reason: str) -> PlanRefusal | PlanWait:
    """Return the refusal of an order for its destinations; a wait if it is a refund."""
    _log.warning("chain.order.refused", chain=order.chain, order=order.key, reason=reason)
    if order.is_refund:
        # A failed refund would keep money that came from its recipient, so a person has to decide.
        return PlanWait(f"waits for a person: {reason}")
    return PlanRefusal(reason)
