-- Mails that are to be sent. A row is written in the transaction that it tells of, and goes when
-- the mail was handed over. The row is the job: `due_at` says when somebody sends it.
create table mails (
    org_id uuid not null,
    id uuid not null,
    -- Whose data key sealed the letter; not a reference, for keys are destroyed to erase.
    owner_id uuid not null,
    -- Recipient, subject and text.
    sealed_letter bytea not null,
    created_at timestamptz not null,
    -- Real time: mail servers know no other.
    due_at timestamptz not null,
    -- Counts the times that somebody began to send it. Whoever sends names the count that they
    -- found, so that two don't send at once.
    attempts integer not null default 0,
    constraint mails_pkey primary key (org_id, id),
    constraint mails_org_id_fkey foreign key (org_id) references orgs (id),
    constraint mails_attempts_check check (attempts >= 0)
);

create index mails_due_idx on mails (org_id, due_at);

-- Links to the hosted form on which a person becomes a user or tells what rails still need. What
-- they tell is kept in the user's KYC data, not here, so that they can leave and come back.
create table kyc_links (
    org_id uuid not null,
    id uuid not null,
    -- SHA-256 of the token in the link. The token is 32 random bytes, so nobody finds it from this,
    -- and it is stored nowhere.
    token_hash bytea not null,
    user_type text not null,
    -- Whether it makes a user; without, it was made for one.
    makes_user boolean not null,
    -- Null until the user is made.
    user_id uuid,
    -- None: the user gets wallets only.
    rails text[] not null,
    -- E-mail address, redirect and template; sealed under the link's own data key, which is
    -- destroyed when the link has expired.
    sealed_details bytea,
    -- Names of fields, ids of owners and documents that were told through this link: whoever has
    -- it sees these in full, and the rest masked.
    entered text[] not null default '{}',
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- When the person submitted; nothing is taken through the link from then on.
    completed_at timestamptz,
    constraint kyc_links_pkey primary key (org_id, id),
    constraint kyc_links_org_id_fkey foreign key (org_id) references orgs (id),
    constraint kyc_links_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint kyc_links_token_hash_key unique (token_hash),
    constraint kyc_links_user_type_check check (user_type in ('individual', 'business')),
    constraint kyc_links_user_check check (makes_user or user_id is not null),
    constraint kyc_links_rails_check check (makes_user or cardinality(rails) > 0),
    constraint kyc_links_completed_check check (completed_at is null or user_id is not null)
);

create index kyc_links_user_idx on kyc_links (org_id, user_id) where user_id is not null;
create index kyc_links_expired_idx
    on kyc_links (org_id, expires_at) where sealed_details is not null;
