-- If two ADMINs take each other's rights away at the same time, the second change is refused. app.hold_author locks the
-- rows of the author and of the changed user in the order of their ids, to avoid a deadlock. For an author without a
-- row in users, app.hold_author checks nothing.
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
    'Locks the row of a user who changes other users, until the commit. Refuses (TX401) a user whose rights changed '
    'since the token was issued.';
grant execute on function app.hold_author(timestamp with time zone, text, uuid) to taxclaims_account_manager, taxclaims_admin;
