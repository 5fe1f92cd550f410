"""File builder: encodes the payments of a file, always to the same bytes.

It uses only data stored with the file and its payments. If a worker crashes after it claimed
payments, its successor therefore writes the same file.
"""

import json
from collections.abc import Sequence
from datetime import UTC, timedelta
from hashlib import sha256
from typing import Any

from landbridge.payments.bank_files.funding_account import AchSettings, FundingAccount
from landbridge.payments.bank_files.model import BankFile, BankFileFormat, BankPayment
from landbridge.payments.bank_files.orders import (
    PaymentOrder,
    debtor_member,
    entry,
    service_of,
    transfer,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.providers.iso20022 import pain001
from landbridge.providers.iso20022.messages import Debtor, Initiation, IsoParty
from landbridge.providers.nacha import messages as nacha
from landbridge.providers.nacha import writing
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.rails.currencies import FIAT

# NACHA files of one day differ in one letter or digit; file numbers cycle through them.
_MODIFIERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_ODFI_LENGTH = 8


def assemble(
    file: BankFile, settings: FundingAccount, payments: Sequence[tuple[BankPayment, PaymentOrder]]
) -> bytes:
    """Return the content of a file, with its payments in order."""
    assert len(payments) == file.count
    match file.format:
        case BankFileFormat.NACHA:
            return writing.write(_nacha(file, settings, payments))
        case BankFileFormat.PAIN_001:
            return pain001.write(_initiation(file, settings, payments))


def control_report(file: BankFile, content: bytes, currency: str) -> bytes:
    """Return the control report as JSON, by which a person or the bank verifies the file.

    It contains no names and no account numbers.
    """
    asset = FIAT[currency]
    report: dict[str, Any] = {
        "file": file.name,
        "number": file.number,
        "format": file.format,
        "paymentRail": file.rail,
        "sameDay": file.is_same_day,
        "date": file.execution_date.isoformat(),
        "createdAt": _moment(file),
        "messageId": file.message_id,
        "currency": currency,
        "count": file.count,
        "sum": str(Money(file.units, asset)),
        "size": len(content),
        "sha256": sha256(content).hexdigest(),
        **_hash_totals(file, content),
    }
    return json.dumps(report, indent=2).encode() + b"\n"


def get_odfi(settings: FundingAccount) -> str:
    """Return the ODFI identification of ACH entries: eight digits."""
    found = (settings.ach and settings.ach.odfi) or (settings.routing_number or "")[:_ODFI_LENGTH]
    if not found:
        raise InvariantBroken("an account without a routing number pays by ACH")
    return found


def _nacha(
    file: BankFile, settings: FundingAccount, payments: Sequence[tuple[BankPayment, PaymentOrder]]
) -> nacha.NachaFile:
    ach = _ach(settings)
    return nacha.NachaFile(
        immediate_destination=ach.destination,
        immediate_origin=ach.origin,
        destination_name=ach.destination_name,
        origin_name=ach.origin_name,
        created_at=file.created_at,
        id_modifier=_MODIFIERS[file.number % len(_MODIFIERS)],
        batches=tuple(_batches(file, settings, payments)),
    )


def _batches(
    file: BankFile, settings: FundingAccount, payments: Sequence[tuple[BankPayment, PaymentOrder]]
) -> list[nacha.NachaBatch]:
    """Return one batch per entry class and description: the payee sees the batch's description."""
    ach, odfi = _ach(settings), get_odfi(settings)
    groups: dict[tuple[nacha.SecCode, str], list[nacha.NachaEntry]] = {}
    for payment, order in payments:
        code = nacha.SecCode.CCD if order.is_business else nacha.SecCode.PPD
        description = order.description or ach.description
        new_entry = entry(
            order, payment.key, payment.money, trace_number=payment.trace_number or ""
        )
        groups.setdefault((code, description), []).append(new_entry)
    return [
        nacha.NachaBatch(
            company_name=ach.company_name,
            company_id=ach.company_id,
            sec_code=code,
            description=description,
            effective_on=file.execution_date,
            odfi=odfi,
            number=number,
            # Trace numbers must ascend within a batch.
            entries=tuple(sorted(groups[code, description], key=lambda each: each.trace_number)),
        )
        for number, (code, description) in enumerate(sorted(groups), start=1)
    ]


def _initiation(
    file: BankFile, settings: FundingAccount, payments: Sequence[tuple[BankPayment, PaymentOrder]]
) -> Initiation:
    service = service_of(file.rail)
    holder = settings.holder
    return Initiation(
        message_id=file.message_id,
        created_at=file.created_at.replace(microsecond=0),
        initiator_name=holder.name,
        initiator_id=settings.initiator_id,
        debtor=Debtor(
            party=IsoParty(
                name=holder.name,
                country=holder.country,
                town=holder.town,
                postcode=holder.postcode or None,
                address_lines=(holder.street,),
            ),
            iban=settings.iban,
            account_number=settings.account_number,
            bic=settings.swift_code,
            clearing_member=None if settings.swift_code else debtor_member(settings),
        ),
        service=service,
        execution_date=file.execution_date,
        transfers=tuple(
            transfer(order, payment.key, payment.money, service) for payment, order in payments
        ),
    )


def _hash_totals(file: BankFile, content: bytes) -> dict[str, Any]:
    """Return totals decoded from `content`, so the report describes what the file contains."""
    if file.format is not BankFileFormat.NACHA:
        return {}
    read = read_nacha(content)
    return {
        "entryHash": f"{read.entry_hash:010d}",
        "creditCents": read.credit_cents,
        "debitCents": read.debit_cents,
        "batchCount": len(read.batches),
    }


def _ach(settings: FundingAccount) -> AchSettings:
    if settings.ach is None:
        raise InvariantBroken("an account without ach pays by ACH")
    return settings.ach


def _moment(file: BankFile) -> str:
    at = file.created_at.astimezone(UTC)
    return (at - timedelta(microseconds=at.microsecond)).isoformat()
