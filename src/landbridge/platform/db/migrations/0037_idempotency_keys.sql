-- Idempotency keys of writes whose objects have no request id of their own: virtual accounts, files,
-- webhooks and others. A row is written in the transaction of the write, so that both exist or none.

create table idempotency_keys (
    org_id uuid not null,
    -- The key itself if it is a UUID, otherwise derived from its text and the organisation.
    request_id uuid not null,
    -- Operation id of the route: each has its own keys.
    operation text not null,
    -- HMAC-SHA256 of path and body, under a key derived from the organisation's data key.
    request_hash bytea not null,
    -- What the write created or changed.
    object_id uuid not null,
    -- First id of the path: the user, payment or webhook that the object belongs to.
    owner_id uuid,
    -- Numbers and ids of the response that are read from nowhere else.
    result jsonb,
    created_at timestamptz not null,
    constraint idempotency_keys_pkey primary key (org_id, request_id, operation),
    constraint idempotency_keys_org_id_fkey foreign key (org_id) references orgs (id),
    constraint idempotency_keys_request_hash_check check (length(request_hash) = 32)
);
