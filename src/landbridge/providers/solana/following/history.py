"""Reads the finalized transactions of one token account, and the balances around each."""

from landbridge.providers.evm.following.model import ChainUnsettled
from landbridge.providers.solana.chain_data import ChainTransaction, SignatureInfo
from landbridge.providers.solana.rpc import SIGNATURES_MAX, SolanaClient


async def list_transactions(
    client: SolanaClient,
    address: str,
    *,
    until: str | None = None,
    after: int,
    slot: int,
    first_page: int = SIGNATURES_MAX,
) -> list[SignatureInfo]:
    """Return the account's transactions after the slot `after` and up to `slot`, oldest first.

    Transactions up to and including `until` are left out. `first_page` is the number requested
    first. Raises `NodeUnavailable`, and `NodeError` if a node has not reached `slot`.
    """
    found: list[SignatureInfo] = []
    before, limit = None, first_page
    while True:
        page = await client.signatures(
            address, until=until, before=before, min_slot=slot, limit=limit
        )
        found += page
        if len(page) < limit or page[-1].slot <= after:
            break
        before, limit = page[-1].signature, SIGNATURES_MAX
    return [each for each in reversed(found) if after < each.slot <= slot]


async def read_transaction(client: SolanaClient, info: SignatureInfo) -> ChainTransaction:
    """Return a listed transaction.

    Raises:
        ChainUnsettled: The node that answers does not have the transaction.
    """
    found = await client.transaction(info.signature)
    if found is None or found.slot != info.slot:
        raise ChainUnsettled(f"transaction {info.signature} is listed, and not found")
    return found


def units_before_and_after(
    transaction: ChainTransaction, address: str, mint: str
) -> tuple[int, int]:
    """Return the units of a token account before and after a transaction.

    Raises:
        ChainUnsettled: The transaction does not contain the account.
    """
    if address not in transaction.addresses:
        raise ChainUnsettled(f"a transaction does not name the account {address}")
    place, meta = transaction.addresses.index(address), transaction.meta
    before, after = (
        sum(each.units for each in balances if each.account_index == place and each.mint == mint)
        for balances in (meta.pre_token_balances, meta.post_token_balances)
    )
    return before, after
