-- Shared by the functions that change rights and those that deliver changes. Run as taxclaims_definer.

-- In the same transaction as the change. Writes nothing if the provider is not managed or does not know the user. FOR
-- SHARE makes begin_ and end_identity_management wait.
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
    where u.id = note_identity_change.target and u.subject is not null and u.erased_at is null;
end
$function$;

comment on function app.note_identity_change(uuid, boolean) is
    'Notes a user''s present rights for the identity provider. ends_tokens: tokens with other rights are refused '
    'until delivery.';
grant execute on function app.note_identity_change(uuid, boolean) to taxclaims_definer;
