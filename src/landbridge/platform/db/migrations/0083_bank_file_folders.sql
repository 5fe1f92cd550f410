-- Digests of the account's folders, as two organisations must not share one. Null for an account of
-- an earlier version until the next account of any organisation is set.
alter table funding_accounts add column folder_digests bytea[];
