"""Display labels of bank account types and their fields."""

from collections.abc import Mapping
from typing import Final

from landbridge.platform.formats.translations import later as _

TYPE_LABELS: Final = {
    "us": _("United States"),
    "brazil": _("Brazil, PIX"),
    "colombia": _("Colombia"),
    "argentina": _("Argentina"),
    "mexico": _("Mexico, SPEI"),
    "africa": _("Africa"),
    "brazilGlobalNetwork": _("Brazil, Global Network"),
    "nigeriaGlobalNetwork": _("Nigeria, Global Network"),
    "mexicoGlobalNetwork": _("Mexico, Global Network"),
    "hongKongGlobalNetwork": _("Hong Kong, Global Network"),
    "chinaGlobalNetwork": _("China, Global Network"),
    "singaporeGlobalNetwork": _("Singapore, Global Network"),
    "europeGlobalNetwork": _("Europe, Global Network"),
}

RAMP_LABELS: Final = {
    "offramp": _("payout"),
    "onramp": _("pay-in"),
}

FIELD_LABELS: Final = {
    "transferType": _("Transfer type"),
    "accountType": _("Account type"),
    "accountNumber": _("Account number"),
    "iban": _("IBAN"),
    "routingNumber": _("Routing number"),
    "swiftCode": _("SWIFT/BIC"),
    "bankName": _("Bank"),
    "bankAddress": _("Bank address"),
    "currency": _("Currency"),
    "pixKey": _("PIX key"),
    "pix": _("PIX key"),
    "bankCode": _("Bank code"),
    "speiProtocol": _("Number type"),
    "speiInstitutionCode": _("Institution code"),
    "speiClabe": _("CLABE, card or phone number"),
    "financialInstitute": _("Bank or mobile money provider"),
    "country": _("Country"),
    "type": _("Type"),
    "name": _("Name"),
    "email": _("E-mail"),
    "phone": _("Phone number"),
    "address": _("Address"),
    "idType": _("Identity document type"),
    "idNumber": _("Identity document number"),
    "nationality": _("Nationality"),
    "dateOfBirth": _("Date of birth"),
    "formationDate": _("Date of formation"),
    "addressLine1": _("Street address"),
    "addressLine2": _("Address line 2"),
    "city": _("City"),
    "stateProvinceRegion": _("State or region"),
    "postalCode": _("Postal code"),
}

HOLDER_LABELS: Final[Mapping[str, str]] = {
    "individual": _("Individual"),
    "business": _("Business"),
}

CHOICE_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    "accountType": {
        "Checking": _("Checking"),
        "checking": _("Checking"),
        "Savings": _("Savings"),
        "savings": _("Savings"),
        "bank": _("Bank account"),
        "momo": _("Mobile money"),
    },
    "transferType": {
        "ach": "ACH",
        "chats": "CHATS",
        "fps": "FPS",
        "rtp": "RTP",
        "sepa": "SEPA",
        "sepaInstant": "SEPA Instant",
        "swift": "SWIFT",
        "wire": _("Wire"),
    },
    "speiProtocol": {
        "clabe": "CLABE",
        "debitcard": _("Debit card"),
        "phonenum": _("Phone number"),
    },
    "type": HOLDER_LABELS,
}

# Payment rails of account types, where they are not a choice of the account.
_RAIL_LABELS: Final[Mapping[str, str]] = {
    **CHOICE_LABELS["transferType"],
    "achCop": "ACH",
    "bank": _("Bank transfer"),
    "momo": _("Mobile money"),
    "pix": "PIX",
    "spei": "SPEI",
    "transfers": _("Bank transfer"),
}


def rail_label(name: str) -> str:
    """Return the label of a payment rail, or its name if it has no label."""
    return _RAIL_LABELS.get(name, name)


def field_label(name: str) -> str:
    """Return the label of a field, or its name if it has no label."""
    return FIELD_LABELS.get(name, name)


def type_label(name: str) -> str:
    """Return the label of an account type, or its name if it has no label."""
    return TYPE_LABELS.get(name, name)


def choice_label(path: str, value: str) -> str | None:
    """Return the label of a value from fixed choices, None for any other value."""
    return CHOICE_LABELS.get(path.rpartition(".")[2], {}).get(value)
