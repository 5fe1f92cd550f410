"""Metrics of followed chains and their deposits."""

from prometheus_client import Counter, Gauge

HEAD = Gauge(
    "landbridge_chain_head_block",
    "Latest block of a followed chain.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
FOLLOWED = Gauge(
    "landbridge_chain_followed_block",
    "Block up to which deposits on a chain were read: confirmed, or final and credited.",
    ["chain", "depth"],
    multiprocess_mode="mostrecent",
)
ORPHANS = Gauge(
    "landbridge_chain_orphaned_deposits",
    "Credited deposits whose block a chain has lost, and which have not returned yet.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
LOST = Gauge(
    "landbridge_chain_lost_treasury_deposits",
    "Final deposits at organisations' own addresses that a chain has lost, not returned yet.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
REVERSALS = Counter(
    "landbridge_chain_reversed_deposits_total",
    "Credited deposits that were taken back because their chain has lost them.",
    ["chain"],
)
UNREAD = Counter(
    "landbridge_chain_unread_transactions_total",
    "Transactions with deposits that are not credited, as their receipts are too large.",
    ["chain"],
)
