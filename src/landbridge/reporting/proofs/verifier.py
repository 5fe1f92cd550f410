"""Verify proofs of Landbridge offline. Needs Python 3.11 and nothing else.

    python3 verifier.py proof KEYS FILE                proofs of a payment
    python3 verifier.py growth KEYS FILE CHECKPOINT    a checkpoint that follows an older one

KEYS is a file of public keys, CHECKPOINT an older checkpoint that you have kept.
"""

import json
import sys
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any, NamedTuple

HASH_BYTES = 32
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int, int, int]


class BooksInvalid(Exception):
    """The books do not follow from what was published; the message says where."""


class TreeHead(NamedTuple):
    """What a checkpoint says: a tree of `size` changes has this root."""

    origin: str
    size: int
    root: bytes


def point(data: bytes) -> Point:
    """Decode a point of Ed25519 (RFC 8032)."""
    y, sign = int.from_bytes(data, "little") & 2**255 - 1, data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        raise BooksInvalid("a key or a signature is malformed")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def add(p: Point, q: Point) -> Point:
    """Add two points."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number: int, p: Point) -> Point:
    """Multiply a point."""
    total: Point = (0, 1, 1, 0)
    for bit in f"{number:b}":
        total = add(add(total, total), p) if bit == "1" else add(total, total)
    return total


def is_signed(key: bytes, text: bytes, signature: bytes) -> bool:
    """Return whether this is the key's Ed25519 signature of a text."""
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(sha512(signature[:32] + key + text).digest(), "little") % L
    one = times(s, point(b"\x58" + b"\x66" * 31))
    other = add(point(signature[:32]), times(k, point(key)))
    return s < L and all((one[n] * other[2] - other[n] * one[2]) % P == 0 for n in (0, 1))


def open_note(note: str, keys: str) -> TreeHead:
    """Return what a checkpoint says, once a known key has signed it."""
    text, _, signatures = note.rpartition("\n\n")
    origin, size, root = text.split("\n")[:3]
    for name, _, key in (line.split("+", 2) for line in keys.split()):
        key_id = sha256(f"{name}\n".encode() + b64decode(key)).digest()[:4]
        for line in signatures.split("\n"):
            signature = b64decode(line.rpartition(" ")[2])
            is_its = (name, key_id) == (origin, signature[:4])
            if is_its and is_signed(b64decode(key)[1:], f"{text}\n".encode(), signature[4:]):
                return TreeHead(origin, int(size), b64decode(root))
    raise BooksInvalid(f"{origin}: no key of yours has signed this checkpoint")


def node(left: bytes, right: bytes) -> bytes:
    """Hash two hashes of a tree (RFC 6962)."""
    return sha256(b"\x01" + left + right).digest()


def fixed(text: str) -> bytes:
    """Decode a salt or a hash; of another length it could be cut in two ways."""
    if len(found := b64decode(text)) != HASH_BYTES:
        raise BooksInvalid("a salt or a hash is malformed")
    return found


def hashed(part: Mapping[str, str]) -> bytes:
    """Return the hash of a part, from its text and salt if they are shown."""
    if "text" in part:
        return sha256(fixed(part["salt"]) + part["text"].encode()).digest()
    return fixed(part["hash"])


def leaf(parts: Sequence[Mapping[str, str]]) -> bytes:
    """Return the hash of a change from its parts, or of a piece of a balance."""
    return sha256(b"\x00" + b"".join(map(hashed, parts))).digest()


def plain(text: str) -> Any:
    """Parse JSON in the one form that it can have: on one line, and no member twice."""
    found = json.loads(text)
    if text != json.dumps(found, sort_keys=True, separators=(",", ":")):
        raise BooksInvalid("a text is not in its one form")
    return found


def read(parts: Sequence[Mapping[str, str]]) -> list[Any]:
    """Return what the shown parts say; raise unless they are one change, its record and entries."""
    shown = [(at, plain(part["text"])) for at, part in enumerate(parts) if "text" in part]
    if any(part["part"] not in (["record", "entry"] if at else ["change"]) for at, part in shown):
        raise BooksInvalid("a part is not what it is to be at its place")
    return [part for _, part in shown]


def included(found: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """Return the root that an inclusion proof gives for a leaf."""
    if size == 1:
        return found
    half, other = 1 << (size - 1).bit_length() - 1, path.pop()
    if index < half:
        return node(included(found, index, half, path), other)
    return node(other, included(found, index - half, size - half, path))


def grown(old: TreeHead, count: int, size: int, path: list[bytes]) -> tuple[bytes, bytes]:
    """Return the roots of `count` leaves and of `size` that a consistency proof gives."""
    if count == size:
        root = old.root if count == old.size else path.pop()
        return root, root
    half, other = 1 << (size - 1).bit_length() - 1, path.pop()
    if count <= half:
        before, after = grown(old, count, half, path)
        return before, node(after, other)
    before, after = grown(old, count - half, size - half, path)
    return node(other, before), node(other, after)


def check_growth(old: TreeHead, new: TreeHead, path: list[bytes]) -> None:
    """Raise unless a tree begins with all of an older one."""
    if old.size > new.size or grown(old, old.size, new.size, path) != (old.root, new.root) or path:
        raise BooksInvalid(f"{new.size} changes do not continue the {old.size} of {old.origin}")


def check_proof(proof: str, keys: str) -> list[str]:
    """Return the parts that a proof shows (tlog-proof), once they are found in its tree."""
    top, _, note = proof.partition("\n\n")
    extra, place, *hashes = top.strip().split("\n")
    head, index, path = open_note(note, keys), int(place[6:]), [fixed(each) for each in hashes]
    parts, is_inside = json.loads(b64decode(extra[6:])), 0 <= index < head.size
    if not is_inside or included(leaf(parts), index, head.size, path) != head.root or path:
        raise BooksInvalid(f"this is not change {index} of {head.origin}")
    read(parts)
    return [part["text"] for part in parts if "text" in part]


class Tree:
    """Tree that grows; `roots` are those of its full parts, the largest first."""

    def __init__(self, join: Callable[..., Any]) -> None:
        self.join, self.size, self.roots = join, 0, list[Any]()

    def grow(self, root: object, size: int = 1) -> None:
        """Append a leaf, or a full part of several leaves."""
        self.size += size
        self.roots.append(root)
        for _ in range((self.size & -self.size).bit_length() - size.bit_length()):
            self.roots[-2:] = [self.join(*self.roots[-2:])]

    @property
    def root(self) -> Any:
        """Return the root; there is at least one leaf."""
        return reduce(lambda right, left: self.join(left, right), self.roots[::-1])


def main(verb: str, keys_file: str, file: str, *kept: str) -> None:
    """Run a command; an error of any kind means that nothing is proven."""
    keys, text = Path(keys_file).read_text(), Path(file).read_text()
    if verb == "growth":
        old, (top, _, note) = open_note(Path(kept[0]).read_text(), keys), text.partition("\n\n")
        check_growth(old, open_note(note, keys), [fixed(each) for each in top.split("\n")[1:]])
        return
    before, *proofs = text.split("c2sp.org/tlog-proof@v1\n")
    if verb != "proof" or kept or before or not proofs:
        raise BooksInvalid(f"{file} is no file of proofs")
    shown = [part for proof in proofs for part in check_proof(proof, keys)]
    sys.stdout.writelines(f"{each}\n" for each in shown)


if __name__ == "__main__":
    main(*sys.argv[1:])
