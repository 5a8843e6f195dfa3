-- A deploy locks this table, so that only one runs. An advisory lock could be taken by anybody; this one only by its
-- owner.

set local role taxclaims_owner;

create table if not exists app.deploy_lock ();

alter table app.deploy_lock enable row level security;
alter table app.deploy_lock force row level security;

comment on table app.deploy_lock is 'Locked by a deploy, so that only one runs. No columns, no rows.';

reset role;
