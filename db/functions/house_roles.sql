do $house$
begin
    execute pg_catalog.format(
        $function$
        create or replace function app.house_roles()
            returns table (place integer, name name, purpose text, extends name)
            language sql immutable rows 14 set search_path = ''
        as %L
        $function$,
        pg_catalog.format(
            'select h.* from pg_catalog.jsonb_to_recordset(%L) as h (place integer, name name, purpose text, extends name)',
            pg_catalog.current_setting('deploy.house_roles')
        )
    );
end
$house$;

comment on function app.house_roles() is
    'Returns the roles of this application, each with its purpose and the role that it extends. audit.house_roles and '
    'app.role call app.house_roles.';
grant execute on function app.house_roles()
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_auditor;
