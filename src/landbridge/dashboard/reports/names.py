"""What reports, and what they are split and narrowed by, are called on pages."""

from collections.abc import Mapping
from typing import Final

from landbridge.dashboard.words import later as _

# In a sentence what a report tells; the interface's own descriptions speak to programmers.
ABOUT: Final[Mapping[str, str]] = {
    "GROSS_VOLUME": _("The value in dollars of what was completed."),
    "TRANSACTION_COUNT": _("How many transactions there were, in which status."),
    "NEW_USERS": _("How many users were created."),
    "SWAP_VOLUME": _("Completed swaps, by the pair of currencies."),
    "FEES": _("The fees that you earned, less those given back."),
    "OUTCOMES": _("How many transactions were completed or failed, and why."),
    "COMPLETION_TIME": _("How long transactions took, from creation to completion."),
    "APPROVAL_TURNAROUND": _("How long approvals took until somebody decided."),
    "WEBHOOK_HEALTH": _("What became of attempts to deliver events to your endpoints."),
    "BALANCES": _("What was held at the end of each period, held money included."),
}
# What a report can be split by; a column of its table is called the same.
SPLITS: Final[Mapping[str, str]] = {
    "transactionType": _("Kind"),
    "transactionStatus": _("Status"),
    "userId": _("User"),
    "sourceCurrency": _("From currency"),
    "destinationCurrency": _("To currency"),
    "currency": _("Currency"),
    "chain": _("Chain"),
    "reason": _("Reason"),
    "approvalStatus": _("Status"),
    "endpointId": _("Endpoint"),
    "holder": _("Holder"),
}
# What a report can be narrowed by.
NARROWED: Final[Mapping[str, str]] = {
    "transactionTypes": _("Kinds"),
    "transactionStatuses": _("Statuses"),
    "userIds": _("Users, by id"),
    "sourceCurrencies": _("From currencies"),
    "destinationCurrencies": _("To currencies"),
    "currencies": _("Currencies"),
    "chains": _("Chains"),
    "reasons": _("Reasons, as the table tells them"),
    "approvalStatuses": _("Statuses"),
    "endpointIds": _("Endpoints, by id"),
    "holders": _("Holders"),
}
# Values of these that have words; statuses and currencies stay as they are spelled.
VALUES: Final[Mapping[str, str]] = {
    "onramp": _("Onramp"),
    "offramp": _("Offramp"),
    "transfer": _("Transfer"),
    "swap": _("Swap"),
    "bridge": _("Bridge"),
    "correction": _("Correction"),
    "customers": _("Customers"),
    "liquidity": _("Liquidity"),
    "fees": _("Fees"),
    "outside": _("Outside"),
    "in_transit": _("In transit"),
    "receivable": _("Receivables"),
    "write_offs": _("Write-offs"),
    "payable": _("Fees payable"),
    "BANK": _("Bank"),
}
NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "about": ABOUT,
    "splits": SPLITS,
    "narrowed": NARROWED,
    "values": VALUES,
}
