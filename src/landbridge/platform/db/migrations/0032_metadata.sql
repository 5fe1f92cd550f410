-- Metadata: keys and values that clients attach to objects, in clear so that they can be searched.

create table metadata (
    org_id uuid not null,
    -- The payment, user or bank account.
    object_id uuid not null,
    -- Whose object it is: erased with this user.
    user_id uuid not null,
    key text not null,
    value text not null,
    constraint metadata_pkey primary key (org_id, object_id, key),
    constraint metadata_org_id_fkey foreign key (org_id) references orgs (id),
    constraint metadata_key_check check (length(key) between 1 and 40),
    constraint metadata_value_check check (length(value) <= 500)
);

-- Finds the objects with a value, for filters and the search.
create index metadata_value_idx on metadata (org_id, value, key);

-- Finds what is erased with a user.
create index metadata_user_id_idx on metadata (org_id, user_id);
