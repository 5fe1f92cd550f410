"""Labels of reports, and of the dimensions, filters and values in them."""

from collections.abc import Mapping
from typing import Final

from landbridge.dashboard.countries import country_name
from landbridge.dashboard.payment_lines import chain_name, currency_name
from landbridge.dashboard.status_labels import status_label
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.payments.transactions.model import CURRENCIES
from landbridge.platform.formats.refusal_texts import known_text
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.providers.chains.tokens import Network

# One sentence per report; the API's descriptions are for programmers.
DESCRIPTIONS: Final[Mapping[str, str]] = {
    "GROSS_VOLUME": _(
        "US dollar value of completed onramps and offramps, and of transfers if that type is "
        "chosen. Swaps and bridges are not included."
    ),
    "TRANSACTION_COUNT": _("Number of transactions by status."),
    "NEW_USERS": _("Number of users created."),
    "SWAP_VOLUME": _("Completed swaps by currency pair."),
    "FEES": _("Fees earned, net of refunds."),
    "OUTCOMES": _("Completed and failed transactions, with failure reasons."),
    "COMPLETION_TIME": _("Time from creation to completion."),
    "APPROVAL_TURNAROUND": _("Time from approval request to decision."),
    "WEBHOOK_HEALTH": _("Results of webhook delivery attempts."),
    "BALANCES": _("Balances at the end of each period, including held funds."),
}
# Titles of reports.
TITLES: Final[Mapping[str, str]] = {
    "GROSS_VOLUME": _("Gross volume"),
    "TRANSACTION_COUNT": _("Transactions"),
    "NEW_USERS": _("New users"),
    "SWAP_VOLUME": _("Swap volume"),
    "FEES": _("Fees"),
    "OUTCOMES": _("Outcomes"),
    "COMPLETION_TIME": _("Completion time"),
    "APPROVAL_TURNAROUND": _("Approval turnaround"),
    "WEBHOOK_HEALTH": _("Webhook health"),
    "BALANCES": _("Balances"),
}
# Dimensions that a report can be grouped by, as in the header of its table.
DIMENSION_LABELS: Final[Mapping[str, str]] = {
    "transactionType": _("Type"),
    "transactionStatus": _("Status"),
    "userId": _("User"),
    "sourceCurrency": _("Source currency"),
    "destinationCurrency": _("Destination currency"),
    "currency": _("Currency"),
    "chain": _("Chain"),
    "reason": _("Reason"),
    "approvalStatus": _("Status"),
    "endpointId": _("Endpoint"),
    "holder": _("Account holder"),
    "outcome": _("Outcome"),
    "country": _("Bank country"),
    "rail": _("Payment rail"),
    "userType": _("User type"),
    "initiatedBy": _("Initiated by"),
    "feePayer": _("Fee payer"),
}
# Filters of a report.
FILTER_LABELS: Final[Mapping[str, str]] = {
    "transactionTypes": _("Types"),
    "transactionStatuses": _("Statuses"),
    "userIds": _("Users"),
    "sourceCurrencies": _("Source currencies"),
    "destinationCurrencies": _("Destination currencies"),
    "currencies": _("Currencies"),
    "chains": _("Chains"),
    "reasons": _("Failure reasons, as shown in the table"),
    "approvalStatuses": _("Statuses"),
    "endpointIds": _("Endpoint IDs"),
    "holders": _("Account holders"),
    "outcomes": _("Outcomes"),
    "countries": _("Bank countries"),
    "rails": _("Payment rails"),
    "userTypes": _("User types"),
    "initiatedBy": _("Initiated by"),
    "feePayers": _("Fee payers"),
}
_CHAINS: Final = frozenset(Network)
# Values with a label beside currencies and chains; ids are shown as they are.
VALUE_LABELS: Final[Mapping[str, str]] = {
    "onramp": _("Onramp"),
    "offramp": _("Offramp"),
    "transfer": _("Transfer"),
    "swap": _("Swap"),
    "bridge": _("Bridge"),
    "correction": _("Correction"),
    "customers": _("Customers"),
    "liquidity": _("Liquidity"),
    "fees": _("Fees"),
    "outside": _("External"),
    "in_transit": _("In transit"),
    "receivable": _("Receivables"),
    "write_offs": _("Write-offs"),
    "payable": _("Fees payable"),
    "suspense": _("Held deposits"),
    "BANK": _("Bank"),
    "individual": _("Individual"),
    "business": _("Business"),
    "completed": _("Completed"),
    "failed": _("Failed"),
    "unfinished": _("In progress"),
    "key": _("API key"),
    "member": _("Member"),
    "system": _("System"),
    "sender": _("Sender"),
    "recipient": _("Recipient"),
    "none": _("None"),
    "OTHER": _("Other country"),
    **KIND_NAMES,
}
NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "descriptions": DESCRIPTIONS,
    "titles": TITLES,
    "dimensions": DIMENSION_LABELS,
    "filters": FILTER_LABELS,
    "values": VALUE_LABELS,
}


def dimension_label(value: str, language: str) -> str:
    """Return the label of a value that a report is grouped or filtered by.

    Reasons are stored sentences, and ids are returned as they are.
    """
    known = VALUE_LABELS.get(value)
    if known is not None:
        return catalogue(language).gettext(known)
    if value in CURRENCIES:
        return currency_name(value)
    if value in _CHAINS:
        return chain_name(value)
    country = country_name(value, language)
    label = status_label(value, language) if country == value else country
    return (known_text(value, language) or value) if label == value else label
