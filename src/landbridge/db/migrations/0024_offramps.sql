-- What is told with a payout (references, descriptions, documents), sealed under the data key of
-- the user whose coins are paid out. Gone when the user is erased; the record itself stays.
create table offramp_texts (
    org_id uuid not null,
    transfer_id uuid not null,
    user_id uuid not null,
    sealed_texts bytea not null,
    -- Files that the texts name: they go with the user too.
    file_ids text[] not null,
    constraint offramp_texts_pkey primary key (org_id, transfer_id),
    constraint offramp_texts_transfer_id_fkey
        foreign key (org_id, transfer_id) references transfers (org_id, id),
    constraint offramp_texts_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id)
);

-- For erasing a user.
create index offramp_texts_user_id_idx on offramp_texts (org_id, user_id);
