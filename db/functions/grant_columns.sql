-- app.grant_columns grants rights to columns. In parameter names such as `cru`, the letter c stands for columns that
-- callers create, r for columns that they read, and u for columns that they update. The role in `readers` gets SELECT,
-- the role in `writers` gets INSERT and UPDATE, and roles that extend these roles inherit the rights. The files in
-- db/policies call app.grant_columns, and the last of these files drops it.
create or replace function app.grant_columns(
    target regclass,
    readers name,
    writers name,
    r name[] default '{}',
    cr name[] default '{}',
    cru name[] default '{}',
    ru name[] default '{}',
    cu name[] default '{}'
)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
declare
    column_grant record;
begin
    for column_grant in
        select p.privilege, p.grantee, pg_catalog.string_agg(pg_catalog.quote_ident(c.name), ', ') as columns
        from (
            values ('select', readers, r || cr || cru || ru), ('insert', writers, cr || cru || cu), ('update', writers, cru || ru || cu)
        ) as p (privilege, grantee, columns)
        cross join lateral pg_catalog.unnest(p.columns) as c (name)
        where p.privilege = 'select' or writers is not null
        group by p.privilege, p.grantee
    loop
        execute pg_catalog.format('grant %s (%s) on %s to %I', column_grant.privilege, column_grant.columns, target, column_grant.grantee);
    end loop;
end
$function$;
