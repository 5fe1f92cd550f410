"""Messages of transfers: how they are built, and how the signer decodes them.

A message transfers one token from one owner to one or more wallets, and creates the wallets' token
accounts where they are missing. The relayer pays fees and rent. Either all of it happens, or
nothing.

`read_message` accepts only what `build_message` builds: it decodes the parts, builds the message
again, and compares the bytes.
"""

from collections.abc import Sequence

import msgspec
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, CompiledInstruction, Instruction
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from landbridge.providers.solana.configuration import RECIPIENTS_MAX, SolanaToken
from landbridge.providers.solana.programs import (
    ASSOCIATED_TOKEN,
    COMPUTE_BUDGET,
    SYSTEM,
    TOKEN_PROGRAMS,
    account_of,
)

_SIGNATURES = 2
_SIGNATURE_BYTES = 64
# Positions of instructions that create token accounts; each precedes its transfer.
CREATION_PLACES = frozenset(range(2, 2 + 2 * RECIPIENTS_MAX, 2))
# Signature fee of the protocol, and rent of a token account of 165 bytes. With extensions that a
# mint of Token-2022 demands, an account has some more bytes.
SIGNATURE_LAMPORTS = 5_000
ACCOUNT_LAMPORTS = 2_500_000
_MICRO = 1_000_000

_CREATE_IDEMPOTENT = b"\x01"
_TRANSFER_CHECKED = 12
_UNIT_BYTES = 8
_TRANSFER_BYTES = 2 + _UNIT_BYTES
_SET_UNIT_LIMIT, _SET_UNIT_PRICE = 2, 3
_TRANSFER_ACCOUNTS, _CREATE_ACCOUNTS = 4, 6
_MINT_PLACE, _AUTHORITY_PLACE = 1, 3
_WALLET_PLACE = 2


class MessageUnknown(ValueError):
    """The bytes are not a message that `build_message` can build."""


class TransferLeg(msgspec.Struct, frozen=True):
    """Units for one wallet; the address is the wallet's, not its token account's."""

    wallet: str
    units: int


class TransferMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a message; the price is in micro-lamports for each compute unit."""

    payer: str
    owner: str
    currency: str
    legs: tuple[TransferLeg, ...]
    unit_limit: int
    unit_price: int
    blockhash: str

    @property
    def cost_lamports_max(self) -> int:
        """Return the most that the payer can lose: fees, and the rent of all token accounts."""
        priority = -(-self.unit_limit * self.unit_price // _MICRO)
        rent = ACCOUNT_LAMPORTS * len(self.legs)
        return _SIGNATURES * SIGNATURE_LAMPORTS + priority + rent


def build_message(content: TransferMessage, token: SolanaToken) -> bytes:
    """Return the bytes of a message for `token`, which both signers sign."""
    payer, owner = Pubkey.from_string(content.payer), Pubkey.from_string(content.owner)
    instructions = [
        set_compute_unit_limit(content.unit_limit),
        set_compute_unit_price(content.unit_price),
    ]
    for leg in content.legs:
        instructions += [
            _create_account(payer, leg.wallet, token),
            _transfer(owner, leg, token),
        ]
    message = Message.new_with_blockhash(instructions, payer, Hash.from_string(content.blockhash))
    return bytes(message)


def signed_transaction(message: bytes, signatures: Sequence[bytes]) -> bytes:
    """Return the transaction in the form sent to nodes; the payer's signature is the first."""
    transaction = VersionedTransaction.populate(
        Message.from_bytes(message), [Signature.from_bytes(each) for each in signatures]
    )
    return bytes(transaction)


def unsigned_transaction(message: bytes) -> bytes:
    """Return the transaction with empty signatures, for a simulation."""
    return signed_transaction(message, [bytes(_SIGNATURE_BYTES)] * _SIGNATURES)


def signature_text(signature: bytes) -> str:
    """Return a signature in base58; the payer's signature is the transaction's id."""
    return str(Signature.from_bytes(signature))


def read_message(
    raw: bytes, currencies: "dict[str, str]", tokens: "dict[str, SolanaToken]"
) -> TransferMessage:
    """Return the content of a message; `currencies` are by mint, `tokens` by currency.

    Raises:
        MessageUnknown: `build_message` does not build it from these tokens.
    """
    try:
        message = Message.from_bytes(raw)
        content = _content(message, currencies)
        is_same = build_message(content, tokens[content.currency]) == raw
    except (ValueError, LookupError, TypeError) as error:
        raise MessageUnknown("the message is no transfer of a configured token") from error
    if not is_same:
        raise MessageUnknown("the message has more than a transfer of a configured token")
    return content


def _content(message: Message, currencies: "dict[str, str]") -> TransferMessage:
    keys = message.account_keys
    limit, price, *others = message.instructions
    creations, transfers = others[::2], others[1::2]
    if len(creations) != len(transfers) or not transfers:
        raise MessageUnknown("the message has no transfers")
    first = _accounts(transfers[0], keys, _TRANSFER_ACCOUNTS)
    legs = [
        TransferLeg(
            str(_accounts(creation, keys, _CREATE_ACCOUNTS)[_WALLET_PLACE]), _units(transfer)
        )
        for creation, transfer in zip(creations, transfers, strict=True)
    ]
    return TransferMessage(
        payer=str(keys[0]),
        owner=str(first[_AUTHORITY_PLACE]),
        currency=currencies[str(first[_MINT_PLACE])],
        legs=tuple(legs),
        unit_limit=_number(limit, keys, _SET_UNIT_LIMIT),
        unit_price=_number(price, keys, _SET_UNIT_PRICE),
        blockhash=str(message.recent_blockhash),
    )


def _accounts(instruction: CompiledInstruction, keys: Sequence[Pubkey], count: int) -> list[Pubkey]:
    if len(instruction.accounts) != count:
        raise MessageUnknown(f"an instruction has not {count} accounts")
    return [keys[place] for place in instruction.accounts]


def _units(transfer: CompiledInstruction) -> int:
    data = bytes(transfer.data)
    if len(data) != _TRANSFER_BYTES or data[0] != _TRANSFER_CHECKED:
        raise MessageUnknown("an instruction is no transferChecked")
    return int.from_bytes(data[1 : 1 + _UNIT_BYTES], "little")


def _number(instruction: CompiledInstruction, keys: Sequence[Pubkey], tag: int) -> int:
    data = bytes(instruction.data)
    if keys[instruction.program_id_index] != COMPUTE_BUDGET or data[0] != tag:
        raise MessageUnknown("the message does not begin with its compute budget")
    return int.from_bytes(data[1:], "little")


def _create_account(payer: Pubkey, wallet: str, token: SolanaToken) -> Instruction:
    """Return the instruction that creates the wallet's token account, unless it exists."""
    program = TOKEN_PROGRAMS[token.program]
    accounts = [
        AccountMeta(payer, is_signer=True, is_writable=True),
        _writable(account_of(wallet, token)),
        _readable(Pubkey.from_string(wallet)),
        _readable(Pubkey.from_string(token.address)),
        _readable(SYSTEM),
        _readable(program),
    ]
    return Instruction(ASSOCIATED_TOKEN, _CREATE_IDEMPOTENT, accounts)


def _transfer(owner: Pubkey, leg: TransferLeg, token: SolanaToken) -> Instruction:
    units = leg.units.to_bytes(_UNIT_BYTES, "little")
    accounts = [
        _writable(account_of(str(owner), token)),
        _readable(Pubkey.from_string(token.address)),
        _writable(account_of(leg.wallet, token)),
        AccountMeta(owner, is_signer=True, is_writable=False),
    ]
    data = bytes([_TRANSFER_CHECKED]) + units + bytes([token.decimals])
    return Instruction(TOKEN_PROGRAMS[token.program], data, accounts)


def _readable(address: Pubkey) -> AccountMeta:
    return AccountMeta(address, is_signer=False, is_writable=False)


def _writable(address: str) -> AccountMeta:
    return AccountMeta(Pubkey.from_string(address), is_signer=False, is_writable=True)
