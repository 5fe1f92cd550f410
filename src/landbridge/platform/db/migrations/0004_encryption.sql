-- Keys that encrypt personal data and secrets ("sealed" columns).

-- Master keys in use. The keys themselves are not stored here; the proof shows whether a process
-- was configured with the right one.
create table master_keys (
    -- As in the setting, and in the second byte of everything that the key seals.
    id smallint not null,
    sealed_proof bytea not null,
    constraint master_keys_pkey primary key (id),
    constraint master_keys_id_check check (id between 0 and 255)
);

-- One key per owner of personal data (a user, an agreement, a file), and one per organisation.
-- Deleting a row erases everything that was sealed with the key, wherever it is stored.
create table data_keys (
    org_id uuid not null,
    -- The owner's own id, or one derived from it.
    id uuid not null,
    -- The foreign key prevents retiring a master key that is still needed.
    master_key_id smallint not null,
    sealed_key bytea not null,
    constraint data_keys_pkey primary key (org_id, id),
    constraint data_keys_org_id_fkey foreign key (org_id) references orgs (id),
    constraint data_keys_master_key_id_fkey
        foreign key (master_key_id) references master_keys (id)
);
