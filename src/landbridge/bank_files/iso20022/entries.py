"""The lines of a statement, and the payments in them; camt053.py says what holds of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from xml.etree.ElementTree import Element

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.iso20022.messages import Entry, EntryStatus, OtherParty, Transaction
from landbridge.bank_files.iso20022.parties import (
    NOT_PROVIDED,
    put_account,
    put_agent,
    read_account,
    read_agent,
    read_remittance,
    read_uetr,
)
from landbridge.bank_files.iso20022.reasons import NO_REASON, reason_code
from landbridge.bank_files.iso20022.texts import written
from landbridge.bank_files.iso20022.xml import (
    Node,
    put,
    put_money,
    read_count,
    read_day,
    read_moment,
    read_money,
    required,
)
from landbridge.core.money import Money
from landbridge.formats.banks import check_iban

# What banks and payers write where there is no reference, without blanks, signs and noughts.
NO_REFERENCE = frozenset(
    {"", "NA", "NONE", "NONREF", "NOREF", "NOTAVAIL", "NOTAVAILABLE", "NOTPROVIDED", "UNKNOWN"}
)
# ISO's sub-families of what came back, and the whole code of what the bank took for a payment.
_RETURNS = frozenset({"RRTN", "RPCR"})
_CHARGES = "PMNT/ICDT/CHRG"


def read_entry(node: Node, name: str) -> Entry:
    """The entry; `name` is its place in the file. Raises `FileRefused`."""
    money = read_money(node.find("Amt"), f"{name}: its amount")
    entry = Entry(
        is_credit=read_is_credit(node, name),
        status=_status(node, name),
        money=money,
        transactions=(),
        # NtryRef is often only the entry's place in the statement.
        reference=_reference(node, "AcctSvcrRef"),
        is_reversal=node.read("RvslInd") in {"true", "1"},
        booked_on=_day(node.find("BookgDt"), f"{name}: the day it was booked"),
        value_on=_day(node.find("ValDt"), f"{name}: the day it counts from"),
    )
    code = _code(node.find("BkTxCd"))
    nodes = list(node.all("NtryDtls", "TxDtls"))
    told = [_read_transaction(details, entry, code, name) for details in nodes]
    if not _is_whole(node, entry, told):
        info = None if told else node.read("AddtlNtryInf")
        told = [Transaction(money=money, is_credit=entry.is_credit, remittance=info, code=code)]
    elif len(told) == 1:
        told = _with_charges(told[0], node, nodes[0], money, name)
    return replace(entry, transactions=_with_own_references(entry, told))


def _status(node: Node, name: str) -> EntryStatus:
    """As a text in old versions, inside of it in new ones; what is the bank's own informs only."""
    told = node.read("Sts", "Cd") or node.read("Sts")
    if told is None and node.find("Sts") is None:
        raise FileRefused(f"{name} does not say whether it is booked.")
    match told:
        case "BOOK":
            return EntryStatus.BOOKED
        case "PDNG" | "FUTR":
            return EntryStatus.PENDING
        case _:
            return EntryStatus.INFORMATION


def _is_whole(node: Node, entry: Entry, told: list[Transaction]) -> bool:
    """Whether these are all payments of the entry, and they add up to it."""
    counts = [
        read_count(batch.read("NbOfTxs"), "The count of a batch")
        for batch in node.all("NtryDtls", "Btch")
    ]
    if any(count not in {None, len(told)} for count in counts) and len(counts) == 1:
        return False
    if len(told) == 1:
        return told[0].is_credit is entry.is_credit
    return bool(told) and signed(told) == signed([entry])


def _with_charges(
    told: Transaction, node: Node, details: Node, booked: Money, name: str
) -> list[Transaction]:
    """The payment of an entry that has one, and what the bank charged for it.

    What was booked is what came or went. Of a debit with charges the payment is what the details
    tell; the rest went to the bank. What came is never more than was booked.
    """
    has_charges = any(each.find("Chrgs") for each in (node, details))
    paid = _instructed(details, booked, name)
    if told.is_credit or not has_charges or paid is None or not 0 < paid.units < booked.units:
        return [replace(told, money=booked)]
    charges = Transaction(money=booked - paid, is_credit=False, code=_CHARGES)
    return [replace(told, money=paid), charges]


def _instructed(details: Node, booked: Money, name: str) -> Money | None:
    """What the payment was before charges, if it is told in the account's currency."""
    for path in ("TxAmt", "InstdAmt"):
        amount = details.find("AmtDtls", path, "Amt")
        if amount is not None and _is_in(amount, booked):
            return read_money(amount, f"{name}: the amount of a payment")
    amount = details.find("Amt")
    return None if amount is None or not _is_in(amount, booked) else read_money(amount, name)


def _read_transaction(node: Node, entry: Entry, code: str | None, name: str) -> Transaction:
    kind = _code(node.find("BkTxCd")) or code
    return_code = _return_code(node.find("RtrInf"), kind)
    is_credit = read_is_credit(node, name) if node.find("CdtDbtInd") else entry.is_credit
    # Of what came back the parties are told as they were when it went.
    has_our_debtor = is_credit == (return_code is not None)
    ours, other = ("Dbtr", "Cdtr") if has_our_debtor else ("Cdtr", "Dbtr")
    bic, member, _ = read_agent(node.find("RltdAgts", f"{other}Agt"))
    return Transaction(
        money=_transaction_money(node, entry, name),
        is_credit=is_credit,
        bank_reference=_reference(node, "Refs", "AcctSvcrRef"),
        end_to_end_id=_reference(node, "Refs", "EndToEndId"),
        instruction_id=_reference(node, "Refs", "InstrId"),
        message_id=_reference(node, "Refs", "MsgId"),
        uetr=read_uetr(node.read("Refs", "UETR")),
        other_party=OtherParty(
            name=node.read("RltdPties", other, "Pty", "Nm") or node.read("RltdPties", other, "Nm"),
            account=read_number(node.find("RltdPties", f"{other}Acct")),
            bic=bic,
            clearing_member=member,
        ),
        our_account=read_number(node.find("RltdPties", f"{ours}Acct")),
        remittance=read_remittance(node) or node.read("AddtlTxInf"),
        return_code=return_code,
        code=kind,
    )


def _transaction_money(node: Node, entry: Entry, name: str) -> Money:
    """In its own place in new versions, among the details of the amount in old ones."""
    amount = node.find("Amt") or node.find("AmtDtls", "TxAmt", "Amt")
    if amount is None:
        return entry.money
    # In another currency it can't be compared; then only the entry's own amount counts.
    if not _is_in(amount, entry.money):
        return entry.money
    return read_money(amount, f"{name}: the amount of a payment")


def _is_in(amount: Node, money: Money) -> bool:
    """Whether an amount is in the currency of this money."""
    return amount.attributes.get("Ccy", "").lower() == money.asset.currency


def _reference(node: Node, *path: str) -> str | None:
    """A reference, unless it is a word for none."""
    told = node.read(*path)
    word = re.sub(r"[\W_]", "", told or "").upper().strip("0")
    return None if word in NO_REFERENCE else told


def _return_code(returned: Node | None, kind: str | None) -> str | None:
    """Why it came back, if the bank tells so: in its own place, or by the kind of entry."""
    if returned is not None:
        reason = returned.read("Rsn", "Cd") or returned.read("Rsn", "Prtry")
        return reason_code(reason) or NO_REASON
    return None if _RETURNS.isdisjoint((kind or "").split("/")) else NO_REASON


def _code(node: Node | None) -> str | None:
    """ISO's code in three parts, or the bank's own."""
    if node is None:
        return None
    family = node.find("Domn", "Fmly")
    parts = [
        node.read("Domn", "Cd"),
        None if family is None else family.read("Cd"),
        None if family is None else family.read("SubFmlyCd"),
    ]
    told = [part for part in parts if part]
    return "/".join(told) if told else node.read("Prtry", "Cd")


def _day(node: Node | None, name: str) -> date | None:
    if node is None:
        return None
    if day := node.read("Dt"):
        return read_day(day, name)
    # A moment counts on the day that the bank wrote, in the bank's own zone.
    told = required(node.read("DtTm"), name)
    read_moment(told, name)
    return read_day(told[: len("2026-11-21")], name)


def _with_own_references(entry: Entry, told: list[Transaction]) -> tuple[Transaction, ...]:
    """Give those a reference that have none of their own: the entry's, and their place in it."""
    references = [each.bank_reference for each in told]
    if len(told) == 1:
        return (replace(told[0], bank_reference=references[0] or entry.reference),)
    return tuple(
        each
        if each.bank_reference and references.count(each.bank_reference) == 1
        else replace(each, bank_reference=_placed(each.bank_reference or entry.reference, place))
        for place, each in enumerate(told, 1)
    )


def _placed(reference: str | None, place: int) -> str | None:
    return None if reference is None else f"{reference}/{place}"


def read_is_credit(node: Node, name: str) -> bool:
    """Which way it went; raises `FileRefused`."""
    match node.read("CdtDbtInd"):
        case "CRDT":
            return True
        case "DBIT":
            return False
        case _:
            raise FileRefused(f"{name} is neither a credit nor a debit.")


def read_number(node: Node | None) -> str | None:
    """An account by its IBAN, or else by its other number."""
    iban, other = read_account(node)
    return iban or other


def signed(moved: Sequence[Entry | Transaction]) -> int:
    """What moved in sum, in units: credits less debits."""
    return sum(each.money.units if each.is_credit else -each.money.units for each in moved)


def put_entry(node: Element, entry: Entry) -> None:
    """Append an entry with its payments."""
    line = put(node, "Ntry")
    put_moved(line, entry.money, is_credit=entry.is_credit)
    if entry.is_reversal:
        put(line, "RvslInd", "true")
    put(line, "Sts/Cd", entry.status)
    for path, day in (("BookgDt/Dt", entry.booked_on), ("ValDt/Dt", entry.value_on)):
        if day is not None:
            put(line, path, day.isoformat())
    _put_text(line, "AcctSvcrRef", entry.reference)
    _put_code(line, entry.transactions[0].code)
    details = put(line, "NtryDtls")
    for transaction in entry.transactions:
        _put_transaction(details, transaction)


def _put_transaction(details: Element, told: Transaction) -> None:
    node, other = put(details, "TxDtls"), told.other_party
    references = put(node, "Refs")
    _put_text(references, "MsgId", told.message_id)
    _put_text(references, "AcctSvcrRef", told.bank_reference)
    _put_text(references, "InstrId", told.instruction_id)
    put(references, "EndToEndId", told.end_to_end_id or NOT_PROVIDED)
    _put_text(references, "UETR", None if told.uetr is None else str(told.uetr))
    put_moved(node, told.money, is_credit=told.is_credit)
    _put_code(node, told.code)
    has_our_debtor = told.is_credit == (told.return_code is not None)
    parties = put(node, "RltdPties")
    # Both sides by the schema's order: who pays, then who is paid.
    for role, is_ours in (("Dbtr", has_our_debtor), ("Cdtr", not has_our_debtor)):
        name, account = (None, told.our_account) if is_ours else (other.name, other.account)
        _put_text(parties, f"{role}/Pty/Nm", None if name is None else written(name))
        if account is not None:
            put_number(parties, f"{role}Acct", account)
    if other.bic is not None or other.clearing_member is not None:
        agent = "CdtrAgt" if has_our_debtor else "DbtrAgt"
        path = f"RltdAgts/{agent}"
        put_agent(node, path, bic=other.bic, clearing_member=other.clearing_member)
    _put_text(node, "RmtInf/Ustrd", told.remittance)
    _put_text(node, "RtrInf/Rsn/Cd", told.return_code)


def put_moved(parent: Element, money: Money, *, is_credit: bool) -> None:
    """Append an amount, which is never negative, and which way it went."""
    put_money(parent, "Amt", money)
    put(parent, "CdtDbtInd", "CRDT" if is_credit else "DBIT")


def _put_text(parent: Element, path: str, text: str | None) -> None:
    if text is not None:
        put(parent, path, text)


def put_number(parent: Element, path: str, number: str) -> Element:
    """Append an account by its number, as an IBAN if it is one."""
    is_iban = check_iban.read(number) == number and check_iban.why_not(number) is None
    return put_account(
        parent,
        path,
        iban=number if is_iban else None,
        account_number=None if is_iban else number,
    )


def _put_code(parent: Element, code: str | None) -> None:
    """ISO's code has three parts; whatever else is the bank's own."""
    parts = (code or NOT_PROVIDED).split("/")
    if len(parts) == len(("domain", "family", "subfamily")):
        domain = put(parent, "BkTxCd/Domn")
        put(domain, "Cd", parts[0])
        put(domain, "Fmly/Cd", parts[1])
        put(domain[-1], "SubFmlyCd", parts[2])
    else:
        put(parent, "BkTxCd/Prtry/Cd", code or NOT_PROVIDED)
