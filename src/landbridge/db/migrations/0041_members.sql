-- People who sign in to the dashboard. They are the organisation's own staff; what users tell is
-- sealed elsewhere.

create table members (
    org_id uuid not null,
    id uuid not null,
    -- In lower case; one organisation for each address.
    email text not null,
    name text not null,
    role text not null,
    -- Argon2id; null until somebody who was invited has chosen a password.
    password_hash text,
    -- Of their own choice.
    language text not null,
    theme text not null,
    wants_approval_mails boolean not null,
    -- Until they have taken the invitation up.
    is_invited boolean not null,
    created_at timestamptz not null,
    removed_at timestamptz,
    -- Counts what was told of it in `changes`, under the same numbers.
    version integer not null,
    constraint members_pkey primary key (org_id, id),
    constraint members_org_id_fkey foreign key (org_id) references orgs (id),
    constraint members_name_check check (length(name) between 1 and 200),
    constraint members_email_check check (length(email) between 3 and 254),
    constraint members_role_check check (role in ('admin', 'member', 'analyst')),
    constraint members_theme_check check (theme in ('system', 'light', 'dark')),
    constraint members_version_check check (version > 0)
);

-- Whoever signs in says an address, and no organisation.
create unique index members_email_key on members (email) where removed_at is null;

-- One browser of one member. Found by the hash of what its cookie holds.
create table sessions (
    org_id uuid not null,
    id uuid not null,
    member_id uuid not null,
    secret_hash bytea not null,
    -- Real time, as everything about sessions.
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    -- When a second factor was given; null while one is still to be.
    verified_at timestamptz,
    ended_at timestamptz,
    ip_address text,
    browser text,
    constraint sessions_pkey primary key (org_id, id),
    constraint sessions_member_id_fkey foreign key (org_id, member_id) references members (org_id, id),
    constraint sessions_secret_hash_key unique (secret_hash),
    constraint sessions_secret_hash_check check (length(secret_hash) = 32)
);

create index sessions_member_id_idx on sessions (org_id, member_id, created_at desc);

-- Ended ones are kept for a while, to be looked at.
create index sessions_expires_at_idx on sessions (org_id, expires_at);

-- Invitations, and links to choose another password; of each kind one counts for each member.
create table member_links (
    org_id uuid not null,
    member_id uuid not null,
    purpose text not null,
    token_hash bytea not null,
    expires_at timestamptz not null,
    constraint member_links_pkey primary key (org_id, member_id, purpose),
    constraint member_links_member_id_fkey foreign key (org_id, member_id) references members (org_id, id),
    constraint member_links_token_hash_key unique (token_hash),
    constraint member_links_token_hash_check check (length(token_hash) = 32),
    constraint member_links_purpose_check check (purpose in ('invitation', 'reset'))
);

-- One-time codes by time (RFC 6238). Counts once `confirmed_at` is set.
create table totp_secrets (
    org_id uuid not null,
    member_id uuid not null,
    -- Under the member's data key.
    sealed_secret bytea not null,
    created_at timestamptz not null,
    confirmed_at timestamptz,
    -- The step of the last code that was taken: none is taken twice.
    last_step bigint not null,
    constraint totp_secrets_pkey primary key (org_id, member_id),
    constraint totp_secrets_member_id_fkey foreign key (org_id, member_id) references members (org_id, id)
);

create table recovery_codes (
    org_id uuid not null,
    member_id uuid not null,
    code_hash bytea not null,
    constraint recovery_codes_pkey primary key (org_id, member_id, code_hash),
    constraint recovery_codes_member_id_fkey foreign key (org_id, member_id) references members (org_id, id),
    constraint recovery_codes_code_hash_check check (length(code_hash) = 32)
);

create table passkeys (
    org_id uuid not null,
    id uuid not null,
    member_id uuid not null,
    credential_id bytea not null,
    public_key bytea not null,
    sign_count bigint not null,
    name text not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    constraint passkeys_pkey primary key (org_id, id),
    constraint passkeys_member_id_fkey foreign key (org_id, member_id) references members (org_id, id),
    -- An authenticator says this, and no organisation.
    constraint passkeys_credential_id_key unique (credential_id),
    constraint passkeys_name_check check (length(name) between 1 and 200)
);

create index passkeys_member_id_idx on passkeys (org_id, member_id, created_at);

-- What an authenticator is asked to sign, once; of nobody's organisation: nobody has signed in.
create table passkey_challenges (
    challenge_hash bytea not null,
    -- Of what ties it to the browser that asked.
    browser_hash bytea not null,
    expires_at timestamptz not null,
    constraint passkey_challenges_pkey primary key (challenge_hash)
);

create index passkey_challenges_expires_at_idx on passkey_challenges (expires_at);

-- How often something was tried that must not be guessed: by address, by network address, by
-- member. Hashes, of no organisation: most of them belong to nobody.
create table sign_in_tries (
    subject_hash bytea not null,
    tries integer not null,
    last_at timestamptz not null,
    -- No earlier is the next one taken.
    free_at timestamptz not null,
    constraint sign_in_tries_pkey primary key (subject_hash),
    constraint sign_in_tries_tries_check check (tries >= 0)
);

create index sign_in_tries_last_at_idx on sign_in_tries (last_at);
