"""Entries of a statement and their transactions; camt053.py lists the guarantees."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from xml.etree.ElementTree import Element

from landbridge.platform.core.money import Money
from landbridge.platform.formats.bank_numbers import check_iban
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022.messages import (
    EntryStatus,
    OtherParty,
    StatementEntry,
    Transaction,
)
from landbridge.providers.iso20022.parties import (
    NOT_PROVIDED,
    put_account,
    put_agent,
    read_account,
    read_agent,
    read_remittance,
    read_uetr,
)
from landbridge.providers.iso20022.reasons import NO_REASON, reason_code
from landbridge.providers.iso20022.texts import transliterate
from landbridge.providers.iso20022.xml import (
    Node,
    put,
    put_money,
    read_count,
    read_day,
    read_moment,
    read_money,
    required,
)

# Placeholders that banks and payers write for a missing reference; compared without blanks, signs
# and zeros.
NO_REFERENCE = frozenset(
    {"", "NA", "NONE", "NONREF", "NOREF", "NOTAVAIL", "NOTAVAILABLE", "NOTPROVIDED", "UNKNOWN"}
)
# ISO sub-families of returned payments, and the full code of a charge on a payment.
_RETURNS = frozenset({"RRTN", "RPCR"})
_CHARGES = "PMNT/ICDT/CHRG"


def read_entry(node: Node, name: str) -> StatementEntry:
    """Return the entry; `name` is its reference within the file. Raises `FileRejected`."""
    money = read_money(node.find("Amt"), f"{name}: its amount")
    entry = StatementEntry(
        is_credit=read_is_credit(node, name),
        status=_status(node, name),
        money=money,
        transactions=(),
        # NtryRef is often only the entry's position in the statement.
        reference=_reference(node, "AcctSvcrRef"),
        is_reversal=node.read("RvslInd") in {"true", "1"},
        booked_on=read_stated_day(node.find("BookgDt"), f"{name}: the day it was booked"),
        value_on=read_stated_day(node.find("ValDt"), f"{name}: the day it counts from"),
    )
    code = _code(node.find("BkTxCd"))
    nodes = list(node.all("NtryDtls", "TxDtls"))
    transactions = [_read_transaction(details, entry, code, name) for details in nodes]
    if not _is_whole(node, entry, transactions):
        info = None if transactions else node.read("AddtlNtryInf")
        transactions = [
            Transaction(money=money, is_credit=entry.is_credit, remittance=info, code=code)
        ]
    elif len(transactions) == 1:
        transactions = _with_charges(transactions[0], node, nodes[0], money, name)
    return replace(entry, transactions=_with_own_references(entry, transactions))


def _status(node: Node, name: str) -> EntryStatus:
    """Return the status: plain text in old versions, nested in new ones.

    Proprietary codes count as information only.
    """
    code = node.read("Sts", "Cd") or node.read("Sts")
    if code is None and node.find("Sts") is None:
        raise FileRejected(f"{name} does not state whether it is booked.")
    match code:
        case "BOOK":
            return EntryStatus.BOOKED
        case "PDNG" | "FUTR":
            return EntryStatus.PENDING
        case _:
            return EntryStatus.INFORMATION


def _is_whole(node: Node, entry: StatementEntry, transactions: list[Transaction]) -> bool:
    """Return whether these are all payments of the entry, and add up to it."""
    counts = [
        read_count(batch.read("NbOfTxs"), "The count of a batch")
        for batch in node.all("NtryDtls", "Btch")
    ]
    if any(count not in {None, len(transactions)} for count in counts) and len(counts) == 1:
        return False
    if len(transactions) == 1:
        (only,) = transactions
        # An entry that credits more than the payer sent also has payments of others.
        is_part = only.is_credit and not only.return_code and only.money.units < entry.money.units
        return only.is_credit is entry.is_credit and not is_part
    return bool(transactions) and net_units(transactions) == net_units([entry])


def _with_charges(
    transaction: Transaction, node: Node, details: Node, booked: Money, name: str
) -> list[Transaction]:
    """Return the payment of a single-payment entry, and the bank's charge on it.

    The booked amount is what moved. For a debit with charges, the payment is the amount in the
    details and the rest is the charge. A credited payment is never more than the booked amount.
    """
    has_charges = any(each.find("Chrgs") for each in (node, details))
    paid = _instructed(details, booked, name)
    if (
        transaction.is_credit
        or not has_charges
        or paid is None
        or not 0 < paid.units < booked.units
    ):
        return [replace(transaction, money=booked)]
    charges = Transaction(money=booked - paid, is_credit=False, code=_CHARGES)
    return [replace(transaction, money=paid), charges]


def _instructed(details: Node, booked: Money, name: str) -> Money | None:
    """Return the payment's amount before charges; None unless given in the account's currency."""
    for path in ("TxAmt", "InstdAmt"):
        amount = details.find("AmtDtls", path, "Amt")
        if amount is not None and _is_in(amount, booked):
            return read_money(amount, f"{name}: the amount of a payment")
    amount = details.find("Amt")
    return None if amount is None or not _is_in(amount, booked) else read_money(amount, name)


def _read_transaction(
    node: Node, entry: StatementEntry, code: str | None, name: str
) -> Transaction:
    kind = _code(node.find("BkTxCd")) or code
    return_code = _return_code(node.find("RtrInf"), kind)
    is_credit = read_is_credit(node, name) if node.find("CdtDbtInd") else entry.is_credit
    # The parties of a returned payment are those of the original payment.
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


def _transaction_money(node: Node, entry: StatementEntry, name: str) -> Money:
    """Return the amount: an element of its own in new versions, amount details in old ones."""
    amount = node.find("Amt") or node.find("AmtDtls", "TxAmt", "Amt")
    if amount is None:
        return entry.money
    # An amount in another currency can't be compared, so only the entry's own amount counts.
    if not _is_in(amount, entry.money):
        return entry.money
    return read_money(amount, f"{name}: the amount of a payment")


def _is_in(amount: Node, money: Money) -> bool:
    """Return whether an amount has the currency of this money."""
    return amount.attributes.get("Ccy", "").lower() == money.asset.currency


def _reference(node: Node, *path: str) -> str | None:
    """Return a reference; None if it is missing or a placeholder such as NOTPROVIDED."""
    reference = node.read(*path)
    normalized = re.sub(r"[\W_]", "", reference or "").upper().strip("0")
    return None if normalized in NO_REFERENCE else reference


def _return_code(returned: Node | None, kind: str | None) -> str | None:
    """Return the return reason, from its own element or from the kind of entry; or None."""
    if returned is not None:
        reason = returned.read("Rsn", "Cd") or returned.read("Rsn", "Prtry")
        return reason_code(reason) or NO_REASON
    return None if _RETURNS.isdisjoint((kind or "").split("/")) else NO_REASON


def _code(node: Node | None) -> str | None:
    """Return ISO's three-part code of the kind, or the bank's own code; None without either."""
    if node is None:
        return None
    family = node.find("Domn", "Fmly")
    parts = [
        node.read("Domn", "Cd"),
        None if family is None else family.read("Cd"),
        None if family is None else family.read("SubFmlyCd"),
    ]
    codes = [part for part in parts if part]
    return "/".join(codes) if codes else node.read("Prtry", "Cd")


def read_stated_day(node: Node | None, name: str) -> date | None:
    """Return the day of a date or a timestamp; None without one."""
    if node is None:
        return None
    if day := node.read("Dt"):
        return read_day(day, name)
    # A timestamp counts on the day that the bank wrote, in the bank's own time zone.
    text = required(node.read("DtTm"), name)
    read_moment(text, name)
    return read_day(text[: len("2026-11-21")], name)


def _with_own_references(
    entry: StatementEntry, transactions: list[Transaction]
) -> tuple[Transaction, ...]:
    """Give each transaction without a reference one from the entry's reference and its position."""
    if len(transactions) == 1:
        own = transactions[0].bank_reference
        return (replace(transactions[0], bank_reference=own or entry.reference),)
    # The counts are made once, because an entry may have a hundred thousand transactions.
    counts = Counter(each.bank_reference for each in transactions)
    return tuple(
        each
        if each.bank_reference and counts[each.bank_reference] == 1
        else replace(
            each, bank_reference=_with_position(each.bank_reference or entry.reference, position)
        )
        for position, each in enumerate(transactions, 1)
    )


def _with_position(reference: str | None, position: int) -> str | None:
    return None if reference is None else f"{reference}/{position}"


def read_is_credit(node: Node, name: str) -> bool:
    """Return whether it is a credit; raises `FileRejected`."""
    match node.read("CdtDbtInd"):
        case "CRDT":
            return True
        case "DBIT":
            return False
        case _:
            raise FileRejected(f"{name} is neither a credit nor a debit.")


def read_number(node: Node | None) -> str | None:
    """Return an account's IBAN, or otherwise its other number; None without any."""
    iban, other = read_account(node)
    return iban or other


def net_units(moved: Sequence[StatementEntry | Transaction]) -> int:
    """Return the net movement in units: credits less debits."""
    return sum(each.money.units if each.is_credit else -each.money.units for each in moved)


def put_entry(node: Element, entry: StatementEntry) -> None:
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


def _put_transaction(details: Element, transaction: Transaction) -> None:
    node, other = put(details, "TxDtls"), transaction.other_party
    references = put(node, "Refs")
    _put_text(references, "MsgId", transaction.message_id)
    _put_text(references, "AcctSvcrRef", transaction.bank_reference)
    _put_text(references, "InstrId", transaction.instruction_id)
    put(references, "EndToEndId", transaction.end_to_end_id or NOT_PROVIDED)
    _put_text(references, "UETR", None if transaction.uetr is None else str(transaction.uetr))
    put_moved(node, transaction.money, is_credit=transaction.is_credit)
    _put_code(node, transaction.code)
    has_our_debtor = transaction.is_credit == (transaction.return_code is not None)
    parties = put(node, "RltdPties")
    # Both parties, in the schema's order: debtor, then creditor.
    for role, is_ours in (("Dbtr", has_our_debtor), ("Cdtr", not has_our_debtor)):
        name, account = (None, transaction.our_account) if is_ours else (other.name, other.account)
        _put_text(parties, f"{role}/Pty/Nm", None if name is None else transliterate(name))
        if account is not None:
            put_number(parties, f"{role}Acct", account)
    if other.bic is not None or other.clearing_member is not None:
        agent = "CdtrAgt" if has_our_debtor else "DbtrAgt"
        path = f"RltdAgts/{agent}"
        put_agent(node, path, bic=other.bic, clearing_member=other.clearing_member)
    _put_text(node, "RmtInf/Ustrd", transaction.remittance)
    _put_text(node, "RtrInf/Rsn/Cd", transaction.return_code)


def put_moved(parent: Element, money: Money, *, is_credit: bool) -> None:
    """Append the absolute amount, and its direction."""
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
    """Append ISO's three-part code; any other code is the bank's own."""
    parts = (code or NOT_PROVIDED).split("/")
    if len(parts) == len(("domain", "family", "subfamily")):
        domain = put(parent, "BkTxCd/Domn")
        put(domain, "Cd", parts[0])
        put(domain, "Fmly/Cd", parts[1])
        put(domain[-1], "SubFmlyCd", parts[2])
    else:
        put(parent, "BkTxCd/Prtry/Cd", code or NOT_PROVIDED)
