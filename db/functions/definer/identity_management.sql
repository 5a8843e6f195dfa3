create or replace function app.begin_identity_management()
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update app.identity_management as m
    set managed_since = pg_catalog.clock_timestamp()
    where m.managed_since is null;
end
$function$;

comment on function app.begin_identity_management() is
    'Makes the database store each change of rights, so that the service sends it to the identity provider.';
grant execute on function app.begin_identity_management() to taxclaims_api;

create or replace function app.end_identity_management()
    returns integer
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    undelivered constant uuid[] := array(select c.id from public.identity_changes as c where c.delivered_at is null);
begin
    update app.identity_management as m
    set managed_since = null;
    -- The update marks the undelivered changes as delivered before their deletion, so that the trigger of
    -- app.date_rights_change_at_delivery runs and the API accepts new tokens again.
    update public.identity_changes as c
    set delivered_at = pg_catalog.clock_timestamp()
    where c.id = any (undelivered) and c.delivered_at is null;
    delete from public.identity_changes as c
    where c.id = any (undelivered);
    return pg_catalog.cardinality(undelivered);
end
$function$;

comment on function app.end_identity_management() is
    'Makes the database store no more changes of rights for the identity provider, deletes the undelivered changes and '
    'returns their number. A DBA calls app.end_identity_management after the last instance stopped sending changes.';
grant execute on function app.end_identity_management() to taxclaims_owner;
