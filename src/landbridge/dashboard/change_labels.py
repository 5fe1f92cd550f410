"""Labels of changes in the audit log: kind of the object and what happened to it.

A page shows the labels, and the codes in a tooltip (`formatting.change`). A change that leads to a
status may be named for it; it has the label of the status.
"""

from collections.abc import Mapping
from typing import Final

from landbridge.dashboard.status_labels import status_label
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _

KIND_LABELS: Final[Mapping[str, str]] = {
    # Payments.
    "WALLET.TRANSFER": _("Wallet transfer"),
    "WALLET.TRANSFER.BATCH": _("Batch"),
    "WALLET.BRIDGE": _("Bridge"),
    "WALLET.SWAP": _("Swap"),
    "ONRAMP": _("Onramp"),
    "OFFRAMP": _("Offramp"),
    "DISBURSEMENT": _("Payout"),
    "RECEIVABLE": _("Receivable"),
    "RESOLUTION": _("Resolution"),
    "APPROVAL": _("Approval"),
    "ONRAMP.RFI": _("Request for information"),
    "OFFRAMP.RFI": _("Request for information"),
    "INCOMING_PAYMENT": _("Incoming fiat payment"),
    "WALLET.DEPOSIT": _("Wallet deposit"),
    "DEPOSIT.SCREENING": _("Screened deposit"),
    "PAYMENT.SCREENING": _("Screened payment"),
    "WALLET.DEPOSIT.REVERSAL": _("Reversed wallet deposit"),
    "TREASURY.DEPOSIT.REVERSAL": _("Reversed treasury deposit"),
    "CHAIN.GAS": _("Gas cost"),
    "LEDGER.CORRECTION": _("Ledger correction"),
    "RECONCILIATION.CLOSE": _("Daily close"),
    "RECONCILIATION.DIFFERENCE": _("Reconciliation difference"),
    "RECONCILIATION.HALT": _("Halt of payments"),
    "TRANSACTION.NOTE": _("Note on a payment"),
    # Bank files.
    "BANK.PAYMENT": _("Bank payment"),
    "BANK.FILE": _("Bank file"),
    "BANK.LINE": _("Bank statement line"),
    "BANK.ACCOUNT": _("Funding account"),
    # Users.
    "USER": _("User"),
    "FILE": _("File"),
    "KYC.DATA": _("KYC data"),
    "KYC.STATUS": _("Verification"),
    "KYC_LINK": _("KYC link"),
    "NUMBER": _("Masked number"),
    "PAYEE": _("Payee verification"),
    "TOS_LINK": _("Terms link"),
    "WALLET.EXTERNAL": _("External address"),
    "ACCOUNT.ONRAMP": _("Bank account"),
    "ACCOUNT.OFFRAMP": _("Bank account"),
    "ACCOUNT.VIRTUAL_ACCOUNT": _("Virtual account"),
    "ACCOUNT.SETTLEMENT_RULE": _("Settlement rule"),
    "ACCOUNT.MICRO_DEPOSIT": _("Micro-deposit check"),
    # Settings and developers.
    "ORG": _("Organisation"),
    "API_KEY": _("API key"),
    "MEMBER": _("Member"),
    "SESSION": _("Session"),
    "LIMITS": _("Limits"),
    "ADDRESS_POLICY": _("Address policy"),
    "SWAP_PROVIDERS": _("Swap providers"),
    "TRAVEL_RULE": _("Travel rule"),
    "TRAVEL_RULE.WALLET": _("Travel rule wallet"),
    "TRAVEL_RULE.DATA": _("Travel rule data"),
    "TRAVEL_RULE.EXCHANGE": _("Travel rule inquiry"),
    "TRAVEL_RULE.EXCHANGE_SETTING": _("Exchange of travel rule data"),
    "APPROVAL.POLICY": _("Approval policy"),
    "PRICE": _("Price table"),
    "FEE": _("Fee"),
    "WEBHOOK": _("Webhook endpoint"),
    "WEBHOOK.DELIVERY": _("Webhook delivery"),
    "REPORT": _("Report"),
    "REPORT.METRIC": _("Saved metric"),
    "REPORT.SCHEDULE": _("Report schedule"),
    "REPORT.TEMPLATE": _("Report template"),
    "REPORT.ZONE": _("Time zone"),
    "MAIL": _("E-mail"),
    "CHAIN.ACCOUNT": _("Sending account"),
    "CLOCK": _("Sandbox clock"),
    "SANDBOX.LATENCY": _("Sandbox latency"),
}
# Nouns, since the gender of an adjective would depend on the kind.
CHANGE_LABELS: Final[Mapping[str, str]] = {
    "accept": _("acceptance"),
    "advance": _("clock advance"),
    "approve": _("approval"),
    "assign": _("assignment"),
    "ask": _("approval requested"),
    "ask_reset": _("password reset request"),
    "cancel": _("cancellation"),
    "carry": _("approval carried over"),
    "claim": _("claim"),
    "closed": _("closing"),
    "coins_arrived": _("arrival of coins"),
    "complete": _("completion"),
    "confirm": _("confirmation"),
    "create": _("creation"),
    "delete": _("deletion"),
    "deliver": _("delivery"),
    "drop_factors": _("removal of all second factors"),
    "expire": _("expiry"),
    "fail": _("failure"),
    "failed": _("failure"),
    "flag": _("failing"),
    "freeze": _("freeze"),
    "hold": _("hold"),
    "invite": _("invitation"),
    "invite_again": _("new invitation"),
    "match": _("match"),
    "open": _("opening"),
    "passkey_add": _("new passkey"),
    "passkey_remove": _("removal of a passkey"),
    "passkey_rename": _("renaming of a passkey"),
    "password": _("password change"),
    "pause": _("pause"),
    "payout_returned": _("return of the payout"),
    "prefer": _("change of preferences"),
    "read": _("reading"),
    "ready": _("completion"),
    "receive": _("receipt"),
    "recovery_code": _("use of a recovery code"),
    "recovery_codes": _("new recovery codes"),
    "redirect": _("redirection of the refund"),
    "refresh": _("quote refresh"),
    "register": _("registration"),
    "reject": _("rejection"),
    "remove": _("removal"),
    "rename": _("renaming"),
    "reopen": _("reopening"),
    "resend": _("resend"),
    "reset": _("password reset"),
    "resolve": _("resolution"),
    "resume": _("resumption"),
    "return": _("return"),
    "reveal": _("reveal"),
    "return_came_back": _("failed return"),
    "returned": _("return"),
    "reversed": _("reversal"),
    "revoke": _("revocation"),
    "role": _("role change"),
    "set": _("change"),
    "settle_outside": _("external settlement"),
    "sign": _("signature"),
    "totp_off": _("removal of the authenticator app"),
    "totp_on": _("new authenticator app"),
    "unflag": _("recovery"),
    "unfreeze": _("unfreeze"),
    "update": _("update"),
    "withdraw": _("withdrawal of the request"),
    "void": _("voiding"),
}


def change_label(kind: str, change_type: str, language: str) -> str:
    """Return the label of a change; codes without a label stay codes."""
    texts = catalogue(language)
    kind_label = texts.gettext(KIND_LABELS[kind]) if kind in KIND_LABELS else kind
    translated = CHANGE_LABELS.get(change_type)
    if translated is not None:
        return f"{kind_label}: {texts.gettext(translated)}"
    code = change_type.upper()
    label = status_label(code, language)
    return f"{kind_label}: {change_type if label == code else label}"
