-- A deploy locks the table app.deploy_lock, so that only one deploy runs at a time. Any role could take an advisory
-- lock, but only taxclaims_owner can lock app.deploy_lock.

set local role taxclaims_owner;

create table if not exists app.deploy_lock ();

alter table app.deploy_lock enable row level security;
alter table app.deploy_lock force row level security;

comment on table app.deploy_lock is 'A deploy locks this empty table, so that only one deploy runs at a time.';

reset role;
