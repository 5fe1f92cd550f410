"""Reading of the calls of bridges that the signer knows: burns, and submissions of messages.

A burn is signed only if its coins can arrive: for an EVM address on another configured chain that
has a bridge and this token, final, without a fee, and for any caller. A message is submitted only
if it carries out such a burn on its chain.
"""

from collections.abc import Mapping

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import DEPOSIT_FOR_BURN, RECEIVE_MESSAGE
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
from landbridge.providers.evm.signing.call_data import (
    check_encoding,
    read_address,
    read_bytes,
    read_number,
    read_word,
)
from landbridge.providers.evm.signing.model import SigningRefused

_SELECTOR = 4


class BridgeCallReader:
    """Reads the calls of one chain's bridge."""

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
        """Return currency, recipient and units of a call of the messenger."""
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
        """Whether the messenger may spend a currency: it burns what it takes."""
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
