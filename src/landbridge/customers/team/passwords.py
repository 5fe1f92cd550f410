"""Passwords: policy and storage.

Guarantees: only Argon2id hashes are stored, with the library's parameters, which follow RFC 9106;
only the memory is set by the operator; hashes with other parameters are replaced at the next
sign-in; a check takes the same time for unknown and known addresses; hashing blocks no other
request, and its concurrency is bounded.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from landbridge.customers.team.errors import PasswordWeak

LENGTH_MIN, LENGTH_MAX = 12, 200
_DISTINCT_MIN = 5
# Concurrent hash computations; each takes 64 MiB by default, and a core for 30 to 200 ms.
_AT_ONCE = 2
# Passwords from leaked lists that the other checks accept: they have at least twelve characters,
# and enough distinct ones.
_COMMON_TEXT = """
    0123456789012 123456789012 1234567890123 12345678901234 123456789012345 1234567890123456
    1234567890ab 12345678910111 123456789abc 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i
    1qaz2wsx3edc 1qaz2wsx3edc4rfv a1b2c3d4e5f6 a1b2c3d4e5f6g7 abc123456789 abcd12345678
    abcdef123456 abcdefghijkl abcdefghijklm abcdefghijklmnop admin1234567 admin12345678
    admin123456789 adminadmin123 administrator administrator1 administrator123 asdfghjkl123
    asdfghjklzxcvbnm baseball1234 changeme1234 changeme12345 changemechangeme changemeplease
    computer1234 correct-horse-battery-staple correcthorsebatterystaple dashboard1234 dragondragon
    football1234 iloveyou1234 iloveyou12345 iloveyouiloveyou internet1234 landbridge12
    landbridge123 landbridge1234 landbridgelandbridge letmein12345 letmeinletmein masterpassword
    michael12345 monkeymonkey mypassword123 mypassword1234 password1234 password12345
    password123456 password1234567 password12345678 password123456789 password2020 password2021
    password2022 password2023 password2024 password2025 password2026 passwordpassword princess1234
    qazwsxedcrfv qazwsxedcrfvtgb qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789
    qwerty1234567890 qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopas
    qwertyuiopasdfghjkl secretsecret stablecoin12 stablecoin123 sunshine1234 superman1234
    supersecret1 supersecret123 test12345678 testpassword testpassword1 testpassword123
    testtesttest thisismypassword topsecret1234 trustno1trustno1 unbelievable welcome12345
    welcome123456 welcomewelcome zxcvbnm12345
"""
_COMMON = frozenset(_COMMON_TEXT.split())

T = TypeVar("T")
_threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="passwords")


def check_password(password: str, *, email: str, field: str = "password") -> None:
    """Raise `PasswordWeak` with advice for a password that is easy to guess."""
    if not LENGTH_MIN <= len(password) <= LENGTH_MAX:
        raise PasswordWeak(
            f"The password must have {LENGTH_MIN} to {LENGTH_MAX} characters.", field=field
        )
    plain = password.lower().strip()
    is_simple = len(set(plain)) < _DISTINCT_MIN or "correct horse" in plain
    if plain in _COMMON or is_simple:
        raise PasswordWeak("This password is too easy to guess. Choose another.", field=field)
    if plain in {email, email.partition("@")[0]}:
        raise PasswordWeak("The password must not be your e-mail.", field=field)


class PasswordHashes:
    """Creates and checks the stored hashes of passwords, each with the same memory cost."""

    def __init__(self, memory_kib: int) -> None:
        self._hasher = PasswordHasher(memory_cost=memory_kib)

    async def hash(self, password: str) -> str:
        """Return the stored hash of a password."""
        return await _beside(self._hasher.hash, _fit(password))

    async def is_right(self, password: str, stored: str | None) -> bool:
        """Return whether the password is correct; takes the same time if none is stored."""
        return await _beside(self._is_right, _fit(password), stored)

    def is_outdated(self, stored: str) -> bool:
        """Return whether a hash has other parameters than the current ones."""
        return self._hasher.check_needs_rehash(stored)

    def _is_right(self, password: str, stored: str | None) -> bool:
        if stored is None:
            self._hasher.hash(password)
            return False
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


async def _beside(function: Callable[..., T], *args: object) -> T:
    return await asyncio.get_running_loop().run_in_executor(_threads, function, *args)


def _fit(password: str) -> str:
    """Return a truncated password, so that hashing a huge input costs no more than usual."""
    # Lone surrogates are replaced: they cannot be encoded, and no real password has one.
    return password[: LENGTH_MAX + 1].encode("utf-8", "replace").decode()
