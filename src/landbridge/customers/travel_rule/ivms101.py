"""Message with originator and beneficiary of a transfer: IVMS101, the interVASP data model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from landbridge.customers.travel_rule.jurisdictions import WalletKind
from landbridge.customers.travel_rule.model import TransferParties, TransferPerson, WalletOwner
from landbridge.customers.users.model import UserType
from landbridge.platform.formats.addresses import Address, find_alpha2
from landbridge.providers.kyt.port import ScreeningDirection


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContext:
    """What a message has besides the parties: our organisation, its user, and both addresses.

    `source_address` is null for a deposit of which the chain names no sender.
    """

    direction: ScreeningDirection
    org_name: str
    user_id: UUID
    source_address: str | None
    destination_address: str | None


def build_message(parties: TransferParties, context: MessageContext) -> dict[str, Any]:
    """Return the message; members without a value are left out."""
    is_payment = context.direction is ScreeningDirection.PAYMENT
    is_one_person = parties.wallet.owner is WalletOwner.USER
    user_id = str(context.user_id)
    own_vasp = _legal_person(context.org_name)
    other_vasp = (
        _legal_person(parties.wallet.vasp_name)
        if parties.wallet.kind is WalletKind.HOSTED and parties.wallet.vasp_name
        else None
    )
    originator = _person(parties.originator, user_id if is_payment or is_one_person else None)
    beneficiary = _person(parties.beneficiary, user_id if not is_payment or is_one_person else None)
    return _without_blanks(
        {
            "originator": {
                "originatorPersons": [originator],
                "accountNumber": _accounts(context.source_address),
            },
            "beneficiary": {
                "beneficiaryPersons": [beneficiary],
                "accountNumber": _accounts(context.destination_address),
            },
            "originatingVASP": _vasp("originatingVASP", own_vasp if is_payment else other_vasp),
            "beneficiaryVASP": _vasp("beneficiaryVASP", other_vasp if is_payment else own_vasp),
        }
    )


def _person(person: TransferPerson, customer_id: str | None) -> dict[str, Any]:
    if person.type is UserType.BUSINESS:
        legal = _legal_person(person.business_name or "")["legalPerson"]
        legal["geographicAddress"] = _addresses(person.address, "BIZZ")
        legal["customerNumber"] = customer_id
        return {"legalPerson": legal}
    is_born = person.has_birth and person.date_of_birth is not None
    return {
        "naturalPerson": {
            "name": {
                "nameIdentifier": [
                    {
                        "primaryIdentifier": person.last_name,
                        "secondaryIdentifier": person.first_name,
                        "nameIdentifierType": "LEGL",
                    }
                ]
            },
            "geographicAddress": _addresses(person.address, "HOME"),
            # The type of the document is not known: the code for an unspecified one.
            "nationalIdentification": {
                "nationalIdentifier": person.gov_id_number,
                "nationalIdentifierType": "MISC",
            }
            if person.gov_id_number
            else None,
            "customerIdentification": customer_id,
            "dateAndPlaceOfBirth": {
                "dateOfBirth": str(person.date_of_birth),
                "placeOfBirth": person.place_of_birth,
            }
            if is_born
            else None,
        }
    }


def _legal_person(name: str) -> dict[str, Any]:
    return {
        "legalPerson": {
            "name": {
                "nameIdentifier": [
                    {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}
                ]
            }
        }
    }


def _vasp(name: str, person: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if person is None else {name: person}


def _accounts(address: str | None) -> list[str] | None:
    return None if address is None else [address]


def _addresses(address: Address | None, type_: str) -> list[dict[str, Any]] | None:
    if address is None:
        return None
    return [
        {
            "addressType": type_,
            "addressLine": [
                each for each in (address.address_line1, address.address_line2) if each
            ],
            "postCode": address.postal_code,
            "townName": address.city,
            "countrySubDivision": address.state_province_region,
            "country": find_alpha2(address.country),
        }
    ]


def _without_blanks(value: Any) -> Any:
    """Return JSON values without members that are null."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _without_blanks(each) for name, each in members.items() if each is not None}
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [_without_blanks(each) for each in items]
    return value
