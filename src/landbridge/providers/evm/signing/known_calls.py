"""Decoding of transactions and calls: the few that the signer knows, and the amounts they move.

A call is known only if encoding the decoded values gives the same data, so that this module and the
contract can't interpret it differently. All other data raise `SigningRefused`.

A burn is signed only if its coins can arrive: for an EVM address on another configured chain that
has a bridge and this token, final, without a fee, and for any caller. A message is submitted only
if it carries out such a burn on its chain.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from landbridge.platform.formats.evm_addresses import AddressError, checked_evm_address
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import (
    APPROVE,
    DEPOSIT_FOR_BURN,
    DISPERSE,
    RECEIVE_MESSAGE,
    TRANSFER,
    TRANSFER_WITH_AUTHORIZATION,
    TRANSFER_WITH_AUTHORIZATION_VRS,
    AbiValue,
)
from landbridge.providers.evm.bridge_configuration import BridgeContracts
from landbridge.providers.evm.bridging.messages import (
    ANY_CALLER,
    FINALIZED,
    NO_FEE,
    read_address_word,
    read_message,
)
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.signer_limits import COIN
from landbridge.providers.evm.signing.call_data import (
    check_encoding,
    read_address,
    read_array,
    read_bytes,
    read_number,
    read_word,
)
from landbridge.providers.evm.signing.delegate_calls import (
    EXECUTE_SELECTOR,
    CallDataInvalid,
    ExecuteCall,
    decode_execute,
)
from landbridge.providers.evm.signing.market_calls import MarketCallReader
from landbridge.providers.evm.signing.model import AccountCall, SigningRefused

_SELECTOR = 4
_ADDRESS_START = 12


class SignatureKind(StrEnum):
    """Kind of a signature, or of what a signed transaction does."""

    TOKEN_TRANSFER = "token_transfer"  # noqa: S105  no secret
    COIN_TRANSFER = "coin_transfer"
    CANCELLATION = "cancellation"  # a transfer of zero to the account itself, which uses up a nonce
    APPROVAL = "approval"
    BATCH = "batch"
    BURN = "burn"  # a burn of coins that a bridge mints on another chain
    MESSAGE_SUBMISSION = "message_submission"  # a mint of coins that were burned on another chain
    SOLANA_TRANSFER = "solana_transfer"
    SOLANA_FEE = "solana_fee"  # a relayer's payment of the fees and rents of a transfer
    AUTHORIZATION_SUBMISSION = "authorization_submission"
    CALLS_SUBMISSION = "calls_submission"
    AUTHORIZATION = "authorization"
    CALLS = "calls"
    DELEGATION = "delegation"


class Movement(msgspec.Struct, frozen=True):
    """Amount that leaves an account, of a currency such as `usdc`, or of `native`."""

    currency: str
    destination: str
    amount_units: int


class CallReading(msgspec.Struct, frozen=True, kw_only=True):
    """Decoded call.

    `movements` leave the account that signs. A submission contains what another account has signed:
    its calls are in `execute`, its amounts in `submitted`.
    """

    kind: SignatureKind
    movements: tuple[Movement, ...] = ()
    submitted: tuple[Movement, ...] = ()
    execute: ExecuteCall | None = None


class CallReader:
    """Decodes calls on one chain."""

    def __init__(self, chain: EvmChain, chains: Mapping[Network, EvmChain]) -> None:
        """`chain` is the chain of the calls; `chains` are all chains that bridges may reach."""
        self._chain = chain
        self._bridge_calls = BridgeCallReader(chain, chains)
        self._market_calls = MarketCallReader(chain)
        self._currencies = {token.address: name for name, token in chain.tokens.items()}
        bridge = chain.bridge
        self._messenger = None if bridge is None else bridge.token_messenger
        self._transmitter = None if bridge is None else bridge.message_transmitter
        contracts = (
            chain.batch_contract,
            chain.delegate_contract,
            self._messenger,
            self._transmitter,
        )
        known = (each for each in contracts if each is not None)
        self._contracts = {*self._currencies, *known, *self._market_calls.contracts}

    def currency_of(self, token: str) -> str:
        """Return the currency of a token contract; raises `SigningRefused` if unknown."""
        currency = self._currencies.get(checked(token))
        if currency is None:
            raise SigningRefused(f"{token} is no token of {self._chain.name}")
        return currency

    def read(self, sender: str, call: AccountCall) -> CallReading:
        """Decode the call of a transaction."""
        if call.data[:_SELECTOR] == EXECUTE_SELECTOR:
            return self._submission_of_calls(call)
        if call.data and checked(call.destination) == self._transmitter:
            return self._submission_of_message(call)
        return self._plain(sender, call)

    def read_all(self, account: str, calls: Sequence[AccountCall]) -> tuple[Movement, ...]:
        """Return what the calls of an account move; it signs them for the delegate contract."""
        if self._chain.delegate_contract is None:
            raise SigningRefused(f"{self._chain.name} has no delegate_contract")
        if not calls:
            raise SigningRefused("there are no calls")
        movements: list[Movement] = []
        for call in calls:
            if not call.value_wei and checked(call.destination) == self._market_calls.router:
                # Sales are known only here, because a sale is signed together with its approval.
                currency, recipient, amount = self._market_calls.read_sale(call.data)
                movements.append(Movement(currency, checked(recipient), amount))
                continue
            reading = self._plain(account, call)
            if reading.kind is SignatureKind.CANCELLATION:
                raise SigningRefused("a call transfers nothing to the account itself")
            movements += reading.movements
        return tuple(movements)

    def _plain(self, sender: str, call: AccountCall) -> CallReading:
        destination = checked(call.destination)
        if not call.data:
            return self._coin_transfer(sender, destination, call.value_wei)
        if call.value_wei:
            raise SigningRefused(f"a call of {destination} may not transfer the chain's own coin")
        if destination in self._currencies:
            return self._token_call(self._currencies[destination], call.data)
        if destination == self._chain.batch_contract:
            return self._batch(call.data)
        if destination == self._messenger:
            currency, recipient, amount = self._bridge_calls.read_burn(call.data)
            movement = Movement(currency, recipient, amount)
            return CallReading(kind=SignatureKind.BURN, movements=(movement,))
        raise SigningRefused(f"{destination} is no known contract of {self._chain.name}")

    def _coin_transfer(self, sender: str, destination: str, value_wei: int) -> CallReading:
        if destination == sender and not value_wei:
            return CallReading(kind=SignatureKind.CANCELLATION)
        if destination in self._contracts:
            raise SigningRefused(f"{destination} is a contract, which would keep the coins")
        if not value_wei:
            raise SigningRefused("a transfer of nothing may only go to the sender itself")
        movement = Movement(COIN, destination, value_wei)
        return CallReading(kind=SignatureKind.COIN_TRANSFER, movements=(movement,))

    def _token_call(self, currency: str, data: bytes) -> CallReading:
        selector = data[:_SELECTOR]
        if selector == TRANSFER.selector:
            destination, amount = read_address(data, 0), read_number(data, 1)
            check_encoding(data, TRANSFER, destination, amount)
            movement = Movement(currency, checked(destination), amount)
            return CallReading(kind=SignatureKind.TOKEN_TRANSFER, movements=(movement,))
        if selector == APPROVE.selector:
            spender, amount = read_address(data, 0), read_number(data, 1)
            check_encoding(data, APPROVE, spender, amount)
            self._check_spender(currency, checked(spender))
            return CallReading(kind=SignatureKind.APPROVAL)
        if selector in (
            TRANSFER_WITH_AUTHORIZATION.selector,
            TRANSFER_WITH_AUTHORIZATION_VRS.selector,
        ):
            return _submission_of_authorization(currency, data)
        raise SigningRefused(f"0x{selector.hex()} is no known function of {currency}")

    def _check_spender(self, currency: str, spender: str) -> None:
        """Raise `SigningRefused` unless this is the batch contract, the bridge or the market."""
        is_batch = spender == self._chain.batch_contract
        is_known = is_batch or self._market_calls.check_spender(currency, spender)
        if not is_known and not self._bridge_calls.check_spender(currency, spender):
            raise SigningRefused(f"{spender} is not the batch contract, and may not spend")

    def _batch(self, data: bytes) -> CallReading:
        if data[:_SELECTOR] != DISPERSE.selector:
            raise SigningRefused(f"0x{data[:_SELECTOR].hex()} is no known function of the batches")
        token, batch_id = read_address(data, 0), read_word(data, 1)
        recipients = read_array(data, 2)
        amounts = [int.from_bytes(each) for each in read_array(data, 3)]
        addresses = ["0x" + each[_ADDRESS_START:].hex() for each in recipients]
        check_encoding(data, DISPERSE, token, batch_id, addresses, amounts)
        if len(addresses) != len(amounts) or not amounts:
            raise SigningRefused("a batch has one amount for each recipient, and at least one")
        for each in addresses:
            checked(each)
        # One movement covers all recipients: the contract passes on what it takes.
        movement = Movement(self.currency_of(token), str(self._chain.batch_contract), sum(amounts))
        return CallReading(kind=SignatureKind.BATCH, movements=(movement,))

    def _submission_of_message(self, call: AccountCall) -> CallReading:
        """Decode a submission.

        It moves nothing of the sender: the burn was counted when it was signed.
        """
        if call.value_wei:
            raise SigningRefused("a message may not transfer the chain's own coin")
        self._bridge_calls.check_submission(call.data)
        return CallReading(kind=SignatureKind.MESSAGE_SUBMISSION)

    def _submission_of_calls(self, call: AccountCall) -> CallReading:
        account = checked(call.destination)
        if call.value_wei:
            raise SigningRefused("a submission of calls may not transfer the chain's own coin")
        try:
            execute = decode_execute(call.data)
        except CallDataInvalid as error:
            raise SigningRefused(f"the calls can't be read: {error}") from None
        submitted = self.read_all(account, execute.calls)
        return CallReading(
            kind=SignatureKind.CALLS_SUBMISSION, submitted=submitted, execute=execute
        )


def checked(address: str) -> str:
    """Return an address with EIP-55 capital letters; raises `SigningRefused` for any other text."""
    try:
        return checked_evm_address(address)
    except AddressError as error:
        raise SigningRefused(f"an address {error}") from None


def _submission_of_authorization(currency: str, data: bytes) -> CallReading:
    values: list[AbiValue] = [read_address(data, 0), read_address(data, 1)]
    values += [read_number(data, index) for index in (2, 3, 4)]
    values.append(read_word(data, 5))
    if data[:_SELECTOR] == TRANSFER_WITH_AUTHORIZATION.selector:
        check_encoding(data, TRANSFER_WITH_AUTHORIZATION, *values, read_bytes(data, 6))
    else:
        v, r, s = read_number(data, 6), read_word(data, 7), read_word(data, 8)
        if v not in (27, 28):
            raise SigningRefused("a signature ends in neither 27 nor 28")
        check_encoding(data, TRANSFER_WITH_AUTHORIZATION_VRS, *values, v, r, s)
    movement = Movement(currency, checked(read_address(data, 1)), read_number(data, 2))
    return CallReading(kind=SignatureKind.AUTHORIZATION_SUBMISSION, submitted=(movement,))


class BridgeCallReader:
    """Decodes the calls of one chain's bridge."""

    def __init__(self, chain: EvmChain, chains: Mapping[Network, EvmChain]) -> None:
        self._chain = chain
        self._currencies = {
            token.address: name for name, token in chain.tokens.items() if token.is_bridgeable
        }
        self._others = {
            each.bridge.domain: each
            for each in chains.values()
            if each.bridge is not None and each.name is not chain.name
        }

    def read_burn(self, data: bytes) -> tuple[str, str, int]:
        """Return currency, recipient and units of a burn by the messenger."""
        if data[:_SELECTOR] != DEPOSIT_FOR_BURN.selector:
            raise SigningRefused(f"0x{data[:_SELECTOR].hex()} is no known function of the bridge")
        amount_units, domain = read_number(data, 0), read_number(data, 1)
        recipient_word, token = read_word(data, 2), read_address(data, 3)
        caller, fee_max, finality = read_word(data, 4), read_number(data, 5), read_number(data, 6)
        check_encoding(
            data,
            DEPOSIT_FOR_BURN,
            *(amount_units, domain, recipient_word, token, caller, fee_max, finality),
        )
        if (caller, fee_max, finality) != (ANY_CALLER, NO_FEE, FINALIZED):
            raise SigningRefused("a burn with a fee, for one caller, or before it is final")
        currency = self._currency_of(token)
        other = self._other(domain)
        if currency not in other.tokens or not other.tokens[currency].is_bridgeable:
            raise SigningRefused(f"{currency} can't be bridged to {other.name}")
        try:
            recipient = read_address_word(recipient_word)
        except AnswerInvalid as error:
            raise SigningRefused(f"the burn is for {error}") from None
        if int(recipient, 16) == 0:
            raise SigningRefused("the burn is for no address")
        return currency, recipient, amount_units

    def check_submission(self, data: bytes) -> None:
        """Raise `SigningRefused` unless a call of the transmitter carries out a known burn."""
        if data[:_SELECTOR] != RECEIVE_MESSAGE.selector:
            raise SigningRefused(
                f"0x{data[:_SELECTOR].hex()} is no known function of the transmitter"
            )
        raw, attestation = read_bytes(data, 0), read_bytes(data, 1)
        check_encoding(data, RECEIVE_MESSAGE, raw, attestation)
        try:
            message = read_message(raw)
        except AnswerInvalid as error:
            raise SigningRefused(f"the message can't be read: {error}") from None
        here = self._bridge()
        other = self._other(message.source_domain)
        there = other.bridge
        if there is None or message.destination_domain != here.domain:
            raise SigningRefused("the message is for another chain")
        if (message.messenger, message.handler) != (there.token_messenger, here.token_messenger):
            raise SigningRefused("the message is not of the configured messengers")
        known = {token.address for token in other.tokens.values() if token.is_bridgeable}
        if message.token not in known:
            raise SigningRefused(f"{message.token} is no token that {other.name} bridges")

    def check_spender(self, currency: str, spender: str) -> bool:
        """Return whether `spender` is the messenger, and may take (and burn) this currency."""
        bridge = self._chain.bridge
        is_bridgeable = currency in self._currencies.values()
        return bridge is not None and is_bridgeable and spender == bridge.token_messenger

    def _currency_of(self, token: str) -> str:
        for address, currency in self._currencies.items():
            if int(address, 16) == int(token, 16):
                return currency
        raise SigningRefused(f"{token} is no token that {self._chain.name} bridges")

    def _other(self, domain: int) -> EvmChain:
        other = self._others.get(domain)
        if other is None:
            raise SigningRefused(f"{domain} is the domain of no other configured chain")
        return other

    def _bridge(self) -> BridgeContracts:
        if self._chain.bridge is None:
            raise SigningRefused(f"{self._chain.name} has no bridge")
        return self._chain.bridge
