-- A swap in plain statements: two transactions, row locks in sorted order. Words in angle brackets
-- are filled in by scripts.py. The rows it writes are those that our API writes.
begin;
-- The balance check of the create, which the quote needs in any design.
select available from accounts where org_id = :org::uuid and id = <source>::uuid;
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, due_at, created_at, updated_at
)
values (
    :org::uuid, <id>::uuid, 'WALLET.SWAP', <user>::uuid, gen_random_uuid(), :request::jsonb,
    'OPEN_QUOTE', 1, <sold>, 1250000, <bought>, 1248750, :details::jsonb,
    now() + interval '30 s', now(), now()
)
on conflict (org_id, request_id) do nothing;
with batch as (
    insert into change_batches (org_id, number)
    values (:org::uuid, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor,
    occurred_at, is_settled, batch, creation_digest
)
select :org::uuid, <id>::uuid, 1, 'WALLET.SWAP', 'open', null, 'OPEN_QUOTE', :actor, now(), true,
    number, decode(repeat('0a', 32), 'hex')
from batch;
commit;
begin;
select status, version, due_at from transfers
where org_id = :org::uuid and id = <id>::uuid
for update;
select id, available, held from accounts
where org_id = :org::uuid and id in (<source>::uuid, <destination>::uuid)
order by org_id, id
for update;
update accounts set available = available - 1250000
where org_id = :org::uuid and id = <source>::uuid;
update accounts set available = available + 1248750
where org_id = :org::uuid and id = <destination>::uuid;
insert into entries (
    org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at
)
values
    (:org::uuid, <id>::uuid, 4, 1, <source>::uuid, null, <sold>, -1250000, 0, now()),
    (:org::uuid, <id>::uuid, 4, 2, null, 'liquidity', <sold>, 1248750, 0, now()),
    (:org::uuid, <id>::uuid, 4, 3, null, 'fees', <sold>, 1250, 0, now()),
    (:org::uuid, <id>::uuid, 4, 4, null, 'liquidity', <bought>, -1248750, 0, now()),
    (:org::uuid, <id>::uuid, 4, 5, <destination>::uuid, null, <bought>, 1248750, 0, now());
update transfers set status = 'COMPLETED', version = 4, due_at = null, updated_at = now()
where org_id = :org::uuid and id = <id>::uuid and version = 1;
with batch as (
    insert into change_batches (org_id, number)
    values (:org::uuid, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor,
    occurred_at, is_settled, batch
)
select :org::uuid, <id>::uuid, s.seq, 'WALLET.SWAP', 'accept', s.status_before, s.status_after,
    :actor, now(), s.seq = 4, b.number
from batch b
cross join (
    values (2, 'OPEN_QUOTE', 'CREATED'), (3, 'CREATED', 'PENDING'), (4, 'PENDING', 'COMPLETED')
) as s (seq, status_before, status_after);
commit;
