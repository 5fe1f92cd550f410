"""Elements that the messages share: parties, accounts, banks, references."""

import re
from uuid import UUID
from xml.etree.ElementTree import Element

from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022.messages import ClearingMember, IsoParty
from landbridge.providers.iso20022.texts import transliterate
from landbridge.providers.iso20022.xml import Node, put

NAME_LENGTH_MAX = 70
REMITTANCE_LENGTH_MAX = 140
ADDRESS_LINES_MAX = 2
_TOWN_LENGTH_MAX = 35
_POSTCODE_LENGTH_MAX = 16
_ADDRESS_LINE_LENGTH_MAX = 70
# Placeholder in a required element without a value.
NOT_PROVIDED = "NOTPROVIDED"
_UETR = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def put_party(parent: Element, path: str, party: IsoParty) -> None:
    """Append a party with its name, and its address as far as it is known."""
    node = put(parent, path)
    put(node, "Nm", transliterate(party.name)[:NAME_LENGTH_MAX])
    parts = [
        ("PstCd", party.postcode, _POSTCODE_LENGTH_MAX),
        ("TwnNm", party.town, _TOWN_LENGTH_MAX),
        ("Ctry", party.country, 2),
        *(("AdrLine", line, _ADDRESS_LINE_LENGTH_MAX) for line in party.address_lines),
    ]
    present = [(name, transliterate(text)[:length].strip()) for name, text, length in parts if text]
    if any(text for _, text in present):
        address = put(node, "PstlAdr")
        for name, text in present:
            if text:
                put(address, name, text)


def read_party(node: Node | None) -> IsoParty | None:
    """Read a party as `put_party` writes it; None without a name."""
    name = None if node is None else node.read("Nm")
    if node is None or name is None:
        return None
    return IsoParty(
        name=name,
        country=node.read("PstlAdr", "Ctry"),
        town=node.read("PstlAdr", "TwnNm"),
        postcode=node.read("PstlAdr", "PstCd"),
        address_lines=tuple(line.text for line in node.all("PstlAdr", "AdrLine")),
    )


def put_account(
    parent: Element, path: str, *, iban: str | None, account_number: str | None
) -> Element:
    """Append an account by its IBAN, or else by its number."""
    account = put(parent, path)
    if iban is None:
        put(account, "Id/Othr/Id", account_number)
    else:
        put(account, "Id/IBAN", iban)
    return account


def read_account(node: Node | None) -> tuple[str | None, str | None]:
    """Return an account's IBAN and its other number; None for a missing one."""
    if node is None:
        return None, None
    return node.read("Id", "IBAN"), node.read("Id", "Othr", "Id")


def put_agent(
    parent: Element,
    path: str,
    *,
    bic: str | None,
    clearing_member: ClearingMember | None,
    bank_name: str | None = None,
) -> None:
    """Append a bank by its BIC and its clearing number, as far as they are known."""
    bank = put(parent, f"{path}/FinInstnId")
    if bic is not None:
        put(bank, "BICFI", bic)
    if clearing_member is not None:
        member = put(bank, "ClrSysMmbId")
        put(member, "ClrSysId/Cd", clearing_member.system)
        put(member, "MmbId", clearing_member.id)
    if bank_name is not None and (name := transliterate(bank_name)[:REMITTANCE_LENGTH_MAX].strip()):
        put(bank, "Nm", name)
    if not len(bank):
        put(bank, "Othr/Id", NOT_PROVIDED)


def read_agent(node: Node | None) -> tuple[str | None, ClearingMember | None, str | None]:
    """Return a bank's BIC (from its element in any version), clearing number, and name."""
    bank = None if node is None else node.find("FinInstnId")
    if bank is None:
        return None, None, None
    system = bank.read("ClrSysMmbId", "ClrSysId", "Cd")
    member = bank.read("ClrSysMmbId", "MmbId")
    clearing = ClearingMember(system, member) if system and member else None
    return bank.read("BICFI") or bank.read("BIC"), clearing, bank.read("Nm")


def read_uetr(text: str | None) -> UUID | None:
    """Return a payment's UETR at SWIFT; raises `FileRejected` if it is malformed."""
    if text is None:
        return None
    if not _UETR.fullmatch(text):
        raise FileRejected("A UETR is no UUID.")
    return UUID(text)


def read_remittance(node: Node) -> str | None:
    """Return all remittance text: the lines in order, then structured references; None without."""
    lines = [line.text for line in node.all("RmtInf", "Ustrd")]
    references = [line.text for line in node.all("RmtInf", "Strd", "CdtrRefInf", "Ref")]
    return " ".join(each for each in (*lines, *references) if each) or None
