"""camt.053: the bank's statement of an account.

Versions 2 to 13 are read; version 8 is written (by the sandbox bank). Guarantees of reading:
- Amounts have the decimals of their currency, and an entry is in the currency of its account.
- The transactions of an entry add up to the booked amount: a bank charge on a payment is a
  transaction beside it. If the details do not add up, or are in another currency, they are ignored.
  The entry is then one transaction without references, which is never matched to a payment
  automatically.
- If both balances are present, the booked entries lead from one to the other. If sums of debits and
  credits are present, they are those of the entries. Otherwise the whole file is rejected.

Names, accounts and remittance texts are personal data. No error repeats any of it.
"""

from datetime import date
from xml.etree.ElementTree import Element

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import AmountError, Asset, Money
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022.entries import (
    net_units,
    put_entry,
    put_moved,
    put_number,
    read_entry,
    read_is_credit,
    read_number,
    read_stated_day,
)
from landbridge.providers.iso20022.messages import BankStatement, EntryStatus, StatementEntry
from landbridge.providers.iso20022.xml import (
    Node,
    document_bytes,
    moment,
    new_document,
    put,
    read_count,
    read_document,
    read_moment,
    read_money,
    required,
)
from landbridge.providers.rails.currencies import FIAT

_MESSAGE, _VERSIONS, _BODY = "camt.053", range(2, 14), "BkToCstmrStmt"
# Balance codes: opening balance (or the previous statement's closing one), and closing balance.
_OPENING, _CLOSING = ("OPBD", "PRCD"), ("CLBD",)


def read(raw: bytes) -> list[BankStatement]:
    """Return the statements of a file, in file order. Raises `FileRejected`."""
    body = read_document(raw, _MESSAGE, _VERSIONS, _BODY).body
    header = body.find("GrpHdr")
    nodes = list(body.all("Stmt"))
    if header is None or not nodes:
        raise FileRejected("The file has no statement.")
    # Before version 4, pages were counted for the whole message.
    page = _page(header.find("MsgPgntn"))
    return [
        _read_statement(node, f"Statement {number}", page) for number, node in enumerate(nodes, 1)
    ]


def write(*statements: BankStatement) -> bytes:
    """Write the statements as a bank sends them; each needs both of its balances.

    Raises `InvariantBroken` for a missing balance. References are limited to 35 characters.
    """
    root, body = new_document("camt.053.001.08", _BODY)
    put(body, "GrpHdr/MsgId", statements[0].id)
    put(body[0], "CreDtTm", moment(statements[0].created_at))
    for statement in statements:
        _put_statement(body, statement)
    return document_bytes(root)


def _page(node: Node | None) -> int | None:
    """Return the page number; None if the statement has one page."""
    if node is None:
        return None
    stated = read_count(node.read("PgNb"), "The page's number")
    number = 1 if stated is None else stated
    is_last = node.read("LastPgInd") in {None, "true", "1"}
    return None if number == 1 and is_last else number


def _read_statement(node: Node, name: str, page: int | None) -> BankStatement:
    entries = tuple(
        read_entry(entry, f"{name}, entry {number}")
        for number, entry in enumerate(node.all("Ntry"), 1)
    )
    opening = _balance(node, _OPENING, f"{name}: its opening balance")
    closing = _balance(node, _CLOSING, f"{name}: its closing balance")
    asset = _asset(node, [each for each in (opening, closing) if each], entries, name)
    moneys = [each for each in (opening, closing, *(entry.money for entry in entries)) if each]
    if any(money.asset != asset for money in moneys):
        raise FileRejected(f"{name} is not all in the account's currency.")
    statement = BankStatement(
        id=required(node.read("Id"), f"{name}: its number"),
        account=required(read_number(node.find("Acct")), f"{name}: its account"),
        currency=asset.currency,
        created_at=read_moment(node.read("CreDtTm") or "", f"{name}: its time"),
        number=read_count(
            node.read("ElctrncSeqNb") or node.read("LglSeqNb"), f"{name}: its running number"
        ),
        opening=opening,
        closing=closing,
        closing_on=_closing_day(node),
        entries=entries,
        page=_page(node.find("StmtPgntn")) if page is None else page,
    )
    if statement.page is None:
        _check_balances(statement, name)
        _check_sums(node, statement, asset, name)
    return statement


def _asset(
    node: Node, balances: list[Money], entries: tuple[StatementEntry, ...], name: str
) -> Asset:
    """Return the account's currency; if it is missing, that of the first amount."""
    currency = node.read("Acct", "Ccy")
    if currency is None:
        moneys = [*balances, *(entry.money for entry in entries)]
        if not moneys:
            raise FileRejected(f"{name} does not state its account's currency.")
        return moneys[0].asset
    asset = FIAT.get(currency.lower())
    if asset is None:
        raise FileRejected(f"{name} is in a currency that is not known here.")
    return asset


def _balance(node: Node, codes: tuple[str, ...], name: str) -> Money | None:
    """Return the first balance that has one of the codes, in the order of the codes; or None."""
    for code in codes:
        for balance in node.all("Bal"):
            if balance.read("Tp", "CdOrPrtry", "Cd") == code:
                money = read_money(balance.find("Amt"), name)
                return money if read_is_credit(balance, name) else -money
    return None


def _closing_day(node: Node) -> date | None:
    """Return the booking day of the closing balance; None if it is missing or unreadable."""
    for balance in node.all("Bal"):
        if balance.read("Tp", "CdOrPrtry", "Cd") in _CLOSING:
            try:
                return read_stated_day(balance.find("Dt"), "The day of the closing balance")
            except FileRejected:
                return None  # no line and no balance depends on this day
    return None


# Totals that must add up


def _check_balances(statement: BankStatement, name: str) -> None:
    opening, closing = statement.opening, statement.closing
    booked = [each for each in statement.entries if each.status is EntryStatus.BOOKED]
    if opening is None or closing is None:
        return
    if opening.units + net_units(booked) != closing.units:
        raise FileRejected(f"{name}: the entries do not lead from one balance to the other.")


def _check_sums(node: Node, statement: BankStatement, asset: Asset, name: str) -> None:
    """Check the totals: some banks include all entries in them, some only booked ones."""
    for path, is_credit in (("TtlCdtNtries", True), ("TtlDbtNtries", False)):
        stated = node.read("TxsSummry", path, "Sum")
        if stated is None:
            continue
        moved = [each for each in statement.entries if each.is_credit is is_credit]
        booked = [each for each in moved if each.status is EntryStatus.BOOKED]
        try:
            total = Money.parse(stated, asset)
        except AmountError as error:
            raise FileRejected(f"{name}: a sum of entries {error}.") from error
        if total.units not in {abs(net_units(moved)), abs(net_units(booked))}:
            raise FileRejected(f"{name}: the sums of its entries differ from the stated sums.")


# Writing


def _put_statement(body: Element, statement: BankStatement) -> None:
    node = put(body, "Stmt")
    put(node, "Id", statement.id)
    if statement.page is not None:
        put(node, "StmtPgntn/PgNb", str(statement.page))
        put(node[-1], "LastPgInd", "false")
    if statement.number is not None:
        put(node, "ElctrncSeqNb", str(statement.number))
    put(node, "CreDtTm", moment(statement.created_at))
    account = put_number(node, "Acct", statement.account)
    put(account, "Ccy", statement.currency.upper())
    for code, balance in (("OPBD", statement.opening), ("CLBD", statement.closing)):
        if balance is None:
            raise InvariantBroken("a statement that is written needs both of its balances")
        kind = put(node, "Bal")
        put(kind, "Tp/CdOrPrtry/Cd", code)
        is_credit = balance.units >= 0
        put_moved(kind, balance if is_credit else -balance, is_credit=is_credit)
        on = statement.closing_on or statement.created_at.date()
        put(kind, "Dt/Dt", on.isoformat())
    for entry in statement.entries:
        put_entry(node, entry)
