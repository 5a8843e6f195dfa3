-- Functions that change users' rights, and functions that send changes to the identity provider, call
-- app.note_identity_change as taxclaims_definer.

-- app.note_identity_change stores a change of rights in the transaction that makes the change. app.note_identity_change
-- stores nothing if the service sends no changes to the identity provider, or if the provider does not know the user.
-- FOR SHARE makes app.begin_identity_management and app.end_identity_management wait until the commit.
create or replace function app.note_identity_change(target uuid, ends_tokens boolean)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
declare
    request_settings constant record := app.read_request_settings();
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
        u.id, request_settings.request_id,
        coalesce(request_settings.actor, session_user),
        u.role, u.client_access, u.is_active,
        note_identity_change.ends_tokens
    from public.users as u
    where u.id = note_identity_change.target and u.subject is not null and u.erased_at is null;
end
$function$;

comment on function app.note_identity_change(uuid, boolean) is
    'Stores a user''s present rights, which the service then sends to the identity provider. If ends_tokens is true, '
    'the API refuses the user''s tokens with other rights until the identity provider has the present rights.';
grant execute on function app.note_identity_change(uuid, boolean) to taxclaims_definer;
