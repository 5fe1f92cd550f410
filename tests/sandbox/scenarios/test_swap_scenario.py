"""Complete swap scenario over HTTP, with the final ledger entries in readable form.

It covers every visible row of spec.md's swap tables: quote, accept, list, retrieve, expiry,
refusal.
"""

from landbridge.app.container import AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import audit
from landbridge.platform.db.pool import Database
from tests.tenants import SWAPS, Tenant, fund, held, make_user, swap_body

# Entries at the end: (transfer, account, asset, debit -, credit +), in whole units.
BOOKS = """
DEPOSIT   outside    usdc   -100000000
DEPOSIT   Ada        usdc   +100000000
SWAP      Ada        usdc    -10000000
SWAP      liquidity  usdc     +9990000
SWAP      fees       usdc       +10000
SWAP      liquidity  usdt     -9990000
SWAP      Ada        usdt     +9990000
SWAP      Ada        usdc    -25025026
SWAP      liquidity  usdc    +25000000
SWAP      fees       usdc       +25026
SWAP      liquidity  usdt    -25000000
SWAP      Grace      usdt    +25000000
"""

_ENTRIES = """
select t.kind, e.role, w.user_id, e.asset, e.available
from transfers t
join entries e on e.org_id = t.org_id and e.transfer_id = t.id
left join accounts a on a.org_id = e.org_id and a.id = e.account_id
left join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where t.org_id = $1
order by t.created_at, e.seq, e.line
"""


async def test_ada_swaps_transfers_and_a_quote_expires(database: Database, org: Tenant) -> None:
    ada = await make_user(org)
    grace = await make_user(org, firstName="Grace")
    await fund(org, ada, "100")

    request = swap_body(ada, "10")
    quoted = (await org.post(SWAPS, request))["transferDetails"]
    assert quoted["status"] == "OPEN_QUOTE"
    assert quoted["quoteInformation"]["receiveNet"] == {"amount": "9.99", "currency": "usdt"}
    assert (await org.post(SWAPS, request))["transferDetails"]["id"] == quoted["id"]
    other = swap_body(ada, "11", request_id=request["requestId"])
    refused = await org.refused("POST", SWAPS, other)
    assert refused == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    done = (await org.post(f"{SWAPS}/{quoted['id']}/accept"))["transferDetails"]
    assert (done["status"], done["error"], done["errorDetails"]) == ("COMPLETED", None, None)

    gift = swap_body(ada, None, destination={"userId": grace, "amount": "25"})
    gift_id = (await org.post(SWAPS, gift))["transferDetails"]
    await org.post(f"{SWAPS}/{gift_id['id']}/accept")
    assert await held(org, grace, "usdt") == "25"

    assert await org.refused("POST", SWAPS, swap_body(grace, "1")) == "400 INSUFFICIENT_BALANCE"

    left_open = (await org.post(SWAPS, swap_body(ada, "5")))["transferDetails"]
    await org.post("/v2/sandbox/clock/advance", {"seconds": 31})
    late = (await org.get(f"{SWAPS}/{left_open['id']}"))["transferDetails"]
    assert (late["status"], late["error"]) == ("QUOTE_FAILED", "INVALID_QUOTE")
    assert await org.refused("POST", f"{SWAPS}/{late['id']}/accept") == "400 INVALID_QUOTE"

    listed = await org.get(SWAPS)
    assert [each["transferDetails"]["id"] for each in listed["data"]] == [
        late["id"],
        gift_id["id"],
        done["id"],
    ]
    assert listed["nextCursor"] == listed["data"][-1]["transferDetails"]["updatedAt"]

    names = {ada: "Ada", grace: "Grace"}
    assert await books(database, org, names) == BOOKS
    assert (await audit(database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)).is_clean


async def books(database: Database, org: Tenant, names: dict[str, str]) -> str:
    """Return the organisation's entries as text."""
    lines = ["\n"]
    for row in await database.rows(_ENTRIES, org.org_id):
        owner_name = row["role"] or names[str(row["user_id"])]
        kind = row["kind"].rpartition(".")[2]
        currency = row["asset"].partition(":")[0]
        lines.append(f"{kind:9} {owner_name:10} {currency:4} {int(row['available']):>+12}\n")
    return "".join(lines)
