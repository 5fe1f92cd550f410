-- One row, written at the first start: what this database is for. A sandbox's money is made up and
-- its clocks are ahead, so it must never be taken for production's, nor the other way round.
create table installation (
    single boolean not null default true,
    mode text not null,
    constraint installation_pkey primary key (single),
    constraint installation_single_check check (single),
    constraint installation_mode_check check (mode in ('sandbox', 'production'))
);
