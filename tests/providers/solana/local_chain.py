"""Accounts and transactions of a local Solana, on the embedded virtual machine (LiteSVM).

The token programs are the real ones. Blocks are made only when a test says so; a block is final
once `FINAL_DEPTH` others follow. A fork can take away what is not final.
"""

import base64
import re
import time
from dataclasses import dataclass, field
from typing import Any

from solders.account import Account
from solders.clock import Clock
from solders.hash import Hash
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.token.state import Mint, TokenAccount
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from landbridge.providers.solana.configuration import TokenProgram
from landbridge.providers.solana.programs import SYSTEM, TOKEN_PROGRAMS

FINAL_DEPTH = 2
# Blocks in which a blockhash can be used, as on the real chain.
BLOCKHASH_BLOCKS = 150
_TOKEN_OWNERS = frozenset(TOKEN_PROGRAMS.values())
_TOKEN_BYTES = 165


@dataclass
class Landed:
    """Transaction in a block; `before` are its accounts as they were before it."""

    signature: str
    slot: int
    err: Any
    addresses: list[str]
    before: dict[str, Account | None]
    after: dict[str, Account | None]


@dataclass
class LocalSolana:
    """State of a local chain."""

    svm: LiteSVM = field(
        default_factory=lambda: (
            LiteSVM().with_blockhash_check(False).with_transaction_history(0)  # noqa: FBT003
        )
    )
    slot: int = 1_000
    height: int = 900
    first_slot: int = 0
    blockhash: str = ""
    block_hashes: dict[int, str] = field(default_factory=dict[int, str])
    landed: dict[str, Landed] = field(default_factory=dict[str, Landed])
    last_valid: dict[str, int] = field(default_factory=dict[str, int])
    # How many transactions are still to be swallowed.
    drops: int = 0
    received: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.genesis = str(Hash.new_unique())
        self.authority = Keypair()
        self.mine()

    @property
    def final_slot(self) -> int:
        """Last slot that can't be undone."""
        return self.slot - FINAL_DEPTH

    @property
    def final_height(self) -> int:
        """Height of that slot's block."""
        return self.height - FINAL_DEPTH

    def mine(self, blocks: int = 1) -> None:
        """Make blocks."""
        for _ in range(blocks):
            self.slot, self.height = self.slot + 1, self.height + 1
            self.blockhash = self.block_hashes[self.slot] = str(Hash.new_unique())
            self.last_valid[self.blockhash] = self.height + BLOCKHASH_BLOCKS
        self.svm.set_clock(Clock(self.slot, 0, 0, 0, int(time.time())))

    def finalize(self) -> None:
        """Make as many blocks as finalize the latest one."""
        self.mine(FINAL_DEPTH + 1)

    def submit(self, raw: bytes) -> str:
        """Take a transaction as a node does that does not check it before."""
        transaction = VersionedTransaction.from_bytes(raw)
        signature = str(transaction.signatures[0])
        self.received.append(signature)
        valid_until = self.last_valid.get(str(transaction.message.recent_blockhash), -1)
        if self.drops:
            self.drops -= 1
        elif signature not in self.landed and self.height <= valid_until:
            self._execute(transaction, signature)
        return signature

    def fork_away(self, signature: str) -> None:
        """Remove a transaction that is not final, and all since, from the chain."""
        slot = self.landed[signature].slot
        assert slot > self.final_slot, "what is final can't be undone"
        lost = [each for each in self.landed.values() if each.slot >= slot]
        for each in reversed(lost):
            for address, account in each.before.items():
                self._restore(address, account)
            del self.landed[each.signature]

    def account(self, address: str, *, slot: int | None = None) -> Account | None:
        """Return an account now, or as it was after a slot."""
        if slot is not None:
            for each in self.landed.values():
                if each.slot > slot and address in each.before:
                    return each.before[address]
        return _existing(self.svm.get_account(Pubkey.from_string(address)))

    def token_units(self, address: str, *, slot: int | None = None) -> int:
        """Return the units of a token account."""
        account = self.account(address, slot=slot)
        return 0 if account is None else _token(account).amount

    def create_mint(self, program: TokenProgram = TokenProgram.TOKEN, decimals: int = 6) -> str:
        """Create a token that the ledger's `authority` mints and freezes; return its address."""
        address = Keypair().pubkey()
        mint = Mint(self.authority.pubkey(), 0, decimals, True, self.authority.pubkey())  # noqa: FBT003
        lamports = self.svm.minimum_balance_for_rent_exemption(len(bytes(mint)))
        account = Account(lamports, bytes(mint), TOKEN_PROGRAMS[program], False, 0)  # noqa: FBT003
        self.svm.set_account(address, account)
        return str(address)

    def airdrop(self, address: str, lamports: int) -> None:
        """Give an address lamports."""
        self.svm.airdrop(Pubkey.from_string(address), lamports)

    def transactions_of(self, address: str, slot: int) -> list[Landed]:
        """Return the transactions up to a slot that name an address, the newest first."""
        return [
            each
            for each in reversed(self.landed.values())
            if address in each.addresses and each.slot <= slot
        ]

    def simulate(self, raw: bytes) -> tuple[Any, int]:
        """Return error and compute units of a transaction; its signatures are not checked."""
        result = self.svm.with_sigverify(False).simulate_transaction(  # noqa: FBT003
            VersionedTransaction.from_bytes(raw)
        )
        self.svm = self.svm.with_sigverify(True)  # noqa: FBT003
        if isinstance(result, FailedTransactionMetadata):
            return error_of(result.err()), result.meta().compute_units_consumed()
        return None, result.meta().compute_units_consumed()

    def _execute(self, transaction: VersionedTransaction, signature: str) -> None:
        addresses = [str(each) for each in transaction.message.account_keys]
        before = self._state(addresses)
        result = self.svm.send_transaction(transaction)
        err = None
        if isinstance(result, FailedTransactionMetadata):
            err = error_of(result.err())
            if not isinstance(err, dict) or "InstructionError" not in err:
                return  # no block takes it
        self.landed[signature] = Landed(
            signature=signature,
            slot=self.slot,
            err=err,
            addresses=addresses,
            before=before,
            after=self._state(addresses),
        )

    def _state(self, addresses: list[str]) -> dict[str, Account | None]:
        """Return accounts, without the programs."""
        found = {each: self.account(each) for each in addresses}
        return {
            address: account
            for address, account in found.items()
            if account is None or not account.executable
        }

    def _restore(self, address: str, account: Account | None) -> None:
        gone = Account(0, b"", SYSTEM, False, 0)  # noqa: FBT003
        self.svm.set_account(Pubkey.from_string(address), account or gone)


def error_of(error: Any) -> Any:
    """Return an error as nodes write it."""
    index = getattr(error, "index", None)
    if index is None:
        return re.sub(r".*\.", "", str(error)).split("(")[0].split(" ")[0]
    inner = error.err
    code = getattr(inner, "code", None)
    return {"InstructionError": [index, _name(inner) if code is None else {"Custom": code}]}


def token_balances(
    addresses: list[str], accounts: dict[str, Account | None]
) -> list[dict[str, Any]]:
    """Return the balances of token accounts among those of a transaction."""
    found: list[dict[str, Any]] = []
    for place, address in enumerate(addresses):
        account = accounts.get(address)
        if account is None or account.owner not in _TOKEN_OWNERS:
            continue
        if len(account.data) < _TOKEN_BYTES:
            continue
        token = _token(account)
        found.append(
            {
                "accountIndex": place,
                "mint": str(token.mint),
                "owner": str(token.owner),
                "programId": str(account.owner),
                "uiTokenAmount": {"amount": str(token.amount), "decimals": 6},
            }
        )
    return found


def shown_account(account: Account | None, part: dict[str, int] | None) -> dict[str, Any] | None:
    """Return an account as nodes answer it."""
    if account is None:
        return None
    data = bytes(account.data)
    if part is not None:
        data = data[part["offset"] : part["offset"] + part["length"]]
    return {
        "lamports": account.lamports,
        "owner": str(account.owner),
        "data": [base64.b64encode(data).decode(), "base64"],
        "executable": account.executable,
        "rentEpoch": 0,
    }


def _token(account: Account) -> TokenAccount:
    return TokenAccount.from_bytes(bytes(account.data)[:_TOKEN_BYTES])


def _existing(account: Account | None) -> Account | None:
    return account if account is not None and account.lamports else None


def _name(error: Any) -> str:
    return re.sub(r".*\.", "", str(error)).split("(")[0]
