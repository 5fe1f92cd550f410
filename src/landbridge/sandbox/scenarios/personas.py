"""Invented persons for scenarios, the demo and seeded organisations.

In a sandbox, a user with the last name Approval is verified at once.
"""

from collections.abc import Mapping
from typing import Any

_ADDRESS: Mapping[str, str] = {
    "addressLine1": "1 Main Street",
    "city": "Denver",
    "stateProvinceRegion": "CO",
    "postalCode": "80202",
    "country": "USA",
}
# Complete for the USD and Nigeria rails.
DOSSIER: Mapping[str, Any] = {
    "phone": "+13035550123",
    "nationality": "USA",
    "address": _ADDRESS,
    "taxIdentificationNumber": "123-45-6789",
    "additionalIdType": "BVN",
    "additionalIdNumber": "12345678901",
}
PASSPORT: Mapping[str, Any] = {
    "type": "PASSPORT",
    "subType": "SINGLE_SIDE",
    "issuedCountry": "USA",
    "number": "P1234567",
    "expiryDate": "2100-01-01",
    "url": "https://example.com/passport.pdf",
}


def person(name: str, agreement_id: str) -> dict[str, Any]:
    """Build a new user, by first name, who has accepted these terms."""
    return {
        "type": "individual",
        "firstName": name,
        "lastName": "Approval",
        "email": f"{name.lower()}@example.com",
        "dateOfBirth": "1990-01-01",
        "ipAddress": "203.0.113.7",
        "signedAgreementId": agreement_id,
    }


def us_account(transfer_type: str, *, holder: str = "Ada Approval") -> dict[str, Any]:
    """Build a bank account for payouts in dollars, by `wire` or `ach`."""
    return {
        "rail": "offramp",
        "type": "us",
        "accountHolder": {"type": "individual", "name": holder, "address": _ADDRESS},
        "us": {
            "transferType": transfer_type,
            "accountType": "Checking",
            "accountNumber": "000123456789",
            "routingNumber": "021000021",
            "bankName": "Test Bank",
            "currency": "usd",
        },
    }
