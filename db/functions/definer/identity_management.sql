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

comment on function app.begin_identity_management() is 'Starts to store changes of rights for the identity provider.';
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
    -- The function first marks the changes as delivered, so that triggers set the date from which tokens count.
    update public.identity_changes as c
    set delivered_at = pg_catalog.clock_timestamp()
    where c.id = any (undelivered) and c.delivered_at is null;
    delete from public.identity_changes as c
    where c.id = any (undelivered);
    return pg_catalog.cardinality(undelivered);
end
$function$;

comment on function app.end_identity_management() is
    'Stops storing changes of rights for the identity provider, deletes undelivered ones and returns their number. '
    'For a DBA, after the last instance stopped sending changes.';
grant execute on function app.end_identity_management() to taxclaims_owner;
