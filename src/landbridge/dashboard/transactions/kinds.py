"""What the kinds of payments, and what is told of them, are called on pages."""

from collections.abc import Mapping
from typing import Final

from landbridge.dashboard.words import later as _

KIND_NAMES: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": _("Transfer"),
    "WALLET.TRANSFER.BATCH": _("Batch"),
    "WALLET.BRIDGE": _("Bridge"),
    "WALLET.SWAP": _("Swap"),
    "ONRAMP": _("Onramp"),
    "OFFRAMP": _("Offramp"),
    "DISBURSEMENT": _("Disbursement"),
}
# Whom a payment waits for, as the interface spells it.
PARTY_NAMES: Final[Mapping[str, str]] = {
    "ADMIN": _("An admin's approval"),
    "CLIENT": _("Somebody to accept the quote"),
    "SENDER": _("The money to arrive"),
    "REVIEWER": _("A reviewer's decision"),
    "CHAIN": _("The chain"),
    "BANK": _("The bank"),
    "WORKER": _("Landbridge's next step"),
}
HASH_NAMES: Final[Mapping[str, str]] = {
    "transactionHash": _("Transaction"),
    "userOpHash": _("User operation"),
    "approveTransactionHash": _("Allowance"),
    "approveUserOpHash": _("User operation of the allowance"),
    "mintTransactionHash": _("Mint on the other chain"),
    "mintUserOpHash": _("User operation of the mint"),
    "returnTransactionHash": _("Return"),
    "returnUserOpHash": _("User operation of the return"),
    "depositHash": _("Deposit from outside"),
}
REFERENCE_NAMES: Final[Mapping[str, str]] = {
    "reference": _("Reference to write on the deposit"),
    "bankName": _("Bank"),
    "bankAddress": _("Address of the bank"),
    "senderName": _("Sender"),
    "routingNumber": _("Routing number"),
    "accountNumber": _("Account number"),
    "accountType": _("Type of account"),
    "referenceNumber": _("Reference of the sender"),
    "fedBatchId": _("Fed batch id"),
    "imad": _("IMAD"),
    "omad": _("OMAD"),
    "traceNumber": _("Trace number"),
    "uetr": _("UETR"),
    "description": _("Description"),
    "paymentRail": _("Payment rail"),
}
ROLE_NAMES: Final[Mapping[str, str]] = {
    "liquidity": _("Liquidity of the house"),
    "fees": _("Fees of the house"),
    "outside": _("Outside the platform"),
    "in_transit": _("In transit"),
    "receivable": _("Receivables"),
    "write_offs": _("Write-offs"),
    "payable": _("Fees payable"),
}
QUOTE_NAMES: Final = (
    ("sendGross", _("Sent, with fees")),
    ("sendNet", _("Converted")),
    ("railFee", _("Fee of the rail")),
    ("receiveGross", _("Received, before what is taken from it")),
    ("receiveNet", _("Received")),
)
