-- Travel rule: jurisdictions of organisations, data about wallets outside, and messages (IVMS101).

-- Without a row, or without a jurisdiction, an organisation applies no travel rule.
create table travel_rule_settings (
    org_id uuid not null,
    jurisdiction text,
    version integer not null,
    updated_at timestamptz not null,
    constraint travel_rule_settings_pkey primary key (org_id),
    constraint travel_rule_settings_org_id_fkey foreign key (org_id) references orgs (id),
    constraint travel_rule_settings_jurisdiction_check
        check (jurisdiction in ('EU', 'GB', 'US', 'SG', 'CH')),
    constraint travel_rule_settings_version_check check (version > 0)
);

-- What a user stated about a wallet outside.
create table travel_rule_wallets (
    org_id uuid not null,
    user_id uuid not null,
    -- EVM addresses are in lower case, and hold on every EVM chain.
    address text not null,
    -- Kind, owner, provider and person, with the user's data key.
    sealed_data bytea not null,
    version integer not null,
    -- The code that the owner signs, once, until this organisation time.
    challenge_code text,
    challenge_expires_at timestamptz,
    -- When a signed message proved who controls the wallet.
    proven_at timestamptz,
    updated_at timestamptz not null,
    constraint travel_rule_wallets_pkey primary key (org_id, user_id, address),
    constraint travel_rule_wallets_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint travel_rule_wallets_version_check check (version > 0),
    constraint travel_rule_wallets_challenge_check
        check ((challenge_code is null) = (challenge_expires_at is null))
);
-- Deposits at an organisation's own address name no user.
create index travel_rule_wallets_address_idx on travel_rule_wallets (org_id, address);

-- Originator and beneficiary of a screened payment or deposit, as they were when it continued.
create table travel_rule_messages (
    org_id uuid not null,
    -- Record of the screening.
    screening_id uuid not null,
    user_id uuid not null,
    jurisdiction text not null,
    -- With the user's data key.
    sealed_message bytea not null,
    created_at timestamptz not null,
    constraint travel_rule_messages_pkey primary key (org_id, screening_id),
    constraint travel_rule_messages_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint travel_rule_messages_jurisdiction_check
        check (jurisdiction in ('EU', 'GB', 'US', 'SG', 'CH'))
);
