"""Metrics of orders on chains."""

from prometheus_client import Counter, Gauge

RELAYER_BALANCE = Gauge(
    "landbridge_chain_relayer_balance_gwei",
    "Native coins of a relayer at its last check, in billionths.",
    ["chain", "address"],
    multiprocess_mode="mostrecent",
)
RELAYERS_LOW = Gauge(
    "landbridge_chain_relayers_low",
    "Relayers with fewer native coins than the configured floor.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
ACCOUNTS_STOPPED = Gauge(
    "landbridge_chain_accounts_stopped",
    "Accounts that send nothing, because a transaction that we did not sign used a nonce.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
OPEN_ORDERS = Gauge(
    "landbridge_chain_open_orders",
    "Orders that are not final, by state.",
    ["chain", "state"],
    multiprocess_mode="mostrecent",
)
OLDEST_ORDER_S = Gauge(
    "landbridge_chain_oldest_order_seconds",
    "Age of the oldest order that has not been confirmed.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
UNPAID_ORDERS = Gauge(
    "landbridge_chain_unpaid_orders",
    "Orders that were reported as paid, and have no confirmations now.",
    ["chain"],
    multiprocess_mode="mostrecent",
)
TREASURY_LOW = Gauge(
    "landbridge_chain_treasury_low",
    "Organisations whose own address has fewer coins of a token than the configured floor.",
    ["chain", "currency"],
    multiprocess_mode="mostrecent",
)
REORGANISED = Counter(
    "landbridge_chain_reorganised_transactions",
    "Transactions of ours that a reorganisation removed from their block.",
    ["chain"],
)
REOPENED = Counter(
    "landbridge_chain_reopened_orders",
    "Final orders that a reorganisation below the final block has removed.",
    ["chain"],
)
REPLACED = Counter(
    "landbridge_chain_replaced_transactions",
    "Transactions that were sent again with higher fees.",
    ["chain"],
)
