"""pgbench scripts of a swap: what PostgreSQL does without an API in front of it.

`ours` calls the ledger's own functions from landbridge.ledger.functions for one swap at a time, as
the ledger calls them. `plain` has the same effect in several plain statements, as most systems
would write it. Both write the rows that our API writes; neither does the surrounding reads (key,
wallets, price, record).

Each script makes one swap, which counts as two operations. Ids are ordered by time, like ours.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from landbridge.ledger.functions import LOCK_AND_ADVANCE, LOCK_AND_CREATE, LockingFunction
from landbridge.platform.db.locking_group_commit import BATCH_WAIT_MS

ORG = "00000000-0000-7000-8000-000000000001"
# Texts with colons, which pgbench would take for variables if they stood in the script.
VARIABLES = {
    "org": ORG,
    "usdc": "usdc:POLYGON",
    "usdt": "usdt:POLYGON",
    "actor": f"key:{ORG}",
    "request": f'{{"requestId":"{ORG}","source":{{"userId":"{ORG}","chain":"POLYGON",'
    '"currency":"usdc","amount":"1.25"},"destination":{"chain":"POLYGON","currency":"usdt"}}',
    "details": f'{{"source_account_id":"{ORG}","destination_account_id":"{ORG}",'
    f'"destination_user_id":"{ORG}","destination_address":'
    '"0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359","external_wallet_id":null,"fee_units":1250,'
    '"rate":"1","quote_expires_at":"2026-01-01T00:00:30Z","error":null,"error_code":null,'
    '"error_message":null}',
    "swap": "0",
}

_SETUP = r"""
\set swap :swap + 1
\set user random(1, :users)
\set side random(0, 1)
"""

_TIMEOUT = f"'{BATCH_WAIT_MS}ms'"
_ORG = ":org"
_ID = (
    "(lpad(to_hex(:began_ms::bigint + :swap::bigint), 12, '0') || '70008' "
    "|| lpad(to_hex(:client_id::int), 15, '0'))"
)
_USER = "lpad(to_hex(:user::int), 32, '0')"
_SOURCE = "lpad(to_hex(:user::int * 2 + :side::int), 32, '0')"
_DESTINATION = "lpad(to_hex(:user::int * 2 + 1 - :side::int), 32, '0')"
_SOLD = "(case :side::int when 0 then :usdc::text else :usdt::text end)"
_BOUGHT = "(case :side::int when 0 then :usdt::text else :usdc::text end)"


def ours() -> str:
    """`lock_and_create`; then `lock_and_advance`, in a transaction of its own."""
    return f"{_SETUP}{_call(LOCK_AND_CREATE, _opening())}\n{_call(LOCK_AND_ADVANCE, _accept())}\n"


def _opening() -> Mapping[int, str]:
    return {
        1: _ORG,
        2: _ID,
        3: "'WALLET.SWAP'",
        4: _USER,
        5: "gen_random_uuid()",
        6: ":request",
        7: "'OPEN_QUOTE'",
        8: "1",
        9: _SOLD,
        10: "1250000",
        11: _BOUGHT,
        12: "1248750",
        13: ":details",
        14: "now() + interval '30 s'",
        15: "now()",
        16: ":actor",
        17: "decode(repeat('0a', 32), 'hex')",  # length of a digest
        **dict(enumerate(("1", "1", "null", "'OPEN_QUOTE'", "true"), start=18)),
        **dict.fromkeys(range(23, 31), ""),
    }


def _accept() -> Mapping[int, str]:
    return {
        1: _ORG,
        2: _ID,
        3: "1",
        4: "'COMPLETED'",
        5: "4",
        6: "'{}'",
        7: "'in time'",
        8: "null",
        9: "now()",
        10: "'accept'",
        11: ":actor",
        **dict.fromkeys(range(12, 16), "null"),  # the amounts do not change
        16: "1, 1, 1",
        17: "2, 3, 4",
        18: "'OPEN_QUOTE', 'CREATED', 'PENDING'",
        19: "'CREATED', 'PENDING', 'COMPLETED'",
        20: "false, false, true",
        21: "1, 1, 1, 1, 1",
        22: "4, 4, 4, 4, 4",
        23: "1, 2, 3, 4, 5",
        24: f"{_SOURCE}, null, null, null, {_DESTINATION}",
        25: "null, 'liquidity', 'fees', 'liquidity', null",
        26: f"{_SOLD}, {_SOLD}, {_SOLD}, {_BOUGHT}, {_BOUGHT}",
        27: "-1250000, 1248750, 1250, -1248750, 1248750",
        28: "0, 0, 0, 0, 0",
    }


def _call(function: LockingFunction, arrays: Mapping[int, str]) -> str:
    """Return a call of the function with literals; its last argument is the lock timeout."""
    *types, _ = function.types
    arguments = [f"array[{arrays[n]}]::{kind}" for n, kind in enumerate(types, start=1)]
    return f"select {function.name}({', '.join([*arguments, _TIMEOUT])});"


def plain() -> str:
    """Return the statements of plain.sql."""
    words = {
        "id": _ID,
        "user": _USER,
        "source": _SOURCE,
        "destination": _DESTINATION,
        "sold": _SOLD,
        "bought": _BOUGHT,
    }
    text = Path(__file__).with_name("plain.sql").read_text(encoding="utf-8")
    return _SETUP + re.sub(r"<(\w+)>", lambda found: words[found[1]], text)
