"""A local Solana, a signer and the whole product on it, for tests with real coins.

The chain makes blocks only when a test says so. Nothing runs in the background.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from landbridge.app.container import Container, wire
from landbridge.app.settings import Settings
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.solana.configuration import SolanaToken, TokenProgram
from landbridge.providers.solana.messages import TransferLeg, TransferMessage, build_message
from landbridge.providers.solana.outbox.service import SolanaOutbox
from landbridge.providers.solana.programs import TOKEN_PROGRAMS, account_of
from tests.chain_world import running_signer
from tests.providers.solana.local_chain import LocalSolana
from tests.providers.solana.local_node import LocalNode, local_node
from tests.tenants import SETTINGS, Tenant, make_tenant, served

COIN = 10**6
SOL = 10**9
_MINT_TO, _FREEZE, _THAW = 7, 10, 11
_UNIT_BYTES = 8


@dataclass(frozen=True)
class SolanaWorld:
    """One local chain and the product that uses it."""

    settings: Settings
    container: Container
    org: Tenant
    chain: LocalSolana
    node: LocalNode
    tokens: dict[str, SolanaToken]

    @property
    def outbox(self) -> SolanaOutbox:
        """The product's outbox."""
        assert self.container.evm is not None
        assert self.container.evm.solana is not None
        return self.container.evm.solana.outbox

    def units(self, address: str, currency: str = "usdc") -> int:
        """Return the units that a wallet has on the chain."""
        return self.chain.token_units(account_of(address, self.tokens[currency]))

    def mint(self, address: str, units: int, currency: str = "usdc") -> None:
        """Mint coins for a wallet, in a block of their own."""
        self.chain.mine()
        sender = Keypair()
        self._mint_to(sender, units, currency)
        self.pay(sender, {address: units}, currency)

    def pay(
        self, sender: Keypair, legs: dict[str, int], currency: str = "usdc", *, price: int = 0
    ) -> str:
        """Transfer coins of an outside wallet, which pays the fees too; return the signature."""
        message = self._transfer_message(str(sender.pubkey()), legs, currency, price)
        signature = self.chain.submit(bytes(VersionedTransaction(message, [sender])))
        assert self.chain.landed[signature].err is None, self.chain.landed[signature].err
        self.chain.mine()
        return signature

    def steal(self, address: str, units: int, currency: str = "usdc") -> str:
        """Move coins out of a wallet without its key; return the transaction's signature."""
        message = self._transfer_message(address, {str(Keypair().pubkey()): units}, currency)
        transaction = VersionedTransaction.populate(message, [Signature.new_unique()])
        self.chain.svm = self.chain.svm.with_sigverify(False)  # noqa: FBT003
        signature = self.chain.submit(bytes(transaction))
        self.chain.svm = self.chain.svm.with_sigverify(True)  # noqa: FBT003
        assert self.chain.landed[signature].err is None, self.chain.landed[signature].err
        self.chain.mine()
        return signature

    def outsider(self, units: int, currency: str = "usdc") -> Keypair:
        """Return an external wallet that has coins."""
        sender = Keypair()
        self._mint_to(sender, units, currency)
        return sender

    def freeze(self, address: str, currency: str = "usdc") -> None:
        """Freeze a wallet's token account, as the token's issuer."""
        token = self.tokens[currency]
        account = account_of(address, token)
        accounts = [_account(account, is_writable=True), _account(token.address)]
        self._as_authority(currency, accounts, bytes([_FREEZE]))

    def _transfer_message(
        self, owner: str, legs: dict[str, int], currency: str, price: int = 0
    ) -> Message:
        """Return a transfer whose fees the owner pays, who gets lamports for them."""
        self.chain.airdrop(owner, SOL)
        content = TransferMessage(
            payer=owner,
            owner=owner,
            currency=currency,
            legs=tuple(TransferLeg(each, units) for each, units in legs.items()),
            unit_limit=400_000,
            unit_price=price,
            blockhash=self.chain.blockhash,
        )
        return Message.from_bytes(build_message(content, self.tokens[currency]))

    def _mint_to(self, owner: Keypair, units: int, currency: str) -> None:
        """Mint coins into the token account of an outside wallet."""
        token = self.tokens[currency]
        # Creates the account: a transfer of nothing to itself.
        message = self._transfer_message(str(owner.pubkey()), {str(owner.pubkey()): 0}, currency)
        self.chain.submit(bytes(VersionedTransaction(message, [owner])))
        account = account_of(str(owner.pubkey()), token)
        accounts = [_account(token.address, is_writable=True), _account(account, is_writable=True)]
        data = bytes([_MINT_TO]) + units.to_bytes(_UNIT_BYTES, "little")
        self._as_authority(currency, accounts, data)

    def _as_authority(self, currency: str, accounts: Sequence[AccountMeta], data: bytes) -> None:
        authority = self.chain.authority
        self.chain.airdrop(str(authority.pubkey()), SOL)
        program = TOKEN_PROGRAMS[self.tokens[currency].program]
        signer = AccountMeta(authority.pubkey(), is_signer=True, is_writable=False)
        instruction = Instruction(program, data, [*accounts, signer])
        blockhash = Hash.from_string(self.chain.blockhash)
        message = Message.new_with_blockhash([instruction], authority.pubkey(), blockhash)
        signature = self.chain.submit(bytes(VersionedTransaction(message, [authority])))
        assert self.chain.landed[signature].err is None, self.chain.landed[signature].err
        self.chain.mine()

    async def fund_relayers(self, lamports: int = 10 * SOL) -> None:
        """Give the relayers native coins."""
        for each in await self.outbox.relayers.prepare():
            self.chain.airdrop(each.address, lamports)

    async def follow(self) -> None:
        """Follow deposits as long as there are any."""
        steps = self.container.chain_deposit_steps
        assert steps is not None
        offsets = {each.id: timedelta() for each in await self.container.orgs.all()}
        for _ in range(10):
            if not await steps.run_once(offsets):
                return


@asynccontextmanager
async def solana_world(
    folder: Path, database: Database, *, base: Settings = SETTINGS, more: str = ""
) -> AsyncGenerator[SolanaWorld]:
    """Run a chain, a signer, and the product on a database of its own.

    `more` are lines of the chain's configuration.
    """
    chain = LocalSolana()
    tokens = {
        "usdc": _token(chain, TokenProgram.TOKEN),
        "usdg": _token(chain, TokenProgram.TOKEN_2022),
    }
    async with local_node(chain) as node:
        path = folder / "chains.toml"
        path.write_text(configuration(chain, node.url, tokens, more), encoding="utf-8")
        settings = msgspec.structs.replace(
            base, chains_file=str(path), signer_socket=str(folder / "signer.sock")
        )
        container = wire(settings, database, Clock(await take_node(database)))
        async with running_signer(settings, folder), served(container) as client:
            org = await make_tenant(container, client)
            world = SolanaWorld(settings, container, org, chain, node, tokens)
            await world.fund_relayers()
            await world.follow()
            try:
                yield world
            finally:
                assert container.evm is not None
                await container.evm.close()


def configuration(
    chain: LocalSolana, url: str, tokens: dict[str, SolanaToken], more: str = ""
) -> str:
    """Return the chains file of a local chain."""
    lines = [
        "[chains.SOLANA]",
        f'genesis_hash = "{chain.genesis}"',
        f'rpc_urls = ["{url}"]',
        'finality = "finalized"',
        'explorer = "https://explorer.example/tx/{hash}"',
        'relayer_floor = "0.01"',
        "resend_after_s = 1",
        more,
    ]
    for currency, token in tokens.items():
        lines += [
            f"[chains.SOLANA.tokens.{currency}]",
            f'address = "{token.address}"',
            f"decimals = {token.decimals}",
            f'program = "{token.program}"',
        ]
    return "\n".join(lines)


def _token(chain: LocalSolana, program: TokenProgram) -> SolanaToken:
    return SolanaToken(address=chain.create_mint(program), decimals=6, program=program)


def _account(address: str, *, is_writable: bool = False) -> AccountMeta:
    return AccountMeta(Pubkey.from_string(address), is_signer=False, is_writable=is_writable)
