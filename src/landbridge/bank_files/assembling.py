"""The bytes of a file from its payments: the same each time that the same file is assembled.

It names nothing but what is kept with the file and its payments, so a worker that died after it
took payments into a file is followed by one that writes what the first would have written.
"""

import json
from collections.abc import Sequence
from datetime import UTC, timedelta
from hashlib import sha256
from typing import Any

from landbridge.bank_files.funding import Ach, FundingAccount
from landbridge.bank_files.iso20022 import pain001
from landbridge.bank_files.iso20022.messages import Debtor, Initiation, Party
from landbridge.bank_files.model import BankFile, BankPayment, Format
from landbridge.bank_files.nacha import messages as nacha
from landbridge.bank_files.nacha import writing
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.bank_files.orders import (
    Order,
    debtor_member,
    entry,
    service_of,
    transfer,
)
from landbridge.core.errors import Broken
from landbridge.core.money import Money
from landbridge.rails.currencies import FIAT

# The files of one day are told apart by one letter or digit; numbers go round through them.
_MODIFIERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_ODFI_LENGTH = 8


def assemble(
    file: BankFile, told: FundingAccount, payments: Sequence[tuple[BankPayment, Order]]
) -> bytes:
    """The content of a file, its payments in their order."""
    assert len(payments) == file.count
    match file.format:
        case Format.NACHA:
            return writing.write(_nacha(file, told, payments))
        case Format.PAIN_001:
            return pain001.write(_initiation(file, told, payments))


def control_report(file: BankFile, content: bytes, currency: str) -> bytes:
    """What a person or the bank checks the file by, as JSON. No name and no account is in it."""
    asset = FIAT[currency]
    told: dict[str, Any] = {
        "file": file.name,
        "number": file.number,
        "format": file.format,
        "paymentRail": file.rail,
        "sameDay": file.is_same_day,
        "date": file.runs_on.isoformat(),
        "createdAt": _moment(file),
        "messageId": file.message_id,
        "currency": currency,
        "count": file.count,
        "sum": str(Money(file.units, asset)),
        "size": len(content),
        "sha256": sha256(content).hexdigest(),
        **_hash_totals(file, content),
    }
    return json.dumps(told, indent=2).encode() + b"\n"


def odfi_of(told: FundingAccount) -> str:
    """Who sends ACH entries: eight digits."""
    found = (told.ach and told.ach.odfi) or (told.routing_number or "")[:_ODFI_LENGTH]
    if not found:
        raise Broken("an account without a routing number pays by ACH")
    return found


def _nacha(
    file: BankFile, told: FundingAccount, payments: Sequence[tuple[BankPayment, Order]]
) -> nacha.NachaFile:
    ach = _ach(told)
    return nacha.NachaFile(
        immediate_destination=ach.destination,
        immediate_origin=ach.origin,
        destination_name=ach.destination_name,
        origin_name=ach.origin_name,
        created_at=file.created_at,
        id_modifier=_MODIFIERS[file.number % len(_MODIFIERS)],
        batches=tuple(_batches(file, told, payments)),
    )


def _batches(
    file: BankFile, told: FundingAccount, payments: Sequence[tuple[BankPayment, Order]]
) -> list[nacha.Batch]:
    """A batch for each class and description: what the payee reads is the batch's."""
    ach, odfi = _ach(told), odfi_of(told)
    groups: dict[tuple[nacha.SecCode, str], list[nacha.Entry]] = {}
    for payment, order in payments:
        code = nacha.SecCode.CCD if order.is_business else nacha.SecCode.PPD
        description = order.description or ach.description
        made = entry(order, payment.key, payment.money, trace_number=payment.trace_number or "")
        groups.setdefault((code, description), []).append(made)
    return [
        nacha.Batch(
            company_name=ach.company_name,
            company_id=ach.company_id,
            sec_code=code,
            description=description,
            effective_on=file.runs_on,
            odfi=odfi,
            number=number,
            # Trace numbers must rise within a batch.
            entries=tuple(sorted(groups[code, description], key=lambda each: each.trace_number)),
        )
        for number, (code, description) in enumerate(sorted(groups), start=1)
    ]


def _initiation(
    file: BankFile, told: FundingAccount, payments: Sequence[tuple[BankPayment, Order]]
) -> Initiation:
    service = service_of(file.rail)
    holder = told.holder
    return Initiation(
        message_id=file.message_id,
        created_at=file.created_at.replace(microsecond=0),
        initiator_name=holder.name,
        initiator_id=told.initiator_id,
        debtor=Debtor(
            party=Party(
                name=holder.name,
                country=holder.country,
                town=holder.town,
                postcode=holder.postcode or None,
                address_lines=(holder.street,),
            ),
            iban=told.iban,
            account_number=told.account_number,
            bic=told.swift_code,
            clearing_member=None if told.swift_code else debtor_member(told),
        ),
        service=service,
        execution_date=file.runs_on,
        transfers=tuple(
            transfer(order, payment.key, payment.money, service) for payment, order in payments
        ),
    )


def _hash_totals(file: BankFile, content: bytes) -> dict[str, Any]:
    """Read back from the bytes: the report is of what is in the file, not of what should be."""
    if file.format is not Format.NACHA:
        return {}
    read = read_nacha(content)
    return {
        "entryHash": f"{read.entry_hash:010d}",
        "creditCents": read.credit_cents,
        "debitCents": read.debit_cents,
        "batchCount": len(read.batches),
    }


def _ach(told: FundingAccount) -> Ach:
    if told.ach is None:
        raise Broken("an account without ach pays by ACH")
    return told.ach


def _moment(file: BankFile) -> str:
    at = file.created_at.astimezone(UTC)
    return (at - timedelta(microseconds=at.microsecond)).isoformat()
