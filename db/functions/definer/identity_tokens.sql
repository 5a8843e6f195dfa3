create or replace function app.refuse_tokens_until_delivery()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.users as u
    set access_changed_at = 'infinity'
    where u.id = new.user_id and u.access_changed_at < 'infinity';
    return null;
end
$function$;

comment on function app.refuse_tokens_until_delivery() is
    'Trigger of identity_changes: until a change of a user''s rights is delivered to the identity provider, the API '
    'refuses the user''s tokens with any other rights.';
grant execute on function app.refuse_tokens_until_delivery() to taxclaims_owner;

create or replace function app.date_rights_change_at_delivery()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.users as u
    set access_changed_at = app.provider_time(pg_catalog.clock_timestamp())
    where u.id = new.user_id
        and u.access_changed_at = 'infinity'
        and not exists (
            select
            from public.identity_changes as c
            where c.user_id = u.id and c.delivered_at is null and c.ends_tokens
        );
    return null;
end
$function$;

comment on function app.date_rights_change_at_delivery() is
    'Trigger of identity_changes: once a change of a user''s rights is delivered to the identity provider, the API '
    'refuses the user''s tokens with other rights only if they were issued before the delivery.';
grant execute on function app.date_rights_change_at_delivery() to taxclaims_owner;
