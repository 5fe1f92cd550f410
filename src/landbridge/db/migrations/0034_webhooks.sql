-- Where organisations want to be told of events.
create table webhook_endpoints (
    org_id uuid not null,
    id uuid not null,
    url text not null,
    description text,
    -- Patterns, as in 'ONRAMP.STATUS.*'.
    event_types text[] not null,
    status text not null,
    -- Which of the two published spellings the create events of ramps have here.
    spelling text not null,
    -- Headers of Standard Webhooks beside the token; their secret is under the organisation's key.
    has_standard_headers boolean not null,
    sealed_secret bytea,
    -- The one before, good until then; in the organisation's time.
    sealed_secret_before bytea,
    secret_before_until timestamptz,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz,
    -- Since when events were given up here; null once one gets through again.
    flagged_at timestamptz,
    flagged_reason text,
    -- When an event was last given up: the flag goes once none was for a while.
    given_up_at timestamptz,
    -- When the admin was last told of a flag: once a day is enough.
    flag_told_at timestamptz,
    -- How far the log was read here: every event up to this place has a row in webhook_deliveries,
    -- or is not for this endpoint.
    read_tx xid8 not null,
    read_object_id uuid not null,
    read_seq integer not null,
    -- What happened before is not told, in the organisation's time.
    begins_at timestamptz not null,
    -- What happened before was not sent until then, or is sent again since then: the 24 hours in
    -- which it is tried begin then. Null: with each event.
    tried_from timestamptz,
    -- Grows when the place above is moved back: deliveries of a time before count no more.
    round integer not null,
    -- When it was last moved back, in real time.
    read_again_at timestamptz,
    -- In real time: until then one worker delivers here, by a mark of that turn's own.
    leased_until timestamptz,
    leased_by uuid,
    constraint webhook_endpoints_pkey primary key (org_id, id),
    -- Receivers fetch keys by the endpoint's id alone.
    constraint webhook_endpoints_id_key unique (id),
    constraint webhook_endpoints_org_id_fkey foreign key (org_id) references orgs (id),
    constraint webhook_endpoints_status_check check (status in ('ACTIVE', 'PAUSED')),
    constraint webhook_endpoints_spelling_check check (spelling in ('CREATE', 'CREATED')),
    constraint webhook_endpoints_version_check check (version > 0),
    constraint webhook_endpoints_round_check check (round > 0),
    constraint webhook_endpoints_sealed_secret_check
        check (has_standard_headers = (sealed_secret is not null)),
    constraint webhook_endpoints_secret_before_until_check
        check ((sealed_secret_before is null) = (secret_before_until is null)),
    constraint webhook_endpoints_flagged_reason_check
        check ((flagged_at is null) = (flagged_reason is null))
);

-- Deleted ones stay, for what was delivered to them; nobody looks for them.
create index webhook_endpoints_created_at_idx on webhook_endpoints (org_id, created_at)
    where deleted_at is null;

-- Signing keys of an endpoint. A new one is shown before it signs, and the old one for as long as
-- it may still be looked for.
create table webhook_keys (
    org_id uuid not null,
    -- Also the `kid` of tokens.
    id uuid not null,
    endpoint_id uuid not null,
    -- PEM (SubjectPublicKeyInfo).
    public_key text not null,
    -- PKCS 8, under the organisation's key.
    sealed_private_key bytea not null,
    -- In the organisation's time: signs from then on, until a later one does.
    signs_from timestamptz not null,
    -- Shown until then; null: for good.
    shown_until timestamptz,
    created_at timestamptz not null,
    constraint webhook_keys_pkey primary key (org_id, id),
    constraint webhook_keys_shown_until_check check (shown_until > signs_from),
    constraint webhook_keys_endpoint_id_fkey
        foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id)
);

create index webhook_keys_endpoint_id_idx on webhook_keys (org_id, endpoint_id, signs_from);
