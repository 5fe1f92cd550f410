-- The organisation's own staff, who sign in to the dashboard.

create table team_members (
    org_id uuid not null,
    id uuid not null,
    -- In lower case; an address belongs to one organisation.
    email text not null,
    name text not null,
    role text not null,
    -- Argon2id; null until an invited member has chosen a password.
    password_hash text,
    -- The member's own preferences.
    language text not null,
    theme text not null,
    receives_approval_emails boolean not null,
    -- True until the invitation is accepted.
    is_invited boolean not null,
    created_at timestamptz not null,
    removed_at timestamptz,
    -- Number of changes, equal to the last changes.seq.
    version integer not null,
    -- Keyed hash of the address of a removed member; replaces the address.
    email_hash bytea,
    constraint team_members_pkey primary key (org_id, id),
    constraint team_members_org_id_fkey foreign key (org_id) references orgs (id),
    constraint team_members_name_check check (length(name) between 1 and 200),
    constraint team_members_email_check check (length(email) between 3 and 254),
    constraint team_members_role_check check (role in ('admin', 'member', 'analyst')),
    constraint team_members_theme_check check (theme in ('system', 'light', 'dark')),
    constraint team_members_version_check check (version > 0)
);

-- The login form takes an address and no organisation.
create unique index team_members_email_key on team_members (email) where removed_at is null;

-- A member's session in one browser. Found by the hash of the cookie's secret.
create table sessions (
    org_id uuid not null,
    id uuid not null,
    member_id uuid not null,
    secret_hash bytea not null,
    -- All times of sessions are real time.
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    -- When the second factor was verified; null while it is missing.
    verified_at timestamptz,
    ended_at timestamptz,
    -- IP address and browser at login, sealed with the member's data key.
    sealed_origin bytea,
    constraint sessions_pkey primary key (org_id, id),
    constraint sessions_member_id_fkey
        foreign key (org_id, member_id) references team_members (org_id, id),
    constraint sessions_secret_hash_key unique (secret_hash),
    constraint sessions_secret_hash_check check (length(secret_hash) = 32)
);

create index sessions_member_id_idx on sessions (org_id, member_id, created_at desc);

-- Ended sessions are kept for a while for display, then removed.
create index sessions_expires_at_idx on sessions (org_id, expires_at);

-- Invitations and password resets. Of each kind one link is valid for each member.
create table team_member_links (
    org_id uuid not null,
    member_id uuid not null,
    purpose text not null,
    token_hash bytea not null,
    expires_at timestamptz not null,
    constraint team_member_links_pkey primary key (org_id, member_id, purpose),
    constraint team_member_links_member_id_fkey
        foreign key (org_id, member_id) references team_members (org_id, id),
    constraint team_member_links_token_hash_key unique (token_hash),
    constraint team_member_links_token_hash_check check (length(token_hash) = 32),
    constraint team_member_links_purpose_check check (purpose in ('invitation', 'reset'))
);

-- Secrets of time-based one-time passwords (RFC 6238). Required at login once confirmed_at is set.
create table totp_secrets (
    org_id uuid not null,
    member_id uuid not null,
    -- Sealed with the member's data key.
    sealed_secret bytea not null,
    created_at timestamptz not null,
    confirmed_at timestamptz,
    -- The time step of the last accepted code; no code is accepted twice.
    last_step bigint not null,
    constraint totp_secrets_pkey primary key (org_id, member_id),
    constraint totp_secrets_member_id_fkey
        foreign key (org_id, member_id) references team_members (org_id, id)
);

create table recovery_codes (
    org_id uuid not null,
    member_id uuid not null,
    code_hash bytea not null,
    constraint recovery_codes_pkey primary key (org_id, member_id, code_hash),
    constraint recovery_codes_member_id_fkey
        foreign key (org_id, member_id) references team_members (org_id, id),
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
    constraint passkeys_member_id_fkey
        foreign key (org_id, member_id) references team_members (org_id, id),
    -- An authenticator sends this id and no organisation.
    constraint passkeys_credential_id_key unique (credential_id),
    constraint passkeys_name_check check (length(name) between 1 and 200)
);

create index passkeys_member_id_idx on passkeys (org_id, member_id, created_at);

-- Single-use challenges for authenticators. Without org_id, because nobody has signed in yet.
create table passkey_challenges (
    challenge_hash bytea not null,
    -- Hash of the cookie that binds the challenge to its browser.
    browser_hash bytea not null,
    expires_at timestamptz not null,
    constraint passkey_challenges_pkey primary key (challenge_hash)
);

create index passkey_challenges_expires_at_idx on passkey_challenges (expires_at);

-- Rate limits against guessing, by e-mail address, network and member. Subjects are hashed.
-- Without org_id, because most of them belong to no organisation.
create table login_attempts (
    subject_hash bytea not null,
    -- Decays with time, so it is not a whole number.
    attempts double precision not null,
    last_attempt_at timestamptz not null,
    -- Further attempts are refused until then.
    locked_until timestamptz not null,
    constraint login_attempts_pkey primary key (subject_hash),
    constraint login_attempts_attempts_check check (attempts >= 0)
);

create index login_attempts_last_attempt_at_idx on login_attempts (last_attempt_at);
