"""Verify reserves of Landbridge offline. Needs Python 3.11, and `verifier.py` beside this file.

    python3 reserves_verifier.py KEYS FILE

KEYS is a file of public keys, FILE a statement of reserves, with a customer's balances or the
whole tree.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:  # a part of Landbridge
    from landbridge.reporting.proofs.verifier import (
        BooksInvalid,
        Tree,
        check_proof,
        fixed,
        leaf,
        node,
        plain,
    )
else:  # a script beside verifier.py
    sys.path.insert(0, str(Path(__file__).parent))
    from verifier import BooksInvalid, Tree, check_proof, fixed, leaf, node, plain

UNITS_BYTES = 16


def summed(left: tuple[bytes, int], right: tuple[bytes, int]) -> tuple[bytes, int]:
    """Hash and add two nodes of a tree with sums; raises if one of them is below zero."""
    both = (found + units.to_bytes(UNITS_BYTES, "big") for found, units in (left, right))
    return node(*both), left[1] + right[1]


def check_reserves(lines: Iterator[str], keys: str) -> list[str]:
    """Return a statement that was confirmed, and what is in its trees: pieces of balances."""
    first, trees, shown = json.loads(next(lines)), dict[str, Tree](), list[str]()
    change, statement = (
        json.loads(check_proof(first["proof"].partition("\n")[2], keys)[0]),
        first["statement"],
    )
    digest = sha256(statement.encode()).hexdigest()
    if (change["type"], change["facts"].get("reserves")) != ("confirm", digest):
        raise BooksInvalid("this statement of reserves was not confirmed")
    for part in map(json.loads, lines):
        if is_shown := "text" in part:
            shown.append(part["text"])
        found = plain(part["text"]) if is_shown else part
        root = leaf([part]) if is_shown else fixed(part["hash"])
        tree = trees.setdefault(found["asset"], Tree(summed))
        tree.grow((root, int(found["units"])), part.get("size", 1))
    for owed in plain(statement)["reserves"]:
        due = owed["pieces"], (bytes.fromhex(owed["root"]), int(owed["owed_units"]))
        tree = trees.pop(owed["asset"], None)
        if due[1][1] < 0 or (tree is not None and (tree.size, tree.root) != due):
            raise BooksInvalid(f"these are not the liabilities of {owed['asset']}")
    if trees:
        raise BooksInvalid(f"the statement has no {', '.join(trees)}")
    return [statement, *shown]


def main(keys_file: str, file: str) -> None:
    """Check a statement; an error of any kind means that it is not proven."""
    lines = iter(Path(file).read_text().splitlines())
    shown = check_reserves(lines, Path(keys_file).read_text())
    sys.stdout.writelines(f"{each}\n" for each in shown)


if __name__ == "__main__":
    main(*sys.argv[1:])
