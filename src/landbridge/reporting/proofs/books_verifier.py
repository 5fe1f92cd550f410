"""Verify all books of Landbridge offline. Needs Python 3.11, and `verifier.py` beside this file.

    python3 books_verifier.py KEYS FILE [CHECKPOINT]

KEYS is a file of public keys, FILE an export of all changes, CHECKPOINT an older checkpoint that
you have kept.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:  # a part of Landbridge
    from landbridge.reporting.proofs.verifier import (
        BooksInvalid,
        Tree,
        TreeHead,
        leaf,
        node,
        open_note,
        read,
    )
else:  # a script beside verifier.py
    sys.path.insert(0, str(Path(__file__).parent))
    from verifier import BooksInvalid, Tree, TreeHead, leaf, node, open_note, read


class Books(Tree):
    """Replays an export: the tree, and what every part says about those before."""

    def __init__(self) -> None:
        super().__init__(node)
        self.assets, self.balances = dict[str, str](), dict[str, tuple[int, int, int]]()
        self.seqs = Counter[str]()

    def append(self, parts: Sequence[Mapping[str, str]]) -> None:
        """Add a change; raise unless it follows from those before, and its journal sums to zero."""
        change, *others = read(parts)
        entries, sums = [each for each in others if each["part"] == "entry"], Counter[str]()
        self.seqs[change["object"]] += 1
        is_right = (self.seqs[change["object"]], len(parts) - 1) == (change["seq"], len(others))
        is_right = is_right and len(others) - len(entries) <= (change["seq"] == 1)
        for entry in entries:
            count, available, held = self.balances.get(entry["account"], (0, 0, 0))
            after = count + 1, available + int(entry["available"]), held + int(entry["held"])
            shown = entry["count"], int(entry["balanceAvailable"]), int(entry["balanceHeld"])
            asset = self.assets.setdefault(entry["account"], entry["asset"])
            sums[entry["asset"]] += int(entry["available"]) + int(entry["held"])
            self.balances[entry["account"]] = after
            is_right = is_right and (asset, after) == (entry["asset"], shown)
        if not is_right or any(sums.values()):
            raise BooksInvalid(f"change {self.size} does not follow from those before it")
        self.grow(leaf(parts))

    def check(self, head: TreeHead) -> None:
        """Raise unless the changes so far are those of a checkpoint."""
        if self.size != head.size or self.root != head.root:
            raise BooksInvalid(f"the books are not those of {head.origin} at {head.size} changes")


def check_books(lines: Iterator[str], keys: str, old: TreeHead | None) -> Books:
    """Return the books of an export, once they are found in its checkpoint and in an older one."""
    books, head = Books(), open_note(json.loads(next(lines))["checkpoint"], keys)
    if old is not None and old.origin.rpartition("/")[0] != head.origin.rpartition("/")[0]:
        raise BooksInvalid(f"these are books of {head.origin}, not of {old.origin}")
    for line in lines:
        books.append(json.loads(line))
        if old is not None and books.size == old.size:
            books.check(old)
    books.check(head)
    if old is not None and old.size > head.size:
        raise BooksInvalid(f"{head.size} changes are left of {old.size} of {old.origin}")
    return books


def main(keys_file: str, file: str, *kept: str) -> None:
    """Check an export; an error of any kind means that the books are not proven."""
    keys, text = Path(keys_file).read_text(), Path(file).read_text()
    old = open_note(Path(kept[0]).read_text(), keys) if kept else None
    books = check_books(iter(text.splitlines()), keys, old)
    sys.stdout.write(f"{books.size} changes are proven.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
