-- Members who get an e-mail about each run of a schedule.
alter table report_schedules add column recipient_ids uuid[] not null default '{}';
