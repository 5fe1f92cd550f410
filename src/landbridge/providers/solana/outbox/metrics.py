"""Metrics of orders on Solana, besides those of all chains."""

from prometheus_client import Counter

EXPIRED = Counter(
    "landbridge_chain_expired_transactions",
    "Transactions that no block has taken in time; their orders are signed anew.",
    ["chain"],
)
