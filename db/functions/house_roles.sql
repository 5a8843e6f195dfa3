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
    'Roles of this application with their purpose, and the role that each extends. For audit.house_roles and app.role.';
grant execute on function app.house_roles()
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_auditor;
