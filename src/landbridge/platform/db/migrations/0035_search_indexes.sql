-- Indexes of the search. Those on the log have one entry for each payment, because a change is
-- written once; those on records leave out what has not ended, because every change of such a record
-- would write them again.

-- Finds a record by its short id. Only the first change of a record has a digest.
create index changes_short_id_idx on changes (org_id, right(object_id::text, 12))
    where creation_digest is not null;

-- Finds a record by the hash of a user operation.
create index changes_user_op_hash_idx on changes (
    org_id,
    coalesce(
        facts ->> 'user_op_hash', facts ->> 'mint_user_op_hash',
        facts ->> 'return_user_op_hash', facts ->> 'approve_user_op_hash'
    )
) where facts ?| array[
    'user_op_hash', 'mint_user_op_hash', 'return_user_op_hash', 'approve_user_op_hash'
];

-- Finds a payout by a reference that its bank gave it.
create index changes_tracking_idx on changes using gin ((facts -> 'tracking') jsonb_path_ops)
    where facts ? 'tracking';

-- Finds records by an amount.
create index transfers_source_units_idx
    on transfers (org_id, source_units, source_asset, created_at desc, id desc)
    where due_at is null;
create index transfers_destination_units_idx
    on transfers (org_id, destination_units, destination_asset, created_at desc, id desc)
    where due_at is null and destination_units <> source_units;
