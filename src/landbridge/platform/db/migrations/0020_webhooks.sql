-- Webhook endpoints, their signing keys and their deliveries.

create table webhook_endpoints (
    org_id uuid not null,
    id uuid not null,
    url text not null,
    description text,
    -- Patterns, as in 'ONRAMP.STATUS.*'.
    event_types text[] not null,
    status text not null,
    -- Which of the two published spellings of ramp creation events this endpoint receives.
    event_name_spelling text not null,
    -- Whether Standard Webhooks headers are sent beside the token. Their secret is sealed with the
    -- organisation's key.
    has_standard_headers boolean not null,
    sealed_secret bytea,
    -- The previous secret and, in organisation time, until when it is valid.
    sealed_previous_secret bytea,
    previous_secret_until timestamptz,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz,
    -- Since when events are given up here; null once a delivery succeeds again.
    flagged_at timestamptz,
    flagged_reason text,
    -- When an event was last given up; the flag is removed when none was for a while.
    given_up_at timestamptz,
    -- When the admin was last notified of a flag; at most once a day.
    flag_notified_at timestamptz,
    -- Read cursor in the log: each earlier event has a row in webhook_deliveries, or is not for
    -- this endpoint.
    read_tx xid8 not null,
    read_object_id uuid not null,
    read_seq integer not null,
    -- Organisation time; earlier events are not delivered.
    starts_at timestamptz not null,
    -- Earlier events were held back, or are replayed: their 24 hours of retries start at this time.
    -- Null: the retries of each event start with the event.
    retry_window_starts_at timestamptz,
    -- Grows when the cursor is moved back; deliveries of earlier rounds no longer count.
    round integer not null,
    -- When the cursor was last moved back, in real time.
    replay_requested_at timestamptz,
    -- Lease of one worker, in real time; leased_by is unique to each lease.
    leased_until timestamptz,
    leased_by uuid,
    constraint webhook_endpoints_pkey primary key (org_id, id),
    -- Receivers fetch keys by the endpoint's id alone.
    constraint webhook_endpoints_id_key unique (id),
    constraint webhook_endpoints_org_id_fkey foreign key (org_id) references orgs (id),
    constraint webhook_endpoints_status_check check (status in ('ACTIVE', 'PAUSED')),
    constraint webhook_endpoints_event_name_spelling_check
        check (event_name_spelling in ('CREATE', 'CREATED')),
    constraint webhook_endpoints_version_check check (version > 0),
    constraint webhook_endpoints_round_check check (round > 0),
    constraint webhook_endpoints_sealed_secret_check
        check (has_standard_headers = (sealed_secret is not null)),
    constraint webhook_endpoints_previous_secret_until_check
        check ((sealed_previous_secret is null) = (previous_secret_until is null)),
    constraint webhook_endpoints_flagged_reason_check
        check ((flagged_at is null) = (flagged_reason is null))
);

-- Lists. Deleted endpoints stay for their deliveries, but are not listed.
create index webhook_endpoints_created_at_idx on webhook_endpoints (org_id, created_at)
    where deleted_at is null;

-- Signing keys of an endpoint. A new key is published before it signs, and an old one for as long
-- as receivers may still need it.
create table webhook_keys (
    org_id uuid not null,
    -- Also the `kid` of tokens.
    id uuid not null,
    endpoint_id uuid not null,
    -- PEM (SubjectPublicKeyInfo).
    public_key text not null,
    -- PKCS 8, sealed with the organisation's key.
    sealed_private_key bytea not null,
    -- Organisation time; the key signs from then on, until a later one does.
    signs_from timestamptz not null,
    -- Published until then; null: no end.
    shown_until timestamptz,
    created_at timestamptz not null,
    constraint webhook_keys_pkey primary key (org_id, id),
    constraint webhook_keys_shown_until_check check (shown_until > signs_from),
    constraint webhook_keys_endpoint_id_fkey
        foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id)
);

create index webhook_keys_endpoint_id_idx on webhook_keys (org_id, endpoint_id, signs_from);

-- Deliveries, one row for each event of an endpoint. Partitioned by day, in real time, so that old
-- rows are dropped as a whole (developers/webhooks/delivery/partitions.py creates and drops the
-- days).
create table webhook_deliveries (
    org_id uuid not null,
    id uuid not null,
    day date not null,
    endpoint_id uuid not null,
    round integer not null,
    -- The event: a change, and the number of the event within the change.
    tx xid8 not null,
    object_id uuid not null,
    seq integer not null,
    part smallint not null,
    event_type text not null,
    event_at timestamptz not null,
    status text not null,
    -- Organisation time; null: finished, or waits for an earlier event of the same object.
    due_at timestamptz,
    -- No attempt starts after this time.
    deadline_at timestamptz not null,
    attempt_count integer not null,
    -- The latest attempts, oldest first: [{at, took_ms, status, error, answer}, ...]. The bodies of
    -- the responses are sealed below, one for each attempt, with their owner's data key.
    attempts jsonb not null,
    owner_id uuid,
    sealed_responses bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint webhook_deliveries_pkey primary key (org_id, id, day),
    constraint webhook_deliveries_status_check
        check (status in ('PENDING', 'DELIVERED', 'REFUSED', 'GIVEN_UP', 'REPLACED')),
    constraint webhook_deliveries_sealed_responses_check
        check (sealed_responses is null or owner_id is not null),
    constraint webhook_deliveries_due_at_check check (due_at is null or status = 'PENDING'),
    constraint webhook_deliveries_attempt_count_check check (attempt_count >= 0)
) partition by range (day);

-- Lists, newest first.
create index webhook_deliveries_created_at_idx
    on webhook_deliveries (org_id, endpoint_id, created_at, id);

-- The few undelivered events: listed by status, and sent again on request.
create index webhook_deliveries_undelivered_idx
    on webhook_deliveries (org_id, endpoint_id, created_at, id) where status <> 'DELIVERED';

-- Outcome of an event; also what a worker that takes over finds done.
create index webhook_deliveries_event_idx
    on webhook_deliveries (org_id, endpoint_id, tx, object_id, seq, part);

-- Deliveries of the current round after a replay, without those of earlier rounds.
create index webhook_deliveries_round_idx
    on webhook_deliveries (org_id, endpoint_id, round, tx, object_id, seq, part) where round > 1;

-- Deliveries due, those of one moment in the order of the log.
create index webhook_deliveries_pending_idx
    on webhook_deliveries (org_id, endpoint_id, due_at, tx, object_id, seq, part)
    where status = 'PENDING';

-- The next event of an object, once the previous one is finished.
create index webhook_deliveries_waiting_idx
    on webhook_deliveries (org_id, endpoint_id, object_id, tx, seq, part)
    where status = 'PENDING';
