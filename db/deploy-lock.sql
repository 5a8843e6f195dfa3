-- What a deploy holds while it works, so that one at a time does. It has no column and no row: only whoever may become
-- its owner can lock it, whereas an advisory lock is anybody's. Made before everything else, and never changed.

set local role taxclaims_owner;

create table if not exists app.deploy_lock ();

alter table app.deploy_lock enable row level security;
alter table app.deploy_lock force row level security;

comment on table app.deploy_lock is
    'What a deploy holds while it works, so that one at a time does. It has no column and no row.';

reset role;
