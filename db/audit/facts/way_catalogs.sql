-- Every login may run these functions of Postgres, unless a superuser revokes them from PUBLIC, as db/roles.sql does.
create view audit.functions_to_close with (security_invoker) as
select f.oid, t.what, t.risk, f.oid = 'pg_catalog.pg_try_advisory_xact_lock(bigint)'::regprocedure as is_needed_by_house
from audit.names_to_close() as t
join pg_catalog.pg_proc as f on f.proname ~ t.names
where f.pronamespace = 'pg_catalog'::regnamespace;

comment on view audit.functions_to_close is
    'Functions of Postgres that PUBLIC may run in a new database, and must not run here. For the audit finding '
    'server_function_open.';
comment on column audit.functions_to_close.is_needed_by_house is 'True if app.claim_key calls the function as taxclaims_definer.';
comment on column audit.functions_to_close.risk is 'What everybody can do while PUBLIC may run the function.';
comment on column audit.functions_to_close.what is 'What the function makes.';

-- audit.catalog_rights lists rights to catalogs and built-in functions that db/audit/declared does not declare for this
-- release of Postgres, such as a right to passwords or to a function that reads files.
create view audit.catalog_rights with (security_invoker) as
with held as (
    select
        'table' as kind,
        pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
        null::name as column_name,
        'table ' || c.oid::regclass as declared,
        case n.nspname when 'pg_catalog' then 'SELECT' end as ordinary,
        x.grantee,
        x.grantor,
        x.privilege_type
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    cross join lateral pg_catalog.aclexplode(c.relacl) as x
    where n.nspname in ('pg_catalog', 'pg_toast') and x.grantee <> c.relowner
    union all
    select
        'table',
        pg_catalog.format('%I.%I', n.nspname, c.relname),
        a.attname,
        pg_catalog.format('column %s.%s', c.oid::regclass, a.attname),
        null,
        x.grantee,
        x.grantor,
        x.privilege_type
    from pg_catalog.pg_attribute as a
    join pg_catalog.pg_class as c on c.oid = a.attrelid
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    cross join lateral pg_catalog.aclexplode(a.attacl) as x
    where a.attacl is not null
        and n.nspname in ('pg_catalog', 'pg_toast')
        and x.grantee <> c.relowner
    union all
    select
        'function',
        f.oid::regprocedure::text,
        null,
        'function ' || f.oid::regprocedure,
        'EXECUTE',
        x.grantee,
        x.grantor,
        x.privilege_type
    from pg_catalog.pg_proc as f
    cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
    where f.pronamespace = 'pg_catalog'::regnamespace
        and x.grantee <> f.proowner
        -- The audit finding server_function_open reports rights to these functions, which read no row.
        and f.oid not in (select t.oid from audit.functions_to_close as t)
)
select
    h.kind,
    h.object,
    h.column_name,
    h.grantee as role_oid,
    coalesce(r.rolname, 'PUBLIC') as role,
    h.privilege_type as privilege,
    h.grantor as grantor_oid
from held as h
left join pg_catalog.pg_roles as r on r.oid = h.grantee
left join audit.applied as a on a.kind = 'grant' and a.object = pg_catalog.format('%s to %s', h.declared, coalesce(r.rolname, 'PUBLIC'))
where coalesce(not r.rolsuper, true)
    and case
        -- PUBLIC has the default right to a built-in object, unless db/audit/declared revokes it.
        when h.grantee = 0 and h.privilege_type = h.ordinary
            then coalesce('without ' || h.privilege_type = any (pg_catalog.string_to_array(a.definition, '; ')), false)
        else coalesce(h.privilege_type <> all (pg_catalog.string_to_array(a.definition, '; ')), true)
    end;

comment on view audit.catalog_rights is
    'Rights to built-in objects of Postgres beyond the rights that the repository declares.';
comment on column audit.catalog_rights.grantor_oid is 'Role that granted the right.';
comment on column audit.catalog_rights.kind is 'table or function.';

create view audit.server_rights with (security_invoker) as
select
    held.object,
    held.role_oid,
    coalesce(r.rolname, 'PUBLIC') as role,
    held.what,
    pg_catalog.format(held.remedy, case held.role_oid when 0 then 'public' else pg_catalog.quote_ident(r.rolname) end) as remedy,
    held.owner_oid
from (
    select
        'server ' || m.srvname as object,
        m.umuser as role_oid,
        'connects as it says' as what,
        pg_catalog.format('drop user mapping for %%s server %I;', m.srvname) as remedy,
        s.srvowner as owner_oid
    from pg_catalog.pg_user_mappings as m
    join pg_catalog.pg_foreign_server as s on s.oid = m.srvid
    union all
    select
        'server ' || s.srvname,
        x.grantee,
        'may use it',
        pg_catalog.format('revoke usage on foreign server %I from ', s.srvname) || '%s;',
        x.grantor
    from pg_catalog.pg_foreign_server as s
    cross join lateral pg_catalog.aclexplode(s.srvacl) as x
    where x.grantee <> s.srvowner
    union all
    select
        'server ' || s.srvname,
        s.srvowner,
        'owns it',
        pg_catalog.format('alter server %I owner to %I;', s.srvname, pg_catalog.pg_get_userbyid(10)) || '  -- from %s',
        s.srvowner
    from pg_catalog.pg_foreign_server as s
    union all
    select
        'foreign data wrapper ' || w.fdwname,
        x.grantee,
        'may make servers of it',
        pg_catalog.format('revoke usage on foreign data wrapper %I from ', w.fdwname) || '%s;',
        x.grantor
    from pg_catalog.pg_foreign_data_wrapper as w
    cross join lateral pg_catalog.aclexplode(w.fdwacl) as x
    where x.grantee <> w.fdwowner
) as held
left join pg_catalog.pg_roles as r on r.oid = held.role_oid
where coalesce(not r.rolsuper, true);

comment on view audit.server_rights is
    'Roles that may connect from SQL to another server, or to this server as another user.';
comment on column audit.server_rights.object is 'Foreign server or foreign data wrapper.';
comment on column audit.server_rights.owner_oid is 'Role that can take the right away.';
comment on column audit.server_rights.what is 'Description of the right.';
