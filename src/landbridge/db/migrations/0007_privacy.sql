-- Personal data is encrypted at rest from here on. Columns in plain text are dropped, not converted:
-- no version with them was ever released.
do $$
begin
    if exists (select from users) or exists (select from agreements)
        or exists (select from wallet_seeds) then
        raise exception
            'this database was made before personal data was encrypted; begin a new one';
    end if;
end
$$;

-- The master keys that seal what is in this database. They are not in it; here is only what proves
-- that the key which a process was given is the right one.
create table master_keys (
    -- As in the setting, and in the second byte of what the key seals.
    id smallint not null,
    sealed_proof bytea not null,
    constraint master_keys_pkey primary key (id),
    constraint master_keys_id_check check (id between 0 and 255)
);

-- One key per owner of personal data (a user, an agreement, a file), and one per organisation. To
-- delete a row is to erase all that was sealed with it, wherever it stands.
create table data_keys (
    org_id uuid not null,
    -- The owner's own id, or one derived from it.
    id uuid not null,
    -- The foreign key keeps a master key from being retired while anything needs it.
    master_key_id smallint not null,
    sealed_key bytea not null,
    constraint data_keys_pkey primary key (org_id, id),
    constraint data_keys_org_id_fkey foreign key (org_id) references orgs (id),
    constraint data_keys_master_key_id_fkey
        foreign key (master_key_id) references master_keys (id)
);

-- All sealed columns of a user are sealed with the user's data key, and null once erased.
alter table users
    drop constraint users_names_check,
    drop column request,
    drop column email,
    drop column first_name,
    drop column last_name,
    drop column business_name,
    drop column profile,
    -- Names and e-mail address: all that lists show.
    add column sealed_card bytea,
    -- Everything else that was told (birth date, address, owners).
    add column sealed_profile bytea,
    -- What was asked at creation; opened only to compare a replay with it.
    add column sealed_request bytea,
    -- The blind index of names and e-mail address (docs/decisions/0013-blind-search.md).
    add column grams integer[] not null,
    -- Frozen: may read, but move nothing. The reason is somebody's free text, so it is sealed.
    add column frozen_at timestamptz,
    add column sealed_freeze_reason bytea,
    add column erased_at timestamptz,
    add constraint users_erased_at_check check (
        (erased_at is null) = (sealed_card is not null)
        and (erased_at is null) = (sealed_profile is not null)
        and (erased_at is null) = (sealed_request is not null)
        and (erased_at is null or (grams = '{}' and sealed_freeze_reason is null))
    ),
    add constraint users_frozen_at_check check (
        frozen_at is not null or (sealed_freeze_reason is null and erased_at is null)
    );

-- Without org_id: GIN knows no uuid. The upper half of each gram tells organisations apart.
create index users_grams_idx on users using gin (grams);

-- Sealed with a data key of the agreement's own: it is accepted before there is a user.
alter table agreements
    drop column redirect_url,
    drop column signed_from,
    add column sealed_redirect_url bytea,
    -- The version of the terms that was in force when they were accepted.
    add column terms_version text,
    -- The IP address that they were accepted from, if a person's browser did.
    add column sealed_signed_from bytea,
    add constraint agreements_signed_at_check check (
        (signed_at is null) = (terms_version is null)
        and (signed_at is not null or sealed_signed_from is null)
    );

-- Which agreements a user was ever created or updated with. One may serve several users.
create table user_agreements (
    org_id uuid not null,
    user_id uuid not null,
    agreement_id uuid not null,
    created_at timestamptz not null,
    constraint user_agreements_pkey primary key (org_id, user_id, agreement_id),
    constraint user_agreements_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint user_agreements_agreement_id_fkey
        foreign key (org_id, agreement_id) references agreements (org_id, id)
);

create index user_agreements_agreement_idx on user_agreements (org_id, agreement_id);

-- How the caller calls a registered address is sealed with the user's data key, null once erased.
alter table external_wallets
    drop column name,
    drop column reference_id,
    add column sealed_label bytea;
