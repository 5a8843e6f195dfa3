-- What a user is reminded of by mail knows the new kinds. Who chose a kind before gets those that follow from it: the silence
-- has the mail of the day after that the answer had, and an appeal is asked for as the court is.
alter table public.users no force row level security;
-- The triggers of the release before run as other roles, whom the next line would refuse; none is needed here.
alter table public.users disable trigger user;
set local row_security = off;

alter table public.users
    drop constraint users_reminder_kinds_known,
    alter column reminder_kinds
        set default '{claim,response,silence,regularisation,court,appeal,relief,task,invoice,partner_invoice}',
    add constraint users_reminder_kinds_known check (
        reminder_kinds <@ '{claim,response,silence,regularisation,court,appeal,relief,task,invoice,partner_invoice}'::text[]
        and pg_catalog.array_position(reminder_kinds, null) is null
    );

update public.users as u
set reminder_kinds = array(
    select k.kind
    from (
        values
            (1, 'claim', 'claim'), (2, 'response', 'response'), (3, 'silence', 'response'),
            (4, 'regularisation', 'response'), (5, 'court', 'court'), (6, 'appeal', 'court'), (7, 'relief', 'claim'),
            (8, 'task', 'task'), (9, 'invoice', 'invoice'), (10, 'partner_invoice', 'partner_invoice')
    ) as k (position, kind, chosen)
    where k.chosen = any (u.reminder_kinds)
    order by k.position
)
where u.reminder_kinds && '{claim,response,court}';

set local row_security = on;
alter table public.users enable trigger user;
alter table public.users force row level security;
