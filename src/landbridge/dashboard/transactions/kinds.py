"""Labels of payment kinds and their details."""

from collections.abc import Mapping
from typing import Final

from landbridge.platform.formats.translations import later as _

KIND_NAMES: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": _("Transfer"),
    "WALLET.TRANSFER.BATCH": _("Batch"),
    "WALLET.BRIDGE": _("Bridge"),
    "WALLET.SWAP": _("Swap"),
    "ONRAMP": _("Onramp"),
    "OFFRAMP": _("Offramp"),
    "DISBURSEMENT": _("Payout"),
}
# Parties that a payment waits for, as the API names them.
PARTY_NAMES: Final[Mapping[str, str]] = {
    "ADMIN": _("Approval by an admin"),
    "CLIENT": _("Acceptance of the quote"),
    "SENDER": _("Incoming payment"),
    "REVIEWER": _("Compliance review"),
    "CHAIN": _("Chain confirmation"),
    "BANK": _("Bank"),
    "IDENTITY_PROVIDER": _("Identity provider"),
    "SCREENING_PROVIDER": _("Screening provider"),
    "WORKER": _("Processing"),
}
HASH_NAMES: Final[Mapping[str, str]] = {
    "transactionHash": _("Transaction"),
    "userOpHash": _("User operation"),
    "approveTransactionHash": _("Token allowance"),
    "approveUserOpHash": _("Token allowance user operation"),
    "mintTransactionHash": _("Mint on destination chain"),
    "mintUserOpHash": _("Mint user operation"),
    "returnTransactionHash": _("Return transaction"),
    "returnUserOpHash": _("Return user operation"),
    "depositHash": _("External deposit"),
}
REFERENCE_NAMES: Final[Mapping[str, str]] = {
    "reference": _("Deposit reference"),
    "bankName": _("Bank"),
    "bankAddress": _("Bank address"),
    "senderName": _("Sender"),
    "routingNumber": _("Routing number"),
    "accountNumber": _("Account number"),
    "accountType": _("Account type"),
    "referenceNumber": _("Sender reference"),
    "fedBatchId": _("Fed batch ID"),
    "imad": _("IMAD"),
    "omad": _("OMAD"),
    "traceNumber": _("Trace number"),
    "uetr": _("UETR"),
    "description": _("Description"),
    "paymentRail": _("Payment rail"),
}
ROLE_NAMES: Final[Mapping[str, str]] = {
    "liquidity": _("House liquidity"),
    "fees": _("House fees"),
    "outside": _("External"),
    "in_transit": _("In transit"),
    "receivable": _("Receivables"),
    "write_offs": _("Write-offs"),
    "gas": _("Gas costs"),
    "payable": _("Fees payable"),
    "suspense": _("Held deposits"),
}
