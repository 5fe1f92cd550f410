"""Field tables of account holders. Source: contract, accounts 4."""

from collections.abc import Mapping

from landbridge.customers.bank_accounts.field_tables import (
    ADDRESS,
    COUNTRY,
    EMAIL,
    NAME,
    PHONE,
    TEXT,
    AccountField,
    PastDateField,
    one_of,
)
from landbridge.customers.users.model import UserType

ID_TYPES = one_of("CC", "CE", "NIT", "PASS", "PEP")
_MEMBERS = {
    "email": EMAIL,
    "phone": PHONE,
    "address": ADDRESS,
    "idType": ID_TYPES,
    "idNumber": TEXT,
}


def holder(*required: str) -> Mapping[UserType, tuple[AccountField, ...]]:
    """Return a holder with a name; the given further members are required, the rest optional."""
    fields = (
        AccountField(name="name", kind=NAME, required=True),
        *(
            AccountField(name=name, kind=kind, required=name in required)
            for name, kind in _MEMBERS.items()
        ),
    )
    return dict.fromkeys(UserType, fields)


def global_holder(*, needs_id_number: bool = False) -> Mapping[UserType, tuple[AccountField, ...]]:
    """Return the fields of a Global Network holder. Source: spec (optional members; mxn number)."""
    name = AccountField(name="name", kind=NAME, required=True)
    address = AccountField(name="address", kind=ADDRESS, required=True)
    id_number = AccountField(name="idNumber", kind=TEXT, required=needs_id_number)
    return {
        UserType.INDIVIDUAL: (
            name,
            address,
            AccountField(name="nationality", kind=COUNTRY, required=True),
            AccountField(name="dateOfBirth", kind=PastDateField(is_birth=True)),
            id_number,
        ),
        UserType.BUSINESS: (
            name,
            address,
            AccountField(name="formationDate", kind=PastDateField(is_birth=False)),
            id_number,
        ),
    }
