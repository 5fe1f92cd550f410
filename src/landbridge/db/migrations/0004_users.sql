-- Terms of service: a link is made, shown to a person, and accepted; only then can the person
-- become a user.
create table agreements (
    org_id uuid not null,
    -- Equal to the caller's idempotencyKey.
    id uuid not null,
    template_id text,
    redirect_url text,
    -- The token that the hosted page carries; proves that the page was opened from the link.
    session_token text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    signed_at timestamptz,
    signed_from text,
    constraint agreements_pkey primary key (org_id, id),
    constraint agreements_org_id_fkey foreign key (org_id) references orgs (id),
    constraint agreements_session_token_key unique (session_token)
);

-- The people and businesses whose wallets an organisation runs.
create table users (
    org_id uuid not null,
    id uuid not null,
    request_id uuid not null,
    request jsonb not null,
    type text not null,
    email text not null,
    first_name text,
    last_name text,
    business_name text,
    -- Everything else that was told at creation (birth date, address, owners).
    profile jsonb not null,
    agreement_id uuid not null,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint users_pkey primary key (org_id, id),
    constraint users_request_id_key unique (org_id, request_id),
    constraint users_agreement_id_fkey
        foreign key (org_id, agreement_id) references agreements (org_id, id),
    constraint users_type_check check (type in ('individual', 'business')),
    constraint users_names_check check (
        (type = 'individual') = (first_name is not null and last_name is not null)
        and (type = 'business') = (business_name is not null)
    )
);

create index users_created_idx on users (org_id, created_at desc, id desc);
