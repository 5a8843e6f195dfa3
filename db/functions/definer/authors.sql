-- Uses the author's stored rights: of two ADMINs who remove each other, the second is refused. Locks author and target
-- in the order of their ids. An author who is not stored has only the token.
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
    'Locks the author of a change of users until the commit; refuses (TX401) one whose rights changed.';
grant execute on function app.hold_author(timestamp with time zone, text, uuid) to taxclaims_account_manager, taxclaims_admin;
