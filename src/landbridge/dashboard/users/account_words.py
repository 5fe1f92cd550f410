"""What types of accounts, and what they ask, are called on pages."""

from typing import Final

from landbridge.dashboard.words import later as _

TYPE_WORDS: Final = {
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

RAMP_WORDS: Final = {
    "offramp": _("money goes out to it"),
    "onramp": _("money comes in from it"),
}

FIELD_WORDS: Final = {
    "transferType": _("Kind of transfer"),
    "accountType": _("Kind of account"),
    "accountNumber": _("Account number"),
    "iban": _("IBAN"),
    "routingNumber": _("Routing number"),
    "swiftCode": _("SWIFT code"),
    "bankName": _("Bank"),
    "bankAddress": _("Address of the bank"),
    "currency": _("Currency"),
    "pixKey": _("PIX key"),
    "pix": _("PIX key"),
    "bankCode": _("Bank code"),
    "speiProtocol": _("Kind of number"),
    "speiInstitutionCode": _("Institution code"),
    "speiClabe": _("CLABE, card or phone number"),
    "financialInstitute": _("Bank or mobile money provider"),
    "country": _("Country"),
    "type": _("Type"),
    "name": _("Name"),
    "email": _("E-mail"),
    "phone": _("Phone"),
    "address": _("Address"),
    "idType": _("Kind of identity document"),
    "idNumber": _("Number of the identity document"),
    "nationality": _("Nationality"),
    "dateOfBirth": _("Date of birth"),
    "formationDate": _("Date of formation"),
    "addressLine1": _("Street and number"),
    "addressLine2": _("Second line"),
    "city": _("City"),
    "stateProvinceRegion": _("State or region"),
    "postalCode": _("Postal code"),
}

HOLDER_WORDS: Final = {
    "individual": _("An individual"),
    "business": _("A business"),
}


def field_word(name: str) -> str:
    """What a member is called; a new one by its own name."""
    return FIELD_WORDS.get(name, name)


def type_word(name: str) -> str:
    """What a type is called; a new one by its own name."""
    return TYPE_WORDS.get(name, name)
