-- Exchange of travel rule data with other providers: settings of organisations, and the exchanges.

-- Without a row an organisation exchanges nothing.
create table travel_rule_exchange_settings (
    org_id uuid not null,
    is_on boolean not null,
    -- Whether a payment to a hosted wallet waits while its travel address is unknown.
    requires_address boolean not null,
    -- Chain, currency and digital token identifier of each asset.
    assets jsonb not null,
    -- Host, name, unit of amounts and policy of each provider that data are sent to.
    counterparties jsonb not null,
    version integer not null,
    updated_at timestamptz not null,
    constraint travel_rule_exchange_settings_pkey primary key (org_id),
    constraint travel_rule_exchange_settings_org_id_fkey foreign key (org_id) references orgs (id),
    constraint travel_rule_exchange_settings_version_check check (version > 0)
);

create table travel_rule_exchanges (
    org_id uuid not null,
    id uuid not null,
    direction text not null,
    status text not null,
    -- Host of the other provider, with its port unless that is 443.
    host text not null,
    -- Ours of an inquiry that we send, and the other provider's of one that it sends.
    request_identifier text not null,
    -- Whether a certificate proved that an inquiry is of this host.
    is_authenticated boolean not null,
    -- Owner of the wallet here; null while an inquiry names no wallet of a user.
    user_id uuid,
    -- The payment of an inquiry that we send.
    transfer_id uuid,
    -- The screening of that payment, or of the deposit that an inquiry was matched with.
    screening_id uuid,
    -- The wallet to pay to.
    wallet_address text,
    -- As in the message: identifier and amount.
    token text,
    amount text not null,
    -- Parties (IVMS101), URLs and comments: with the user's data key if the inquiry is ours, and
    -- the organisation's otherwise. Null once the user was erased.
    sealed_data bytea,
    -- Of the secret in the URL on which the other provider answers us.
    callback_hash bytea not null,
    -- The message that the other provider does not have yet.
    pending_message text,
    transaction_hash text,
    -- Why the last message did not arrive.
    problem text,
    attempts integer not null,
    -- Real times, as all of this table.
    next_attempt_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- Number of changes.
    version integer not null,
    constraint travel_rule_exchanges_pkey primary key (org_id, id),
    constraint travel_rule_exchanges_org_id_fkey foreign key (org_id) references orgs (id),
    -- An inquiry that is sent again is the same.
    constraint travel_rule_exchanges_request_identifier_key
        unique (org_id, direction, host, request_identifier),
    constraint travel_rule_exchanges_callback_hash_key unique (org_id, callback_hash),
    -- A payment has one inquiry, and a deposit is matched with one.
    constraint travel_rule_exchanges_screening_id_key unique (org_id, screening_id),
    constraint travel_rule_exchanges_direction_check check (direction in ('OUTGOING', 'INCOMING')),
    constraint travel_rule_exchanges_status_check
        check (status in ('OPEN', 'APPROVED', 'REJECTED', 'CONFIRMED', 'CANCELLED')),
    constraint travel_rule_exchanges_pending_message_check
        check (pending_message in ('INQUIRY', 'RESOLUTION', 'CONFIRMATION')),
    constraint travel_rule_exchanges_payment_check
        check (direction = 'INCOMING' or (transfer_id is not null and screening_id is not null)),
    constraint travel_rule_exchanges_version_check check (version > 0)
);
-- A worker takes those of all organisations in turn.
create index travel_rule_exchanges_next_attempt_at_idx on travel_rule_exchanges (next_attempt_at)
    where next_attempt_at is not null;
create index travel_rule_exchanges_created_at_idx on travel_rule_exchanges (org_id, created_at);
-- Inquiries of others that wait for people are bounded.
create index travel_rule_exchanges_open_idx on travel_rule_exchanges (org_id)
    where direction = 'INCOMING' and status = 'OPEN';
-- Deposits name their transaction.
create index travel_rule_exchanges_transaction_hash_idx
    on travel_rule_exchanges (org_id, transaction_hash) where direction = 'INCOMING';
create index travel_rule_exchanges_transfer_id_idx on travel_rule_exchanges (org_id, transfer_id)
    where transfer_id is not null;
create index travel_rule_exchanges_user_id_idx on travel_rule_exchanges (org_id, user_id)
    where user_id is not null;
