"""Plans mints: the second leg of a bridge, which carries out the attested message of its burn.

A mint never fails, because its coins are already burned: it waits for every obstacle. Any account
may submit a message, so what another party has submitted counts as minted, and is never submitted
again: the chain accepts each nonce once.

An answer of the attestation service counts only if it is the burn's own message and the chain
accepts its signatures. Otherwise any used nonce would count as a mint. Two burns of one transaction
may be alike, so the nonce of a message is claimed in the database for one order before anything is
signed.
"""

from collections.abc import Sequence

import structlog

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm import abi
from landbridge.providers.evm.bridging.attestations import AttestationsUnavailable, AttestedMessage
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.bridging.messages import FINALIZED
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.node_errors import simulation_failure
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxOrder, OutboxState
from landbridge.providers.evm.outbox.plans import (
    SEARCH_BLOCKS,
    AlreadyExecuted,
    Plan,
    PlanView,
    PlanWait,
    TransactionPlan,
    with_margin,
)
from landbridge.providers.evm.rpc import ChainClient

_log = structlog.stdlib.get_logger()

_NOT_FINAL = "waits until the chain can't undo the burn"
_NOT_ATTESTED = "waits for the attestation of the burn"
_OTHER_MESSAGES = "waits: the attested messages are not of this burn"
_REFUSED = "waits: the chain refuses the attested message"
# The transmitter checks the signatures before it checks whether the nonce was used. Source:
# circlefin/evm-cctp-contracts, src/v2/MessageTransmitterV2.sol.
_NONCE_USED = "Nonce already used"


class MintPlanner:
    """Plans the mints on one chain."""

    def __init__(
        self, chain: EvmChain, client: ChainClient, database: Database, bridges: ConnectedBridges
    ) -> None:
        self._chain = chain
        self._client = client
        self._database = database
        self.bridges = bridges

    async def plan(
        self, order: OutboxOrder, *, relayer: str, view: PlanView, refusal: str | None
    ) -> Plan:
        """Return the transaction of a mint, or a wait with its reason.

        `refusal` is why its recipient may not be paid; None if it may. Raises the errors of
        `OrderPlanner.plan`.
        """
        if (done := await self._find_done(order, order.message_nonce, view)) is not None:
            return done
        found = await self._find_message(order, relayer)
        if isinstance(found, AttestedMessage):
            done = await self._find_done(order, found.message.nonce, view)
        if done is None and refusal is not None:
            _log.warning("chain.order.refused", chain=order.chain, order=order.key, reason=refusal)
            return PlanWait(f"waits for a person: {refusal}")
        if isinstance(found, PlanWait):
            return found
        return done or await self._submission(order, found, relayer)

    async def is_executed(self, order: OutboxOrder, block: BlockTag | int) -> bool:
        """Return whether the chain has carried out the message of a mint, as of a block."""
        nonce = order.message_nonce
        return nonce is not None and await self._is_used(nonce, block)

    async def find_execution(self, nonce: bytes, head: int) -> str | None:
        """Return the hash of the transaction that carried out a message, if it is recent."""
        logs = await self._client.logs(
            first_block=max(head - SEARCH_BLOCKS, 0),
            last_block=head,
            addresses=[self._transmitter],
            topics=[abi.MESSAGE_RECEIVED_TOPIC, None, f"0x{nonce.hex()}"],
        )
        return logs[0].transaction_hash if logs else None

    async def _find_done(
        self, order: OutboxOrder, nonce: bytes | None, view: PlanView
    ) -> AlreadyExecuted | PlanWait | None:
        """Return a mint as executed once no reorganisation can undo it; None if it is not."""
        if nonce is None or not await self._is_used(nonce, BlockTag.LATEST):
            return None
        if not await self._is_used(nonce, max(view.final_block, 0)):
            return PlanWait("waits until the chain can't undo the mint")
        _log.info("chain.mint.found", chain=order.chain, order=order.key)
        return AlreadyExecuted(await self.find_execution(nonce, view.head.number))

    async def _is_used(self, nonce: bytes, block: BlockTag | int) -> bool:
        data = abi.USED_NONCES.encode(nonce)
        answer = await self._client.call(destination=self._transmitter, data=data, block=block)
        return bool(answer) and abi.decode_uint256(answer) != 0

    async def _find_message(self, order: OutboxOrder, relayer: str) -> AttestedMessage | PlanWait:
        """Return the attested message of the burn, claimed for this order, or a wait."""
        burn = await self._burn(order)
        if burn is None or burn.transaction_hash is None or burn.state is not OutboxState.FINAL:
            return PlanWait(_NOT_FINAL)
        try:
            attested = await self.bridges.attested(Network(burn.chain), burn.transaction_hash)
        except AttestationsUnavailable as error:
            return PlanWait(f"waits: {error}")
        found = await self._claim(order, burn, attested, relayer)
        if found is not None:
            return found
        if not attested:
            return PlanWait(_NOT_ATTESTED)
        _log.error("chain.mint.message_unknown", chain=order.chain, order=order.key)
        return PlanWait(_OTHER_MESSAGES)

    async def _burn(self, order: OutboxOrder) -> OutboxOrder | None:
        key = order.burn_key
        if key is None:
            raise InvariantBroken(f"mint {order.key} names no burn")
        return await self._database.single(lambda tx: order_store.get(tx, order.org_id, key))

    async def _claim(
        self,
        order: OutboxOrder,
        burn: OutboxOrder,
        attested: Sequence[AttestedMessage],
        relayer: str,
    ) -> AttestedMessage | PlanWait | None:
        """Return the message of the burn, claimed for this order; a wait if there is none."""
        refused: PlanWait | None = None
        expected = self.bridges.message(
            Network(burn.chain),
            self._chain.name,
            burn.currency,
            owner=burn.source,
            recipient=order.legs[0].destination,
            amount_units=order.units,
        )
        for each in attested:
            message = each.message
            if message.finality < FINALIZED or not message.pays_as(expected):
                continue
            if order.message_nonce is not None:
                if order.message_nonce == message.nonce:
                    return each
                continue
            answer = await self._simulate(order, each, relayer)
            if isinstance(answer, str) and answer != _NONCE_USED:
                refused = PlanWait(_REFUSED)
                continue
            if await self._database.transact(
                lambda tx, nonce=message.nonce: order_store.claim_message(tx, order, nonce)
            ):
                return each
        return refused

    async def _submission(
        self, order: OutboxOrder, found: AttestedMessage, relayer: str
    ) -> TransactionPlan | PlanWait:
        """Plan the submission by a relayer; the simulation refuses wrong signatures."""
        gas = await self._simulate(order, found, relayer)
        if isinstance(gas, str):
            return PlanWait(_REFUSED)
        return TransactionPlan(
            method=None,
            sender=None,
            destination=self._transmitter,
            data=abi.RECEIVE_MESSAGE.encode(found.raw, found.attestation),
            gas=with_margin(gas),
        )

    async def _simulate(
        self, order: OutboxOrder, found: AttestedMessage, relayer: str
    ) -> int | str:
        """Return the gas of a submission, or the reason for which the chain refuses it."""
        data = abi.RECEIVE_MESSAGE.encode(found.raw, found.attestation)
        try:
            return await self._client.estimate_gas(
                source=relayer, destination=self._transmitter, data=data
            )
        except NodeError as error:
            failure = simulation_failure(error)
        reason = failure.reason or failure.kind.value
        if reason != _NONCE_USED:
            _log.warning("chain.mint.refused", chain=order.chain, order=order.key, reason=reason)
        return reason

    @property
    def _transmitter(self) -> str:
        return self.bridges.bridge(self._chain.name).message_transmitter
