"""Services of Solana: only where the chains file configures it, as they need the extra `solana`."""

from dataclasses import dataclass

from landbridge.customers.chain_deposits.matching import TransferMatcher
from landbridge.customers.chain_deposits.service import ChainDeposits
from landbridge.customers.chain_deposits.solana_steps import SolanaDepositSteps
from landbridge.customers.wallets.service import Wallets
from landbridge.customers.wallets.signing_keys import SigningKeys
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.chain_context import DestinationScreening
from landbridge.providers.evm.outbox.order_closing import OrderClosing
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.solana.chain_records import SolanaChainRecords
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.solana.following.reader import TokenAccountReader
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.order_closing import AllOrderClosing
from landbridge.providers.solana.outbox.service import SolanaOutbox
from landbridge.providers.solana.rpc import SolanaClient


@dataclass(frozen=True, slots=True, kw_only=True)
class SolanaServices:
    """Solana as configured: client and outbox."""

    chain: SolanaChain
    client: SolanaClient
    outbox: SolanaOutbox

    def order_closing(self, evm: OrderClosing) -> OrderClosing:
        """Return what closes orders on EVM chains and on Solana."""
        return AllOrderClosing(evm.outboxes, self.outbox)

    def deposit_steps(
        self,
        database: Database,
        deposits: ChainDeposits,
        matcher: TransferMatcher,
        wallets: Wallets,
        clock: Clock,
    ) -> SolanaDepositSteps:
        """Return what follows token accounts."""
        reader = TokenAccountReader(self.chain, self.client)
        return SolanaDepositSteps(database, deposits, matcher, wallets, clock, reader=reader)

    def records(self) -> SolanaChainRecords:
        """Return what reconciliation reads."""
        return SolanaChainRecords(self.chain, self.client)

    async def close(self) -> None:
        """Close all connections to nodes."""
        await self.client.close()


def build_solana_services(
    chain: SolanaChain,
    database: Database,
    clock: Clock,
    keys: SigningKeys,
    signer: SignerClient,
    *,
    ledger: Ledger,
    screening: DestinationScreening,
) -> SolanaServices:
    """Wire the services of Solana. Nothing is connected before it is used."""
    client = SolanaClient(chain, clock)
    context = SolanaContext(
        chain=chain,
        client=client,
        database=database,
        clock=clock,
        signer=signer,
        wallet_keys=keys,
        relayer_seeds=keys,
        screening=screening,
        notifier=ledger.notifier,
    )
    return SolanaServices(chain=chain, client=client, outbox=SolanaOutbox(context, owner=new_id()))
