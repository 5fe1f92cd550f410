-- What was, or is to be, delivered to an endpoint: one row for each event that is for it. By day,
-- in real time, so that old ones go as a whole (webhooks/delivering/partitions.py makes and drops the days).
create table webhook_deliveries (
    org_id uuid not null,
    id uuid not null,
    day date not null,
    endpoint_id uuid not null,
    round integer not null,
    -- The event: a change, and which of its events.
    tx xid8 not null,
    object_id uuid not null,
    seq integer not null,
    part smallint not null,
    event_type text not null,
    event_at timestamptz not null,
    status text not null,
    -- In the organisation's time; null: waits for the one before of the same object, or for nothing.
    due_at timestamptz,
    -- After that nobody tries again.
    gives_up_at timestamptz not null,
    attempt_count integer not null,
    -- The last of them, oldest first: [{at, took_ms, status, error, answer}, ...]. Of answers only
    -- that one was empty: what was said is below, one for each attempt, under its owner's key.
    attempts jsonb not null,
    owner_id uuid,
    sealed_answers bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint webhook_deliveries_pkey primary key (org_id, id, day),
    constraint webhook_deliveries_status_check
        check (status in ('PENDING', 'DELIVERED', 'REFUSED', 'GIVEN_UP', 'REPLACED')),
    constraint webhook_deliveries_sealed_answers_check
        check (sealed_answers is null or owner_id is not null),
    constraint webhook_deliveries_due_at_check check (due_at is null or status = 'PENDING'),
    constraint webhook_deliveries_attempt_count_check check (attempt_count >= 0)
) partition by range (day);

-- Lists, newest first.
create index webhook_deliveries_created_at_idx
    on webhook_deliveries (org_id, endpoint_id, created_at, id);

-- The few that were not delivered: listed by status, and sent again.
create index webhook_deliveries_undelivered_idx
    on webhook_deliveries (org_id, endpoint_id, created_at, id) where status <> 'DELIVERED';

-- What an event came to, and what a worker that takes over finds done.
create index webhook_deliveries_event_idx
    on webhook_deliveries (org_id, endpoint_id, tx, object_id, seq, part);

-- What was done in a round, once the log is read again: those of rounds before are passed over.
create index webhook_deliveries_round_idx
    on webhook_deliveries (org_id, endpoint_id, round, tx, object_id, seq, part) where round > 1;

-- Those of one moment in the order of the log.
create index webhook_deliveries_pending_idx
    on webhook_deliveries (org_id, endpoint_id, due_at, tx, object_id, seq, part)
    where status = 'PENDING';

-- What of an object is next, once the one before is finished.
create index webhook_deliveries_waiting_idx
    on webhook_deliveries (org_id, endpoint_id, object_id, tx, seq, part)
    where status = 'PENDING';
