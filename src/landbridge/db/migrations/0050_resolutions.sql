-- Why a reviewer wants a payment resolved. The state of a resolution is its record in `transfers`.
create table resolutions (
    org_id uuid not null,
    -- The id of its record.
    id uuid not null,
    -- The payment that it is about.
    transfer_id uuid not null,
    -- Whose payment that is: the evidence is sealed with this user's key, and goes when the user does.
    user_id uuid not null,
    -- Null once it was erased.
    sealed_evidence bytea,
    created_at timestamptz not null,
    constraint resolutions_pkey primary key (org_id, id)
);

create index resolutions_transfer_idx on resolutions (org_id, transfer_id, created_at, id);
create index resolutions_user_idx on resolutions (org_id, user_id);
