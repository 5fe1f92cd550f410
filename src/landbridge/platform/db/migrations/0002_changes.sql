-- The log of all changes. A change is written in the transaction in which it happened. Histories,
-- events, webhook deliveries, rollups and list cursors are all derived from this table.
-- Append-only, except that expired snapshots are set to null. `landbridge check` verifies it.

create table changes (
    org_id uuid not null,
    object_id uuid not null,
    -- 1, 2, 3 ... for each object: the order of its changes.
    seq integer not null,
    kind text not null,
    -- As in 'open', 'accept', 'expire', 'update'.
    change_type text not null,
    -- The status before and after; null for objects without a status.
    status_before text,
    status_after text,
    -- Who caused the change: 'key:<id>', 'member:<id>', 'person:<id>', 'worker', 'cli'.
    actor text not null,
    -- What this change added. The object at this point is its first form plus the facts of all its
    -- changes up to this one.
    facts jsonb,
    -- Organisation time. A settled change of a record has a moment of its own in the organisation.
    occurred_at timestamptz not null,
    -- False for intermediate steps of one transaction. Readers never see those as updatedAt, so
    -- cursors need not find them.
    is_settled boolean not null,
    -- Readers page in commit order: everything below pg_snapshot_xmin is complete.
    tx xid8 not null,
    -- Snapshot of an object with personal data after this change, for events. Sealed with its
    -- owner's data key, so that it can be erased. Null where the facts are enough.
    snapshot_owner_id uuid,
    sealed_snapshot bytea,
    -- In the first change of a record: SHA-256 of its kind, owner, request id, amounts and details
    -- at creation (ledger/digests.py). `landbridge check` compares it to detect later alterations.
    creation_digest bytea,
    constraint changes_pkey primary key (org_id, object_id, seq),
    constraint changes_seq_check check (seq > 0),
    constraint changes_sealed_snapshot_check
        check ((snapshot_owner_id is null) = (sealed_snapshot is null))
);

comment on column changes.tx is
    'The transaction of this change, or that of the previous change of the same object if that '
    'began later: the order of tx never contradicts the order of seq.';

create index changes_tx_idx on changes (org_id, tx);

-- Resolves the cursor of a list, which is the updatedAt of a record.
create index changes_occurred_at_idx on changes (org_id, occurred_at) where is_settled;

-- Finds the snapshots to remove once their events have expired.
create index changes_snapshots_idx on changes (org_id, occurred_at, tx)
    where sealed_snapshot is not null;

-- Finds the record of an on-chain transaction by its hash. The index is on the log, because a
-- change is written once and only the changes that contain a hash are indexed.
create index changes_hash_idx on changes (
    org_id,
    coalesce(
        facts ->> 'transaction_hash', facts ->> 'mint_transaction_hash',
        facts ->> 'return_transaction_hash', facts ->> 'deposit_hash'
    )
) where facts ?| array[
    'transaction_hash', 'mint_transaction_hash', 'return_transaction_hash', 'deposit_hash'
];

-- Audit log: finds changes by people and commands among any number of changes by keys and by the
-- worker. A query in platform/audit_log/store.py repeats this predicate exactly.
create index changes_people_idx on changes (org_id, occurred_at)
where is_settled and (actor = 'cli' or actor like 'member:%' or actor like 'person:%');
