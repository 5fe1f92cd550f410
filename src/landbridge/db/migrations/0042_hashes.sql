-- Finds the record of a transaction on a chain. In the log rather than in the records: a change is
-- written once, and only those that tell a hash are in here.
create index changes_hash_idx on changes (
    org_id,
    coalesce(
        facts ->> 'transaction_hash', facts ->> 'mint_transaction_hash',
        facts ->> 'return_transaction_hash', facts ->> 'deposit_hash'
    )
) where facts ?| array[
    'transaction_hash', 'mint_transaction_hash', 'return_transaction_hash', 'deposit_hash'
];

-- Finds whose a registered address is.
create index external_wallets_address_idx on external_wallets (org_id, address);
