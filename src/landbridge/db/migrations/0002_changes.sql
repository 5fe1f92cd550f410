-- Everything that happened to any object, in the transaction in which it happened. History,
-- events, webhook deliveries, roll-ups and list cursors are readings of this one table.
-- Append-only: no statement in the code updates or deletes here, and `landbridge check` walks it.

create table changes (
    org_id uuid not null,
    object_id uuid not null,
    -- 1, 2, 3 ... of this object: the order in which it changed.
    seq integer not null,
    kind text not null,
    -- What was done, as in 'open', 'accept', 'expire', 'update'.
    what text not null,
    -- The status before and after; null for objects that have none.
    status_before text,
    status_after text,
    -- Who did it: 'key:<id>', 'worker', 'cli', 'person:<id>'.
    actor text not null,
    -- What this change added to the object; the object at this moment is its first form plus the
    -- facts of its changes up to this one.
    facts jsonb,
    -- Organisation time. The moment at which a record came to rest is unique in its organisation.
    at timestamptz not null,
    -- False for the stations of a path that was taken in one go; readers never see those as
    -- updatedAt, so cursors need not find them.
    rests boolean not null,
    -- Readers page by commit order: everything below pg_snapshot_xmin is settled.
    tx xid8 not null,
    constraint changes_pkey primary key (org_id, object_id, seq),
    constraint changes_seq_check check (seq > 0)
);

create index changes_tx_idx on changes (org_id, tx);

-- Resolves the cursor of a list, which is the updatedAt of a record.
create index changes_at_idx on changes (org_id, at) where rests;
