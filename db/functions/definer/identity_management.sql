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

comment on function app.begin_identity_management() is 'Starts noting changes of rights for the identity provider.';
grant execute on function app.begin_identity_management() to taxclaims_api;

create or replace function app.end_identity_management()
    returns integer
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    left_over constant uuid[] := array(select c.id from public.identity_changes as c where c.delivered_at is null);
begin
    update app.identity_management as m
    set managed_since = null;
    -- Marks them delivered first: triggers then date the tokens.
    update public.identity_changes as c
    set delivered_at = pg_catalog.clock_timestamp()
    where c.id = any (left_over) and c.delivered_at is null;
    delete from public.identity_changes as c
    where c.id = any (left_over);
    return pg_catalog.cardinality(left_over);
end
$function$;

comment on function app.end_identity_management() is
    'Stops noting changes of rights and deletes undelivered ones; returns their number. For a DBA, once no instance '
    'sends changes.';
grant execute on function app.end_identity_management() to taxclaims_owner;
