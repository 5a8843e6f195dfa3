-- What the functions that change rights, and those that deliver the changes, have in common. It runs as whoever calls it,
-- which is taxclaims_definer alone.

-- In the transaction that has changed them; nothing where changes are not sent, or the provider has no such user yet. The
-- switch is held until the commit: whoever turns it meanwhile waits, and no change falls between.
create or replace function app.note_identity_change(target uuid, ends_tokens boolean)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
declare
    said constant record := app.request();
    is_managed boolean;
begin
    select m.managed_since is not null
    into is_managed
    from app.identity_management as m
    for share;
    if not is_managed then
        return;
    end if;
    insert into public.identity_changes (
        user_id, request_id, actor, role, client_access, is_active, ends_tokens
    )
    select
        u.id, said.request_id,
        coalesce(said.actor, session_user),
        u.role, u.client_access, u.is_active,
        note_identity_change.ends_tokens
    from public.users as u
    where u.id = note_identity_change.target and u.subject is not null;
end
$function$;

comment on function app.note_identity_change(uuid, boolean) is
    'Notes that the identity provider is to be told the present rights of a user. ends_tokens: tokens that say others '
    'are refused until it knows.';
grant execute on function app.note_identity_change(uuid, boolean) to taxclaims_definer;
