-- One row, which whoever loads a sanctions list has for themselves, and whoever approves a user
-- shares: the row of a version does not do, as the first load finds none, and a version that a load
-- has waited for is not the active one any more.
create table sanctions_gate (
    single boolean not null,
    constraint sanctions_gate_pkey primary key (single),
    constraint sanctions_gate_single_check check (single)
);

insert into sanctions_gate (single) values (true);
