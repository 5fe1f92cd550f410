-- All that a user told for verification: data, owners, documents. One row, read and written as a
-- whole, so that what is submitted is never half of one change and half of another.
create table kyc_dossiers (
    org_id uuid not null,
    user_id uuid not null,
    -- Counts changes, which are told in `changes` under the same numbers.
    version integer not null,
    -- Sealed with the user's data key; null once the user is erased.
    sealed_content bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint kyc_dossiers_pkey primary key (org_id, user_id),
    constraint kyc_dossiers_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint kyc_dossiers_version_check check (version >= 0)
);

-- Which user's documents a file was ever used in: it shows one person, and is erased with them.
create table kyc_files (
    org_id uuid not null,
    -- Not a foreign key: the row of a file that was erased goes, and its id is still taken.
    file_id text not null,
    user_id uuid not null,
    constraint kyc_files_pkey primary key (org_id, file_id),
    constraint kyc_files_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id)
);

create index kyc_files_user_idx on kyc_files (org_id, user_id);
