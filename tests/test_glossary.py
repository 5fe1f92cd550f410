"""The glossary lists every package and table, and replaced words stay out of the code's names."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.sources import PACKAGE, ROOT, Source, report, sources

GLOSSARY = ROOT / "docs/glossary.md"
MIGRATIONS = PACKAGE / "platform/db/migrations"

# The table that records applied migrations; platform/db/migrate.py creates it.
MIGRATIONS_TABLE = "migrations"

# A row of the glossary: term, definition, where, not.
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]*)\|$", re.MULTILINE)
_TABLE = re.compile(r"create (?:unlogged )?table (?:if not exists )?(\w+)", re.IGNORECASE)
_COLUMN = re.compile(r"^    (\w+) ", re.MULTILINE)
_WORD = re.compile(r"[a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Replaced words, and their terms. No module, class, function, test or table has them.
WORDS: Final = {
    "bell": "event wait",
    "bells": "event wait",
    "courier": "endpoint worker",
    "couriers": "endpoint workers",
    "desk": "command context",
    "door": "authentication",
    "dossier": "KYC profile",
    "dossiers": "KYC profiles",
    "ear": "bounded connection",
    "ears": "bounded connections",
    "errand": "outgoing order",
    "errands": "outgoing orders",
    "foundation": "base services",
    "gram": "search trigram",
    "grams": "search trigrams",
    "hearer": "forward target",
    "insist": "retry until settled",
    "insistence": "retry until settled",
    "insisting": "retry until settled",
    "lane": "clock node",
    "lanes": "clock nodes",
    "looker": "reviewer access",
    "lookers": "reviewer access",
    "manner": "request options",
    "pace": "latency",
    "paces": "latencies",
    "parcel": "queued event",
    "parcels": "queued events",
    "portrait": "payload",
    "portraits": "payloads",
    "postman": "dispatcher",
    "receipt": "incoming payment",
    "receipts": "incoming payments",
    "rehearsal": "simulation, dry run",
    "rehearsals": "simulations, dry runs",
    "rehearse": "simulate",
    "rehearsed": "simulated",
    "rehearsing": "simulation",
    "remittance": "outgoing transfer",
    "remittances": "outgoing transfers",
    "remitting": "outgoing transfers",
    "stencil": "row template",
    "stencils": "row templates",
    "storey": "layer",
    "stories": "scenarios",
    "story": "scenario",
    "tell": "record, notify, return",
    "telling": "change events",
    "tells": "records, notifies, returns",
    "told": "submitted, recorded",
}

# Words that a sentence may need, so the name of a test may have them, but no other name.
LABELS: Final = {
    "asked": "request",
    "asker": "actor",
    "became": "outcome",
    "becomes": "outcome",
    "drafted": "draft",
    "openings": "transfer creation",
    "pictures": "payload snapshots",
    "standing": "status",
    "stations": "planned steps",
    "wanted": "request, filter",
    "whose": "owner",
}

# Module and class names without meaning by themselves; as parts of longer names they may be right.
_MODULES = """
    answering answers applying assembling bag beside body books calculating carrying chance coins
    coming_in committing copying course crediting deciding disbursing drafting earlier ends finding
    folding forced forcing gate grounds house inside judging kept left listening looks lookups made
    made_up marks memory moves observe office opening packing past patience picture places playing
    plays reply returning reviewing room second seen sending shapes sheet sorts spending states
    station sweeping taken taking tempo throttle trial tries trying turn upkeep visit waits
    warm ways wire withholding words zones
"""
_CLASSES = """
    Account Action Answer Answers Ask Attempt Background Bag Batch Bounds Choice Coins Content
    Course Credit Decision Desk Details Door Draft Drafted Draw Effect Ending Ends Entry Field Fee
    File Filters Finding First Folder Forgotten Found Group Heading Heard Holding House Input Kept
    Kind Left Letter Line Listed Listing Look Looked Made Member Moves Offer Office Opening Order
    Origin Outcome Owner Page Part Parts Party Payment Place Playing Purpose Question Reading
    Result Rule Sealed Seen Sent Shape Sieve Slot Stretch Subject Sum Taking Told Tracking Turn
    Verbs Visit Walk Way Writing
"""
NAMES: Final = {"module": frozenset(_MODULES.split()), "class": frozenset(_CLASSES.split())}

# Names that may contain a replaced word, and why. The key is the file and the name.
_CONTRACT_RECEIPT = "the contract's member `receipt`: the transaction on the chain"
_CHAIN_RECEIPT = "`transaction receipt` is the term of the EVM's execution API"
_PAYMENTS = "src/landbridge/payments"
_EVM = "src/landbridge/providers/evm"
ALLOWED: Final[dict[tuple[str, str], str]] = {
    (f"{_PAYMENTS}/batches/api.py", "BatchReceiptReply"): _CONTRACT_RECEIPT,
    (f"{_PAYMENTS}/bridges/schemas.py", "BridgeReceiptReply"): _CONTRACT_RECEIPT,
    (f"{_PAYMENTS}/disbursements/api.py", "DisbursementReceiptReply"): _CONTRACT_RECEIPT,
    (f"{_PAYMENTS}/offramps/schemas.py", "OfframpReceiptReply"): _CONTRACT_RECEIPT,
    (f"{_PAYMENTS}/onramps/schemas.py", "OnrampReceiptReply"): _CONTRACT_RECEIPT,
    (f"{_PAYMENTS}/transfers/api.py", "TransferReceiptReply"): _CONTRACT_RECEIPT,
    (f"{_EVM}/chain_data.py", "TransactionReceipt"): _CHAIN_RECEIPT,
    (f"{_EVM}/chain_data.py", "read_receipt"): _CHAIN_RECEIPT,
    (f"{_EVM}/rpc.py", "receipt"): _CHAIN_RECEIPT,
    (f"{_EVM}/rpc.py", "receipts"): _CHAIN_RECEIPT,
    ("src/landbridge/providers/iso20022/parties.py", "read_remittance"): (
        "remittance information (`RmtInf`) is ISO 20022's term"
    ),
}

# Columns that were renamed, and their terms.
COLUMNS: Final = {
    "at": "occurred_at",
    "frame": "granularity",
    "gives_up_at": "deadline_at",
    "grams": "search_trigrams",
    "look_at": "next_check_at",
    "rests": "is_settled",
    "what": "change_type",
}


@dataclass(frozen=True, slots=True)
class Name:
    """Name defined in a file."""

    where: str
    kind: str
    text: str

    @property
    def words(self) -> list[str]:
        """Words of the name, in lower case."""
        return _WORD.findall(_HUMP.sub("_", self.text).lower())


def test_every_package_and_table_is_in_the_glossary() -> None:
    missing = sorted((_packages() | _tables()) - _places())
    assert not missing, report("Give each a line in docs/glossary.md:", missing)


def test_glossary_names_only_what_exists() -> None:
    unknown = sorted(_places() - _code_places() - _tables())
    assert not unknown, report("docs/glossary.md names no such package or table:", unknown)


def test_every_term_has_one_line() -> None:
    terms = [row[0].strip() for row in _rows()]
    repeated = sorted({term for term in terms if terms.count(term) > 1})
    assert terms, "the glossary has no terms: has its form changed?"
    assert not repeated, report("Merge the lines of these terms:", repeated)


def test_replaced_words_stay_out_of_names() -> None:
    replaced = WORDS | LABELS
    findings = [
        f"{name.where}: {name.kind} {name.text} ({word}: {replaced[word]})"
        for name in _names()
        for word in set(name.words) & (WORDS if name.kind == "test" else replaced).keys()
        if (name.where, name.text) not in ALLOWED
    ]
    assert not findings, report("Use the term of docs/glossary.md:", findings)


def test_no_name_is_a_word_that_says_nothing() -> None:
    findings = [
        f"{name.where}: {name.kind} {name.text}"
        for name in _names()
        if name.text.strip("_") in NAMES.get(name.kind, ())
        and (name.where, name.text) not in ALLOWED
    ]
    assert not findings, report("Say what it is of or for:", findings)


def test_type_names_are_unique() -> None:
    paths: dict[str, list[str]] = defaultdict(list)
    for source in sources("src/landbridge"):
        for node in source.nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                paths[node.name].append(source.name)
    findings = [f"{name}: {', '.join(each)}" for name, each in paths.items() if len(each) > 1]
    assert not findings, report("Name each type for what it is:", findings)


def test_renamed_columns_stay_out_of_the_schema() -> None:
    findings = [
        f"{path.name}: {column} ({COLUMNS[column]})"
        for path in sorted(MIGRATIONS.glob("*.sql"))
        for column in _COLUMN.findall(path.read_text(encoding="utf-8"))
        if column in COLUMNS
    ]
    assert not findings, report("Use the column's new name:", findings)


def test_exceptions_excuse_something() -> None:
    names = {(name.where, name.text) for name in _names()}
    stale = sorted(str(key) for key in ALLOWED if key not in names)
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


def _rows() -> list[tuple[str, str, str, str]]:
    rows = _ROW.findall(GLOSSARY.read_text(encoding="utf-8"))
    return [row for row in rows if row[0] != "Term" and not row[0].startswith("---")]


def _places() -> set[str]:
    """Everything that the third column names: folders, packages and tables."""
    return {path for row in _rows() for path in re.findall(r"`([^`]+)`", row[2])}


def _packages() -> set[str]:
    """Return the folders of src/landbridge and their packages."""
    return {
        init.parent.relative_to(PACKAGE).as_posix()
        for pattern in ("*/__init__.py", "*/*/__init__.py")
        for init in PACKAGE.glob(pattern)
    }


def _code_places() -> set[str]:
    """Return every package and module of src/landbridge at any depth."""
    modules = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    return {each.as_posix() for module in modules for each in (module, module.parent)}


def _tables() -> set[str]:
    sql = "\n".join(path.read_text(encoding="utf-8") for path in MIGRATIONS.glob("*.sql"))
    return {*_TABLE.findall(sql), MIGRATIONS_TABLE}


@cache
def _names() -> tuple[Name, ...]:
    tables = (Name("the schema", "table", table) for table in sorted(_tables()))
    names = (name for source in sources("src", "tests") for name in _names_in(source))
    return (*tables, *names)


def _names_in(source: Source) -> Iterator[Name]:
    stem = source.path.parent.name if source.path.stem == "__init__" else source.path.stem
    yield Name(source.name, "module", stem)
    for keyword, name in source.definitions:
        if keyword == "class":
            yield Name(source.name, "class", name)
        else:
            kind = "test" if name.startswith("test_") else "function"
            yield Name(source.name, kind, name)
