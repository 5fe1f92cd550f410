"""Published names of bodies about bank accounts. Source: contract, interface/account.

They are written down independently, so that an error in the type tables is noticed.
"""

_ADDRESS = "addressLine1* addressLine2 city* stateProvinceRegion* postalCode* country*"
_HOLDER = "type name email phone address idType idNumber nationality dateOfBirth formationDate"
# The last one is our own.
_TYPES = {
    "us": (
        "transferType accountType accountNumber routingNumber iban swiftCode bankName bankAddress"
        " currency"
    ),
    "brazil": "pixKey currency",
    "colombia": "bankName bankCode accountNumber accountType currency",
    "argentina": "accountType accountNumber currency",
    "mexico": "speiProtocol speiInstitutionCode speiClabe currency",
    "africa": "financialInstitute accountType accountNumber currency country",
    "brazilGlobalNetwork": "email phone pix currency",
    "nigeriaGlobalNetwork": "bankName accountNumber currency",
    "mexicoGlobalNetwork": "speiClabe currency",
    "hongKongGlobalNetwork": "bankName accountNumber swiftCode currency bankCode transferType",
    "chinaGlobalNetwork": "bankName accountNumber swiftCode currency",
    "singaporeGlobalNetwork": "bankName accountNumber swiftCode currency",
    "europeGlobalNetwork": "iban swiftCode bankName currency transferType",
}


def _within(name: str, members: str) -> str:
    return " ".join(f"{name}.{each}" for each in members.split())


BODIES = {
    "POST /v2/users/{userId}/accounts": [
        " ".join(
            [
                # `metadata` is of our own.
                "requestId rail* type* accountHolder metadata",
                _within("accountHolder", _HOLDER),
                _within("accountHolder.address", _ADDRESS),
                *(f"{name} {_within(name, members)}" for name, members in _TYPES.items()),
                _within("us.bankAddress", _ADDRESS),
            ]
        )
    ],
    "POST /v2/reviews/accounts/{accountId}": ["decision* reason"],
}
