"""Verification of archived months, without a database.

The months of an organisation are replayed one after the other. The state between two months is the
tree (its size and the roots of its perfect subtrees) and the balance of each account. A month's
files contain both, so the replay can begin after any month that is trusted.
"""

import hashlib
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from landbridge.reporting.archive.model import (
    FILES,
    FORMAT,
    MANIFEST,
    ArchivedMonth,
    ArchiveInvalid,
    MonthFolder,
    MonthManifest,
    month_name,
    next_month,
)
from landbridge.reporting.archive.month_files import (
    LeafRows,
    check_file,
    read_balances,
    read_leaves,
)
from landbridge.reporting.proofs.books_verifier import Books
from landbridge.reporting.proofs.verifier import (
    BooksInvalid,
    Tree,
    TreeHead,
    check_growth,
    fixed,
    node,
    open_note,
)

# Most bytes of a manifest, in which an asset or a file takes some hundred bytes.
_MANIFEST_BYTES_MAX = 1024 * 1024
_EMPTY = (0, 0, 0)


class MonthReplay:
    """Books of an organisation up to the end of a month."""

    def __init__(self) -> None:
        self.books = Books()

    @classmethod
    def behind(cls, folder: Path) -> "MonthReplay":
        """Return the books at the end of a month, with the balances and the tree that it states.

        Raises `ArchiveInvalid` if its file of balances was altered.
        """
        manifest = read_manifest(folder).manifest
        check_file(folder, _file(folder, manifest, "balances.parquet"))
        replay = cls()
        books = replay.books
        for each in read_balances(folder):
            books.assets[each.account], books.balances[each.account] = each.asset, each.after
        sizes = [1 << at for at in range(manifest.size.bit_length()) if manifest.size >> at & 1]
        with _invalid(folder):
            for size, root in zip(reversed(sizes), map(fixed, manifest.parts), strict=True):
                books.grow(root, size)
            if books.root != fixed(manifest.root):
                raise BooksInvalid("its root is not that of its parts")
        return replay

    @property
    def tree(self) -> Tree:
        """Return a copy of the tree, to which leaves may be appended."""
        copy = Tree(node)
        copy.size, copy.roots = self.books.size, list(self.books.roots)
        return copy

    def append(self, folder: Path, keys: str) -> ArchivedMonth:
        """Verify the next month and append it; `keys` are the public keys of the books.

        Raises `ArchiveInvalid` if it was changed, does not follow from the months before, or is not
        covered by a checkpoint that a known key has signed.
        """
        found = read_manifest(folder)
        with _invalid(folder):
            self._append(folder, found.manifest, keys)
        return found

    def _append(self, folder: Path, manifest: MonthManifest, keys: str) -> None:
        books = self.books
        if manifest.first != books.size:
            raise BooksInvalid(f"it begins with change {manifest.first}, not {books.size}")
        for name in FILES:
            check_file(folder, _file(folder, manifest, name))
        _check_balances(folder, books, is_forward=True)
        rows = Counter[str]()
        for leaf in read_leaves(folder):
            parts = _parts(leaf, books.size)
            # An object's first change here may follow earlier months; after that there is no gap.
            books.seqs.setdefault(leaf.change["object_id"], leaf.change["seq"] - 1)
            books.append(parts)
            rows.update(changes=1, transfers=leaf.record is not None, entries=len(leaf.entries))
        books.seqs.clear()
        _check_balances(folder, books, is_forward=False)
        for each, count in rows.items():
            if _file(folder, manifest, f"{each}.parquet").rows != count:
                raise BooksInvalid(f"the manifest has another number of {each}")
        _check_head(manifest, books, keys)


@contextmanager
def _invalid(folder: Path) -> Generator[None]:
    try:
        yield
    except BooksInvalid as error:
        raise ArchiveInvalid(f"{folder}: {error}.") from error
    except (ValueError, LookupError, TypeError) as error:
        raise ArchiveInvalid(f"{folder} is malformed.") from error


def verify_months(folder: MonthFolder, keys: str) -> Iterator[ArchivedMonth]:
    """Yield each month of an organisation once it is verified, the oldest first.

    Raises `ArchiveInvalid` at the first month that is missing or was changed.
    """
    replay = MonthReplay()
    for month in check_chain(folder):
        found = replay.append(folder.month(month), keys)
        check_place(folder, month, found.manifest)
        yield found


def check_place(folder: MonthFolder, month: date, manifest: MonthManifest) -> None:
    """Raise `ArchiveInvalid` if a manifest is not that of this organisation and month."""
    if (manifest.month, str(manifest.organisation)) != (month_name(month), folder.path.name):
        raise ArchiveInvalid(
            f"{folder.month(month)} has {manifest.month} of {manifest.organisation}: it was moved."
        )


def check_chain(folder: MonthFolder) -> Sequence[date]:
    """Return the months of a folder; raises `ArchiveInvalid` if one is missing between two."""
    months = folder.months()
    for before, month in pairwise(months):
        if month != next_month(before):
            missing = month_name(next_month(before))
            raise ArchiveInvalid(f"{folder.path} lacks the month {missing}: bring it back.")
    return months


def read_manifest(folder: Path) -> ArchivedMonth:
    """Return the manifest in a month's folder; raises `ArchiveInvalid`."""
    path = folder / MANIFEST
    try:
        with path.open("rb") as file:
            text = file.read(_MANIFEST_BYTES_MAX)
        manifest = msgspec.json.decode(text, type=MonthManifest)
    except OSError as error:
        raise ArchiveInvalid(f"{path} can't be read ({error.strerror}).") from error
    except msgspec.MsgspecError as error:
        raise ArchiveInvalid(f"{path} is no manifest of an archived month.") from error
    if manifest.format != FORMAT:
        raise ArchiveInvalid(f"{path} was written by a newer version.")
    return ArchivedMonth(manifest, hashlib.sha256(text).hexdigest())


def encoded_parts(tree: Tree) -> list[str]:
    """Return the roots of the perfect subtrees of a tree, in base64."""
    return [b64encode(each).decode() for each in tree.roots]


def _check_head(manifest: MonthManifest, books: Books, keys: str) -> None:
    """Raise unless the tree is that of the manifest and continued by a signed checkpoint."""
    root = fixed(manifest.root)
    if manifest.size != books.size or root != books.root or manifest.parts != encoded_parts(books):
        raise BooksInvalid("its changes are not those of its tree")
    head = open_note(manifest.checkpoint, keys)
    if head.origin.split("/")[:2] != ["landbridge", str(manifest.organisation)]:
        raise BooksInvalid(f"its checkpoint is one of {head.origin}")
    old = TreeHead(head.origin, manifest.size, root)
    check_growth(old, head, [fixed(each) for each in manifest.growth])
    sums = Counter[str]()
    for account, (_, available, held) in books.balances.items():
        sums[books.assets[account]] += available + held
    if any(sums.values()):
        raise BooksInvalid("the balances do not sum to zero")


def _check_balances(folder: Path, books: Books, *, is_forward: bool) -> None:
    """Raise unless the file has these balances, at the month's beginning if `is_forward`."""
    count = 0
    for each in read_balances(folder):
        stated = each.before if is_forward else each.after
        if (
            stated != books.balances.get(each.account, _EMPTY)
            or books.assets.get(each.account, each.asset) != each.asset
        ):
            raise BooksInvalid(f"the balance of {each.account} does not follow")
        count += each.account in books.balances
    if count != len(books.balances):
        raise BooksInvalid("the balance of an account is missing")


def _parts(leaf: LeafRows, size: int) -> list[dict[str, str]]:
    """Return the parts of a leaf; raise unless the columns repeat the content of the parts."""
    record = [leaf.record] if leaf.record else []
    rows = [leaf.change, *record, *leaf.entries]
    change = leaf.change["object_id"], leaf.change["seq"]
    is_one = all((each["transfer_id"], each["seq"]) == change for each in leaf.entries)
    if not is_one or any(each["leaf"] != size for each in rows):
        raise BooksInvalid(f"change {size} is missing or not in its place")
    shown = [json.loads(each["text"]) for each in rows]
    stated = [_change(leaf.change), *map(_record, record), *map(_entry, leaf.entries)]
    for text, columns in zip(shown, stated, strict=True):
        if any(text.get(name, _EMPTY) != value for name, value in columns.items()):
            raise BooksInvalid(f"the columns of change {size} are not those of its text")
    return [{"salt": each["salt"], "text": each["text"]} for each in rows]


def _change(row: Any) -> dict[str, Any]:
    return {
        "object": row["object_id"],
        "seq": row["seq"],
        "kind": row["kind"],
        "type": row["change_type"],
        "statusBefore": row["status_before"],
        "statusAfter": row["status_after"],
        "actor": row["actor"],
        "occurredAt": row["occurred_at"].isoformat(timespec="microseconds"),
        "facts": {} if row["facts"] is None else json.loads(row["facts"], parse_float=str),
    }


def _record(row: Any) -> dict[str, Any]:
    return {
        "kind": row["kind"],
        "user": row["user_id"],
        "request": row["request_id"],
        "sourceAsset": row["source_asset"],
        "destinationAsset": row["destination_asset"],
        "details": json.loads(row["details"], parse_float=str),
    }


def _entry(row: Any) -> dict[str, Any]:
    return {
        "account": row["account"],
        "wallet": row["wallet_id"],
        "asset": row["asset"],
        "available": str(row["available"]),
        "held": str(row["held"]),
        "balanceAvailable": str(row["balance_available"]),
        "balanceHeld": str(row["balance_held"]),
        "count": row["count"],
    }


def _file(folder: Path, manifest: MonthManifest, name: str) -> Any:
    for each in manifest.files:
        if each.name == name:
            return each
    raise ArchiveInvalid(f"{folder} has no {name} in its manifest.")
