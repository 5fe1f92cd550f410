-- Tries fade with time: what is left of them is no whole number.
alter table sign_in_tries alter column tries type double precision;
