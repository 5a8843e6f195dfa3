-- Checks the stored rights of the user who makes a change. If two ADMINs remove each other at the same time, the
-- second change is refused. Both rows are locked in the order of their ids, to avoid a deadlock. For a user who is
-- not stored only the token counts.
create or replace function app.hold_author(
    issued_at timestamp with time zone, access_digest text, target uuid default null
)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    stored record;
begin
    if hold_author.target <= app.user_id() then
        perform from public.users as u where u.id = hold_author.target for no key update;
    end if;
    select u.is_active, u.sessions_ended_at, u.access_digest, u.access_changed_at
    into stored
    from public.users as u
    where u.id = app.user_id()
    for share;
    if found then
        perform app.require_present_rights(
            app.setting('actor'), stored.is_active, stored.sessions_ended_at, stored.access_digest,
            stored.access_changed_at, hold_author.access_digest, hold_author.issued_at
        );
    end if;
end
$function$;

comment on function app.hold_author(timestamp with time zone, text, uuid) is
    'Locks the row of a user who changes other users, until the commit. Refuses (TX401) a user whose rights changed.';
grant execute on function app.hold_author(timestamp with time zone, text, uuid) to taxclaims_account_manager, taxclaims_admin;
