"""pain.001.001.09: the payments that we order from a bank.

Guarantees:
- The result of `write` was validated against ISO's published schema, with its count and control
  sum.
- `rejection_reason` returns in advance, without personal data, what the format or the rail
  can't carry. `write` accepts nothing else (`InvariantBroken`), so that no bad payment spoils
  the file for others.
- A name is written in full, in the letters of texts.py, or not at all. Unsupported letters of a
  remittance text become question marks. Address parts, which decide nothing, are cut to the
  format's length.
"""

import re
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.formats.addresses import find_alpha3
from landbridge.platform.formats.bank_numbers import (
    BankNumber,
    check_bic,
    check_iban,
    check_sepa_iban,
)
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022.messages import (
    Charges,
    CreditTransfer,
    Debtor,
    Initiation,
    IsoParty,
    Service,
)
from landbridge.providers.iso20022.parties import (
    ADDRESS_LINES_MAX,
    NAME_LENGTH_MAX,
    REMITTANCE_LENGTH_MAX,
    put_account,
    put_agent,
    put_party,
    read_account,
    read_agent,
    read_party,
    read_remittance,
    read_uetr,
)
from landbridge.providers.iso20022.texts import is_writable, transliterate
from landbridge.providers.iso20022.xml import (
    Node,
    decimal,
    document_bytes,
    moment,
    new_document,
    put,
    put_money,
    read_count,
    read_day,
    read_document,
    read_moment,
    read_money,
    required,
)

_MESSAGE, _VERSION, _BODY = "pain.001", 9, "CstmrCdtTrfInitn"
# Digits of an amount. The control sum has at most 18, which ten thousand such payments reach.
_DIGITS_MAX = 14
# Limit of the SEPA schemes: eleven digits including cents. Source: EPC, implementation guidelines.
_SEPA_DIGITS_MAX = 11
_ACCOUNT_LENGTH_MAX = 34
_PURPOSE_LENGTH_MAX = 35
_PURPOSE_CODE = re.compile(r"[A-Z0-9]{4}")
_ABA = re.compile(r"[0-9]{9}")
_of_thread = threading.local()
_SEPA = (Service.SEPA, Service.SEPA_INSTANT)


def rejection_reason(transfer: CreditTransfer, service: Service) -> str | None:
    """Return what the format or the rail can't carry, without personal data; None if it can."""
    units, wrong = transfer.money.units, _party_fault(transfer.creditor)
    if units <= 0:
        return "the amount must be positive"
    if len(str(units)) > (_SEPA_DIGITS_MAX if service in _SEPA else _DIGITS_MAX):
        return "the amount is larger than this rail carries"
    if wrong is None:
        wrong = _text_fault(transfer) or _number_fault(transfer)
    if wrong is None:
        match service:
            case Service.SEPA | Service.SEPA_INSTANT:
                wrong = _sepa_fault(transfer)
            case Service.SWIFT:
                wrong = None if transfer.bic else "the BIC of the payee's bank is missing"
            case Service.WIRE:
                wrong = _wire_fault(transfer)
    return wrong


def write(initiation: Initiation) -> bytes:
    """Return the file. Raises `InvariantBroken` for an invalid payment or mixed currencies."""
    for transfer in initiation.transfers:
        if reason := rejection_reason(transfer, initiation.service):
            raise InvariantBroken(
                f"payment {transfer.end_to_end_id} is not for this file: {reason}"
            )
    if len({transfer.money.asset for transfer in initiation.transfers}) != 1:
        raise InvariantBroken("a file has payments, all of one currency")
    root, body = new_document("pain.001.001.09", _BODY)
    header = put(body, "GrpHdr")
    put(header, "MsgId", initiation.message_id)
    put(header, "CreDtTm", moment(initiation.created_at))
    _put_totals(header, initiation)
    initiator = put(header, "InitgPty")
    put(initiator, "Nm", transliterate(initiation.initiator_name)[:NAME_LENGTH_MAX])
    if initiation.initiator_id is not None:
        put(initiator, "Id/OrgId/Othr/Id", initiation.initiator_id)
    _put_payments(body, initiation)
    raw = document_bytes(root)
    _check(raw)
    return raw


def read(raw: bytes) -> Initiation:
    """Decode a file of ours, with texts in the bank's character set. Raises `FileRejected`."""
    body = read_document(raw, _MESSAGE, range(_VERSION, _VERSION + 1), _BODY).body
    blocks = list(body.all("PmtInf"))
    if len(blocks) != 1:
        raise FileRejected("The file does not have exactly one block of payments.")
    block = blocks[0]
    transfers = tuple(
        _read_transfer(node, f"Payment {number}")
        for number, node in enumerate(block.all("CdtTrfTxInf"), 1)
    )
    if not transfers:
        raise FileRejected("The file has no payment.")
    for node in (body.find("GrpHdr"), block):
        _check_totals(node, transfers)
    iban, account_number = read_account(block.find("DbtrAcct"))
    bic, clearing_member, _ = read_agent(block.find("DbtrAgt"))
    debtor = read_party(block.find("Dbtr"))
    if debtor is None:
        raise FileRejected("The payer's name is missing.")
    return Initiation(
        message_id=required(body.read("GrpHdr", "MsgId"), "The file's number"),
        created_at=read_moment(body.read("GrpHdr", "CreDtTm") or "", "The file's time"),
        initiator_name=body.read("GrpHdr", "InitgPty", "Nm") or "",
        initiator_id=body.read("GrpHdr", "InitgPty", "Id", "OrgId", "Othr", "Id"),
        debtor=Debtor(
            party=debtor,
            iban=iban,
            account_number=account_number,
            bic=bic,
            clearing_member=clearing_member,
        ),
        service=_read_service(block),
        execution_date=read_day(block.read("ReqdExctnDt", "Dt") or "", "The day of payment"),
        transfers=transfers,
    )


# Validation


def _party_fault(party: IsoParty) -> str | None:
    name = transliterate(party.name)
    has_address = bool(party.town or party.postcode or party.address_lines)
    if not is_writable(party.name):
        return "the payee's name has letters that this rail does not carry"
    if not 1 <= len(name) <= NAME_LENGTH_MAX:
        return f"the payee's name must have 1 to {NAME_LENGTH_MAX} letters on this rail"
    if has_address and not (party.town and party.country):
        return "the payee's address lacks its town or its country"
    if len(party.address_lines) > ADDRESS_LINES_MAX:
        return f"the payee's address has more than {ADDRESS_LINES_MAX} lines"
    if party.country is not None and find_alpha3(party.country) is None:
        return "the payee's country is not known"
    return None


def _text_fault(transfer: CreditTransfer) -> str | None:
    if len(transliterate(transfer.remittance or "")) > REMITTANCE_LENGTH_MAX:
        return f"the reference has more than {REMITTANCE_LENGTH_MAX} letters"
    if len(transliterate(transfer.purpose or "")) > _PURPOSE_LENGTH_MAX:
        return f"the purpose has more than {_PURPOSE_LENGTH_MAX} letters"
    return None


def _number_fault(transfer: CreditTransfer) -> str | None:
    iban, number, bic = transfer.iban, transfer.account_number, transfer.bic
    if (iban is None) == (number is None):
        return "the payee's account needs its IBAN or its number, and not both"
    if iban is not None and not _is(check_iban, iban):
        return "the payee's IBAN is not right"
    if number is not None and not (
        1 <= len(number) <= _ACCOUNT_LENGTH_MAX and transliterate(number) == number
    ):
        return f"the payee's account number must have 1 to {_ACCOUNT_LENGTH_MAX} letters or digits"
    if bic is not None and not _is(check_bic, bic):
        return "the BIC of the payee's bank is not right"
    return None


def _sepa_fault(transfer: CreditTransfer) -> str | None:
    if transfer.money.asset.currency != "eur":
        return "SEPA carries euro alone"
    if transfer.iban is None or not _is(check_sepa_iban, transfer.iban):
        return "SEPA needs an IBAN of one of its countries"
    if transfer.charges is not None:
        return "SEPA fixes who bears the charges"
    if transfer.purpose is not None and not _PURPOSE_CODE.fullmatch(transfer.purpose):
        return "SEPA takes purposes of ISO's list of codes alone"
    return None


def _wire_fault(transfer: CreditTransfer) -> str | None:
    if transfer.money.asset.currency != "usd":
        return "a wire carries US dollars alone"
    member = transfer.clearing_member
    if member is None or member.system != "USABA" or not _ABA.fullmatch(member.id):
        return "the routing number of the payee's bank is missing"
    if transfer.account_number is None:
        return "a wire needs the payee's account number"
    return None


def _is(number: BankNumber, text: str) -> bool:
    return number.read(text) == text and number.why_not(text) is None


# Writing


def _put_totals(parent: Element, initiation: Initiation) -> None:
    transfers = initiation.transfers
    total = Money(sum(each.money.units for each in transfers), transfers[0].money.asset)
    put(parent, "NbOfTxs", str(len(transfers)))
    put(parent, "CtrlSum", decimal(total))


def _put_payments(body: Element, initiation: Initiation) -> None:
    debtor, service = initiation.debtor, initiation.service
    block = put(body, "PmtInf")
    put(block, "PmtInfId", initiation.message_id)
    put(block, "PmtMtd", "TRF")
    # The statement must have one entry per payment, because that shows its settlement.
    put(block, "BtchBookg", "false")
    _put_totals(block, initiation)
    _put_service(put(block, "PmtTpInf"), service)
    put(block, "ReqdExctnDt/Dt", initiation.execution_date.isoformat())
    put_party(block, "Dbtr", debtor.party)
    account = put_account(block, "DbtrAcct", iban=debtor.iban, account_number=debtor.account_number)
    put(account, "Ccy", initiation.transfers[0].money.asset.currency.upper())
    put_agent(block, "DbtrAgt", bic=debtor.bic, clearing_member=debtor.clearing_member)
    if service in _SEPA:
        put(block, "ChrgBr", "SLEV")
    for transfer in initiation.transfers:
        _put_transfer(block, transfer, service)


def _put_service(kind: Element, service: Service) -> None:
    match service:
        case Service.SEPA:
            put(kind, "SvcLvl/Cd", "SEPA")
        case Service.SEPA_INSTANT:
            put(kind, "SvcLvl/Cd", "SEPA")
            put(kind, "LclInstrm/Cd", "INST")
        case Service.SWIFT:
            put(kind, "InstrPrty", "NORM")
            put(kind, "SvcLvl/Cd", "URGP")
        case Service.WIRE:
            # Between banks of one country, an urgent payment is a wire, and any other is ACH.
            put(kind, "InstrPrty", "HIGH")
            put(kind, "SvcLvl/Cd", "URGP")


def _put_transfer(block: Element, transfer: CreditTransfer, service: Service) -> None:
    node = put(block, "CdtTrfTxInf")
    number = put(node, "PmtId")
    put(number, "InstrId", transfer.end_to_end_id)
    put(number, "EndToEndId", transfer.end_to_end_id)
    if transfer.uetr is not None:
        put(number, "UETR", str(transfer.uetr))
    put_money(node, "Amt/InstdAmt", transfer.money)
    if transfer.charges is not None:
        put(node, "ChrgBr", transfer.charges)
    if service not in _SEPA:
        put_agent(
            node,
            "CdtrAgt",
            bic=transfer.bic,
            clearing_member=transfer.clearing_member,
            bank_name=transfer.bank_name,
        )
    elif transfer.bic is not None:
        # In SEPA the IBAN identifies the bank; there is no field for its name.
        put_agent(node, "CdtrAgt", bic=transfer.bic, clearing_member=None)
    put_party(node, "Cdtr", transfer.creditor)
    put_account(node, "CdtrAcct", iban=transfer.iban, account_number=transfer.account_number)
    if purpose := transliterate(transfer.purpose or ""):
        is_code = _PURPOSE_CODE.fullmatch(purpose)
        put(node, "Purp/Cd" if is_code else "Purp/Prtry", purpose)
    if remittance := transliterate(transfer.remittance or ""):
        put(node, "RmtInf/Ustrd", remittance)


def _check(raw: bytes) -> None:
    """Raise `InvariantBroken` unless the file matches ISO's schema, which sepaxml ships."""
    # Imported on first use: only file writing needs it. The package has no types.
    etree: Any = import_module("lxml.etree")
    # Parsing the schema takes two milliseconds; the result is not thread-safe, so each thread has
    # one.
    schema = getattr(_of_thread, "schema", None)
    if schema is None:
        schema = _of_thread.schema = etree.XMLSchema(etree.parse(str(_schema_path())))
    if not schema.validate(etree.fromstring(raw)):
        # The error's type names the broken rule; its message would repeat personal data.
        error = schema.error_log[0]
        raise InvariantBroken(
            f"a pain.001 breaks the schema at line {error.line}: {error.type_name}"
        )


def _schema_path() -> Path:
    spec = find_spec("sepaxml")
    if spec is None or not spec.submodule_search_locations:
        raise InvariantBroken("sepaxml is not installed, which carries the schema of pain.001")
    return Path(spec.submodule_search_locations[0]) / "schemas" / "pain.001.001.09.xsd"


# Reading


def _read_transfer(node: Node, name: str) -> CreditTransfer:
    iban, account_number = read_account(node.find("CdtrAcct"))
    bic, clearing_member, bank_name = read_agent(node.find("CdtrAgt"))
    creditor = read_party(node.find("Cdtr"))
    if creditor is None:
        raise FileRejected(f"{name}: the payee's name is missing.")
    charges = node.read("ChrgBr")
    if charges is not None and charges not in set(Charges):
        raise FileRejected(f"{name}: who bears the charges is not known.")
    return CreditTransfer(
        end_to_end_id=required(node.read("PmtId", "EndToEndId"), f"{name}: its number"),
        money=read_money(node.find("Amt", "InstdAmt"), f"{name}: its amount"),
        creditor=creditor,
        iban=iban,
        account_number=account_number,
        bic=bic,
        clearing_member=clearing_member,
        bank_name=bank_name,
        remittance=read_remittance(node),
        purpose=node.read("Purp", "Cd") or node.read("Purp", "Prtry"),
        uetr=read_uetr(node.read("PmtId", "UETR")),
        charges=None if charges is None else Charges(charges),
    )


def _read_service(block: Node) -> Service:
    level = block.read("PmtTpInf", "SvcLvl", "Cd")
    if level == "SEPA":
        is_instant = block.read("PmtTpInf", "LclInstrm", "Cd") == "INST"
        return Service.SEPA_INSTANT if is_instant else Service.SEPA
    if level == "URGP":
        is_wire = block.read("PmtTpInf", "InstrPrty") == "HIGH"
        return Service.WIRE if is_wire else Service.SWIFT
    raise FileRejected("The rail of the payments is not known.")


def _check_totals(node: Node | None, transfers: tuple[CreditTransfer, ...]) -> None:
    """Raise `FileRejected` unless the stated count and sum are those of the payments."""
    count = None if node is None else read_count(node.read("NbOfTxs"), "The count of payments")
    if node is None or count != len(transfers):
        raise FileRejected("The count of payments differs from the stated count.")
    asset = transfers[0].money.asset
    if any(each.money.asset != asset for each in transfers):
        raise FileRejected("The payments are in more than one currency.")
    try:
        total = Money.parse(node.read("CtrlSum") or "", asset)
    except AmountError as error:
        raise FileRejected(f"The control sum {error}.") from error
    if total.units != sum(each.money.units for each in transfers):
        raise FileRejected("The control sum is not the sum of the payments.")
