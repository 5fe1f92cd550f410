from tests.tenants import *
async def test_x(org: Tenant):
    u = await make_user(org, funds="100")
    for s in (Status.OPEN_QUOTE, Status.COMPLETED, Status.QUOTE_FAILED):
        print(await make_swap(org, u, status=s))
async def test_y(still_org, still_clock):
    u = await make_user(still_org, funds="100")
    print(await make_swap(still_org, u))
    r = await still_org.send("POST", "/v2/tos-link", {"idempotencyKey": str(uuid4()), "redirectUrl":"http://["})
    print(r.status_code, r.text)
    for b in ['[]', '', '{"a":1,"a":2}', '\ufeff{}', '{"idempotencyKey":"\\ud800"}', '{"x":1e400}', '{"idempotencyKey":'+'9'*100000+'}','['*100000, '{"a":'+'['*600+'"\\u0000"'+']'*600+'}', '{"a":NaN}', b'\xff\xfe', b'{"a":"\xff"}', b'{"idempotencyKey": "\xed\xa0\x80"}', b'{"a":"\0"}', '{"idempotencyKey": "8d3a7cfe-0000-4000-8000-000000000000", "redirectUrl": 5}', '{"idempotencyKey": "8d3a7cfe-0000-4000-8000-00000000000k"}', 'null', '"a"', '{'+','.join(f'"k{i}":1' for i in range(60000))+'}', b'x'*1000001, '{"idempotencyKey": 1.5}', '{"\ud800":1}'.encode('utf8','surrogatepass'), '{"\\ud800":1,"\\ud800":1}']:
        r = await still_org.send("POST", "/v2/tos-link", b)
        print(b[:40], r.status_code, r.text[:300])
    r = await still_org.client.post("/v2/tos-link", headers=still_org.headers)
    print('none', r.status_code, r.text)
    for q in ["limit=00010000", "limit=1&limit=2", "limit=", "limit=%005", "firstName=%00", "email=%FF", "firstName=a&firstName=b", "createdBefore=9999-12-31T23:59:59-23:59", "createdAfter=0001-01-01T00:00:00%2B23:59", "createdAfter=0001-01-01", "createdBefore=2026-01-01T00:00:00+00:00", "createdBefore=2026-01-01T00:00:00", "cursor=2026-01-01&createdBefore=x", "type=x", "createdAfter=%D9%A2026-01-01"]:
        r = await still_org.client.get("/v2/users?"+q, headers=still_org.headers)
        print(q, r.status_code, r.text[:200])
    for m,p in [("GET","/nope"),("GET","/v2/tos-link"),("OPTIONS","/v2/users"),("HEAD","/v2/users"),("PUT","/v2/users"),("DELETE","/v2/ping"),("GET","/v2/reporting/nope"),("POST","/v2/reporting/templates"),("GET","/openapi"),("GET","/openapi/openapi.json"),("GET","/docs/assets/none.js"),("GET","/docs/assets/swagger-ui.css"),("GET", "/tos/x?session=%00"),("GET","/v2/ping/"),("GET","//v2/ping"),("GET","/v2/users/%00"),("GET","/v2/wallets/swaps/%ff"), ("TRACE","/v2/ping"),("FOO","/v2/ping")]:
        r = await still_org.client.request(m,p)
        print(m,p, r.status_code, dict(r.headers), r.text[:200])
    for kw in [dict(data={"session":"\0"}), dict(json={"session":"x"}), dict(), dict(content=b"session=a&session=b", headers={"content-type":"application/x-www-form-urlencoded"}), dict(content=b"\xff\xfe=%ff%00", headers={"content-type":"application/x-www-form-urlencoded"}), dict(files={"session": b"x"}), dict(content=b"x"*1000, headers={"content-type":"multipart/form-data; boundary=x"}),dict(content=b"x"*1000, headers={"content-type":"multipart/form-data"}), dict(data={"session":"gut"})]:
        r = await still_org.client.post("/tos/8d3a7cfe-0000-4000-8000-000000000000/accept", **kw)
        print(kw, r.status_code, r.text[:200].replace("\n"," "))
    print((await still_org.send("GET","/openapi.json")).text[:300])
