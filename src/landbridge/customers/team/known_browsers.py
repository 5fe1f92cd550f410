"""Known browsers: those from which a member has signed in with the present password before.

Login attempts from a known browser are counted separately, so a stranger who guesses passwords for
an address does not delay its owner on a known browser.

Guarantees: a token is valid for one member and one password; it replaces no part of signing in, and
is not stored. It is derived from the member's data key, so it ends with the member.
"""

import hmac
import secrets

from landbridge.customers.team.model import MemberCredentials
from landbridge.platform.encryption.model import DataKey

_PURPOSE = "members.known_browser"
_ID_BYTES = 16


def make_token(key: DataKey, account: MemberCredentials) -> str:
    """Return a new token: a random id, and a keyed hash that proves its origin."""
    browser_id = secrets.token_urlsafe(_ID_BYTES)
    return f"{browser_id}.{_proof(key, account, browser_id)}"


def browser_of(key: DataKey, account: MemberCredentials, token: str) -> str | None:
    """Return the id in a token; None if it was not made for this member and password."""
    browser_id, _, proof = token.partition(".")
    expected = _proof(key, account, browser_id)
    is_ours = hmac.compare_digest(proof.encode("utf-8", "replace"), expected.encode())
    return browser_id if is_ours else None


def _proof(key: DataKey, account: MemberCredentials, browser_id: str) -> str:
    message = f"{account.person.id}:{account.password_hash}:{browser_id}"
    return hmac.new(key.derive(_PURPOSE), message.encode("utf-8", "replace"), "sha256").hexdigest()
