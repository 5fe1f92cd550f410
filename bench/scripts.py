"""pgbench scripts of a swap: what PostgreSQL does without an API before it.

`ours` is the ledger's own statements, as they stand in landbridge.ledger.store, for one swap at a
time: `OPEN` alone, then a transaction of `LOCK` and `ADVANCE`, as the ledger runs them. `plain` is
the same effect in the several plain statements that most systems would use. Both write the rows
that our API writes; neither does the reads around them (key, wallets, price, record).

Each script makes one swap, which counts as two operations. Ids are ordered by time, like ours.
"""

import re
from collections.abc import Mapping

from landbridge.ledger.store import ADVANCE, LOCK, OPEN

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
    """OPEN; then BEGIN, LOCK, ADVANCE, COMMIT."""
    lock = _filled(LOCK, {1: _ORG, 2: _ID, 3: f"{_ORG}, :org", 4: f"{_SOURCE}, {_DESTINATION}"})
    return "\n".join(
        [
            _SETUP,
            f"{_filled(OPEN, _opening())};",
            "begin;",
            f"{lock};",
            f"{_filled(ADVANCE, _accept())};",
            "commit;",
        ]
    )


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
        **dict(enumerate(("1", "1", "null", "'OPEN_QUOTE'", "true"), start=17)),
        **dict.fromkeys(range(22, 30), ""),
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
        12: "1, 1, 1",
        13: "2, 3, 4",
        14: "'OPEN_QUOTE', 'CREATED', 'PENDING'",
        15: "'CREATED', 'PENDING', 'COMPLETED'",
        16: "false, false, true",
        17: "1, 1, 1, 1, 1",
        18: "4, 4, 4, 4, 4",
        19: "1, 2, 3, 4, 5",
        20: f"{_SOURCE}, null, null, null, {_DESTINATION}",
        21: "null, 'liquidity', 'fees', 'liquidity', null",
        22: f"{_SOLD}, {_SOLD}, {_SOLD}, {_BOUGHT}, {_BOUGHT}",
        23: "-1250000, 1248750, 1250, -1248750, 1248750",
        24: "0, 0, 0, 0, 0",
    }


def _filled(statement: str, arrays: Mapping[int, str]) -> str:
    """The statement with array literals where its parameters were."""
    return re.sub(r"\$(\d+)", lambda found: f"array[{arrays[int(found[1])]}]", statement)


def plain() -> str:
    """Two transactions of plain statements, with row locks in sorted order."""
    record = f"org_id = :org::uuid and id = {_ID}::uuid"
    accounts = f"org_id = :org::uuid and id in ({_SOURCE}::uuid, {_DESTINATION}::uuid)"
    change = (
        "insert into changes (org_id, object_id, seq, kind, what, status_before, status_after, "
        "actor, at, rests, tx) values "
    )
    entry = f"(:org::uuid, {_ID}::uuid, 4,"
    steps = [
        "begin",
        # The balance check of the create, which the quote needs in any design.
        f"select available from accounts where org_id = :org::uuid and id = {_SOURCE}::uuid",
        "insert into transfers (org_id, id, kind, user_id, request_id, request, status, version, "
        "source_asset, source_units, destination_asset, destination_units, details, due_at, "
        f"created_at, updated_at) values (:org::uuid, {_ID}::uuid, 'WALLET.SWAP', {_USER}::uuid, "
        f"gen_random_uuid(), :request::jsonb, 'OPEN_QUOTE', 1, {_SOLD}, 1250000, {_BOUGHT}, "
        "1248750, :details::jsonb, now() + interval '30 s', now(), now()) "
        "on conflict (org_id, request_id) do nothing",
        f"{change} (:org::uuid, {_ID}::uuid, 1, 'WALLET.SWAP', 'open', null, 'OPEN_QUOTE', "
        ":actor, now(), true, pg_current_xact_id())",
        "commit",
        "begin",
        f"select status, version, due_at from transfers where {record} for update",
        f"select id, available, held from accounts where {accounts} order by org_id, id for update",
        "update accounts set available = available - 1250000 "
        f"where org_id = :org::uuid and id = {_SOURCE}::uuid",
        "update accounts set available = available + 1248750 "
        f"where org_id = :org::uuid and id = {_DESTINATION}::uuid",
        "insert into entries (org_id, transfer_id, seq, line, account_id, role, asset, available, "
        "held) values "
        f"{entry} 1, {_SOURCE}::uuid, null, {_SOLD}, -1250000, 0), "
        f"{entry} 2, null, 'liquidity', {_SOLD}, 1248750, 0), "
        f"{entry} 3, null, 'fees', {_SOLD}, 1250, 0), "
        f"{entry} 4, null, 'liquidity', {_BOUGHT}, -1248750, 0), "
        f"{entry} 5, {_DESTINATION}::uuid, null, {_BOUGHT}, 1248750, 0)",
        "update transfers set status = 'COMPLETED', version = 4, due_at = null, "
        f"updated_at = now() where {record} and version = 1",
        change
        + ", ".join(
            f"(:org::uuid, {_ID}::uuid, {seq}, 'WALLET.SWAP', 'accept', '{before}', '{after}', "
            f":actor, now(), {rests}, pg_current_xact_id())"
            for seq, before, after, rests in (
                (2, "OPEN_QUOTE", "CREATED", "false"),
                (3, "CREATED", "PENDING", "false"),
                (4, "PENDING", "COMPLETED", "true"),
            )
        ),
        "commit",
    ]
    return _SETUP + ";\n".join(steps) + ";\n"
