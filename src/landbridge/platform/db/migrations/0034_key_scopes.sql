-- Scopes of API keys: a key may be without payments and administration. Existing keys keep both.

alter table api_keys
    -- Whether the key may create payments, and the users, wallets and accounts that they need.
    add column can_pay boolean not null default true,
    -- Whether the key may change the configuration of its organisation, which includes paying.
    add column can_administer boolean not null default true;
