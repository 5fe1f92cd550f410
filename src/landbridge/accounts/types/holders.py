"""Holders of accounts, as the types have them. Source: contract, accounts 4."""

from collections.abc import Mapping

from landbridge.accounts.tables import (
    ADDRESS,
    COUNTRY,
    EMAIL,
    NAME,
    PHONE,
    TEXT,
    Field,
    PastDay,
    one_of,
)
from landbridge.users.model import UserType

ID_TYPES = one_of("CC", "CE", "NIT", "PASS", "PEP")
_MEMBERS = {
    "email": EMAIL,
    "phone": PHONE,
    "address": ADDRESS,
    "idType": ID_TYPES,
    "idNumber": TEXT,
}


def holder(*required: str) -> Mapping[UserType, tuple[Field, ...]]:
    """A holder with a name; of the other members these are required, the rest optional."""
    fields = (
        Field(name="name", kind=NAME, required=True),
        *(
            Field(name=name, kind=kind, required=name in required)
            for name, kind in _MEMBERS.items()
        ),
    )
    return dict.fromkeys(UserType, fields)


def global_holder(*, needs_id_number: bool = False) -> Mapping[UserType, tuple[Field, ...]]:
    """A holder of the Global Network. Source: spec (what is optional; the number for mxn)."""
    name = Field(name="name", kind=NAME, required=True)
    address = Field(name="address", kind=ADDRESS, required=True)
    id_number = Field(name="idNumber", kind=TEXT, required=needs_id_number)
    return {
        UserType.INDIVIDUAL: (
            name,
            address,
            Field(name="nationality", kind=COUNTRY, required=True),
            Field(name="dateOfBirth", kind=PastDay(is_birth=True)),
            id_number,
        ),
        UserType.BUSINESS: (
            name,
            address,
            Field(name="formationDate", kind=PastDay(is_birth=False)),
            id_number,
        ),
    }
