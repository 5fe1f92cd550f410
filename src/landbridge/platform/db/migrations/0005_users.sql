-- Users, and the terms of service that they accepted.

-- An agreement is created as a link, shown to a person, and signed. Only then can the person become
-- a user. It is sealed with its own data key, because it is signed before there is a user.
create table agreements (
    org_id uuid not null,
    -- Equal to the client's idempotencyKey.
    id uuid not null,
    template_id text,
    -- Token in the hosted page; proves that the page was opened from the link.
    session_token text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    signed_at timestamptz,
    sealed_redirect_url bytea,
    -- Version of the terms in force when they were signed.
    terms_version text,
    -- IP address of the signer, if a person's browser signed.
    sealed_signed_from bytea,
    constraint agreements_pkey primary key (org_id, id),
    constraint agreements_org_id_fkey foreign key (org_id) references orgs (id),
    constraint agreements_session_token_key unique (session_token),
    constraint agreements_signed_at_check check (
        (signed_at is null) = (terms_version is null)
        and (signed_at is not null or sealed_signed_from is null)
    )
);

-- People and businesses that hold wallets with an organisation. All sealed columns use the user's
-- data key and are null once the user is erased.
create table users (
    org_id uuid not null,
    id uuid not null,
    request_id uuid not null,
    type text not null,
    agreement_id uuid not null,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- Names and e-mail address: everything that lists show.
    sealed_summary bytea,
    -- Everything else that was submitted (birth date, address, owners).
    sealed_profile bytea,
    -- The creation request; opened only to compare a repeated request with it.
    sealed_request bytea,
    -- Blind index of names and e-mail address (docs/decisions/0013-blind-search.md).
    search_trigrams integer[] not null,
    -- A frozen user can read but cannot move money. The reason is free text, so it is sealed.
    frozen_at timestamptz,
    sealed_freeze_reason bytea,
    erased_at timestamptz,
    constraint users_pkey primary key (org_id, id),
    constraint users_request_id_key unique (org_id, request_id),
    constraint users_agreement_id_fkey
        foreign key (org_id, agreement_id) references agreements (org_id, id),
    constraint users_type_check check (type in ('individual', 'business')),
    constraint users_erased_at_check check (
        (erased_at is null) = (sealed_summary is not null)
        and (erased_at is null) = (sealed_profile is not null)
        and (erased_at is null) = (sealed_request is not null)
        and (erased_at is null or (search_trigrams = '{}' and sealed_freeze_reason is null))
    ),
    constraint users_frozen_at_check check (
        frozen_at is not null or (sealed_freeze_reason is null and erased_at is null)
    )
);

create index users_created_at_idx on users (org_id, created_at desc, id desc);

-- Without org_id, because GIN does not support uuid. The upper half of each trigram's number
-- identifies the organisation.
create index users_search_trigrams_idx on users using gin (search_trigrams);

-- All agreements with which a user was created or updated. One agreement may serve several users.
create table user_agreements (
    org_id uuid not null,
    user_id uuid not null,
    agreement_id uuid not null,
    created_at timestamptz not null,
    constraint user_agreements_pkey primary key (org_id, user_id, agreement_id),
    constraint user_agreements_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint user_agreements_agreement_id_fkey
        foreign key (org_id, agreement_id) references agreements (org_id, id)
);

create index user_agreements_agreement_id_idx on user_agreements (org_id, agreement_id);
