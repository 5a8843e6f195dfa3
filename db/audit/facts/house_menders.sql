-- On a bought Postgres only the provider is a superuser. The functions of this file find out from the catalogs what the
-- administrators of this database can mend there. audit.drift of npm run db:audit inlines their bodies.

create function audit.members_of_owner()
    returns table (oid oid)
    language sql stable set search_path = ''
as $body$
    select m.member
    from pg_catalog.pg_auth_members as m
    join pg_catalog.pg_roles as g on g.oid = m.roleid and g.rolname = 'taxclaims_owner'
$body$;

comment on function audit.members_of_owner() is 'Roles that are direct members of taxclaims_owner.';

create function audit.names_to_close()
    returns table (what text, risk text, names text)
    language sql stable set search_path = ''
as $body$
    values
        ('large objects', 'data can be stored where no policy protects it', '^lo_(creat|create|from_bytea)$'),
        (
            'advisory locks', 'one session can fill the lock table and stop all others',
            '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
        ),
        (
            'writes of a reader', 'a read-only session can fill the disk with write-ahead log or files',
            '^pg_(logical_emit_message|export_snapshot)$'
        )
$body$;

comment on function audit.names_to_close() is
    'Patterns of the names of the functions in audit.functions_to_close, as db/roles.sql has them too.';

-- An administrator deploys: it is in taxclaims_owner and in the role that owns the database, and in no group role.
create function audit.administrators()
    returns table (oid oid)
    language sql stable set search_path = ''
as $body$
    select r.oid
    from pg_catalog.pg_database as d
    join pg_catalog.pg_roles as owner on owner.oid = d.datdba
    join pg_catalog.pg_roles as r on r.rolcanlogin
    where d.datname = pg_catalog.current_database()
        and (
            r.oid = d.datdba
            or not owner.rolsuper
            and not r.rolsuper
            and pg_catalog.pg_has_role(r.oid, d.datdba, 'MEMBER')
            and r.oid in (select o.oid from audit.members_of_owner() as o (oid))
            and not exists (
                select
                from pg_catalog.pg_auth_members as m
                join audit.house_roles as h on h.oid = m.roleid and h.purpose in ('group', 'addition')
                where m.member = r.oid and not m.admin_option
            )
        )
$body$;

comment on function audit.administrators() is
    'Logins that deploy: the owner of the database, and where a role without SUPERUSER owns it, each login that is in that '
    'role and in taxclaims_owner.';

-- A superuser can mend everything, so audit.menders() returns no row where a superuser reads or owns the database.
create function audit.menders()
    returns table (oid oid)
    language sql stable set search_path = ''
as $body$
    select r.oid
    from audit.administrators() as a
    join pg_catalog.pg_roles as r on r.oid = a.oid and not r.rolsuper
    where r.oid in (select o.oid from audit.members_of_owner() as o (oid))
        and not exists (
            select
            from pg_catalog.pg_roles as reader
            where reader.rolsuper and reader.rolname in (current_user, session_user)
        )
$body$;

comment on function audit.menders() is
    'Administrators whose rights decide who can mend a finding; none where a superuser reads the audit or owns the '
    'database, because a superuser can mend everything.';

create function audit.may_act_as(role oid)
    returns boolean
    language sql stable set search_path = ''
begin atomic
    select
        not exists (select from audit.menders())
        or exists (select from audit.menders() as m where pg_catalog.pg_has_role(m.oid, may_act_as.role, 'MEMBER'));
end;

comment on function audit.may_act_as(oid) is
    'True if an administrator can mend what the role owns or granted. The role 10 is the first superuser, to whom the '
    'settings of the server and the objects of Postgres belong.';

create function audit.may_take_attribute(role oid, attribute text)
    returns boolean
    language sql stable set search_path = ''
begin atomic
    select
        not exists (select from audit.menders())
        or exists (
            select
            from audit.menders() as m
            join pg_catalog.pg_roles as a on a.oid = m.oid
            join pg_catalog.pg_roles as r on r.oid = may_take_attribute.role and not r.rolsuper
            where case
                    -- Every login may reset its own settings.
                    when a.oid = r.oid and may_take_attribute.attribute = 'setting' then true
                    when not a.rolcreaterole then false
                    when pg_catalog.current_setting('server_version_num')::integer < 160000
                        then may_take_attribute.attribute not in ('BYPASSRLS', 'REPLICATION')
                    else pg_catalog.pg_has_role(a.oid, r.oid, 'MEMBER WITH ADMIN OPTION')
                        and (a.rolbypassrls or may_take_attribute.attribute <> 'BYPASSRLS')
                        and (a.rolreplication or may_take_attribute.attribute <> 'REPLICATION')
                end
        );
end;

comment on function audit.may_take_attribute(oid, text) is
    'True if an administrator can take the attribute, such as BYPASSRLS, or a stored setting away from the role.';

-- The rights that a deploy would revoke or grant, and that only the provider can.
create function audit.rights_left_open()
    returns table (object text)
    language sql stable set search_path = ''
as $body$
    select pg_catalog.format('function %s to %s', f.oid::regprocedure, kept.grantee)
    from audit.names_to_close() as t (what, risk, names)
    join pg_catalog.pg_proc as f on f.proname ~ t.names
    cross join (values ('PUBLIC'), ('taxclaims_definer')) as kept (grantee)
    where f.pronamespace = 'pg_catalog'::regnamespace
        and (kept.grantee = 'PUBLIC' or f.oid = 'pg_catalog.pg_try_advisory_xact_lock(bigint)'::regprocedure)
        and exists (
            select
            from audit.menders() as m
            where not exists (
                select from audit.menders() as able where pg_catalog.pg_has_role(able.oid, f.proowner, 'MEMBER')
            )
        )
    union all
    select 'database this database to PUBLIC'
    from pg_catalog.pg_database as d
    where d.datname = pg_catalog.current_database()
        and exists (select from audit.menders())
        and not exists (
            select
            from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) as x
            join audit.menders() as able on pg_catalog.pg_has_role(able.oid, x.grantor, 'MEMBER')
            where x.grantee = 0 and x.privilege_type = 'CONNECT'
        )
$body$;

comment on function audit.rights_left_open() is
    'Rights that a deploy would change and only the provider can: the findings server_function_open and '
    'rights_outside_house report them, and audit.drift does not.';

-- Without recorded surroundings, which a deploy of an earlier release did not write, a role outside the groups of this
-- application may have been there before the first deploy.
create view audit.spared_roles with (security_invoker) as
select
    r.oid,
    r.rolname as name,
    case
        when exists (select from audit.menders() as m where m.oid = r.oid) then pg_catalog.format('%I deploys', r.rolname)
        when recorded.is_so then pg_catalog.format('%I was there before the first deploy', r.rolname)
        else pg_catalog.format('%I may have been there before the first deploy', r.rolname)
    end as reason
from pg_catalog.pg_roles as r
cross join lateral (
    select
        exists (select from audit.applied as a where a.kind = 'earlier role' and a.object = r.rolname) as is_so,
        exists (select from audit.applied as a where a.kind = 'earlier role') as is_known
) as recorded
where exists (select from audit.menders())
    and not exists (select from audit.house_roles as h where h.oid = r.oid)
    and (
        recorded.is_so
        or exists (select from audit.menders() as m where m.oid = r.oid)
        or not recorded.is_known
            and not exists (
                select
                from audit.house_roles as h
                where h.purpose = 'group' and pg_catalog.pg_has_role(r.oid, h.oid, 'MEMBER')
            )
    );

comment on view audit.spared_roles is
    'Roles against which no remedy acts on a bought Postgres: the logins that deploy, and the roles that were there '
    'before the first deploy. Empty where a superuser reads the audit or owns the database.';
comment on column audit.spared_roles.reason is 'Why no remedy acts against the role.';

create function audit.sparing_remedy(remedy text)
    returns text
    language sql stable set search_path = ''
begin atomic
    select
        case
            when sparing_remedy.remedy !~ ';' then sparing_remedy.remedy
            else coalesce(
                (
                    select pg_catalog.format(
                        'find out who needs what the detail names, then take it away by hand or accept the finding with audit.accept (%s)',
                        pg_catalog.string_agg(s.reason, ', ' order by s.reason)
                    )
                    from audit.spared_roles as s
                    where sparing_remedy.remedy ~ pg_catalog.concat(
                        '(alter role|drop role|from|for|,) ',
                        pg_catalog.regexp_replace(pg_catalog.quote_ident(s.name), '([^A-Za-z0-9_])', '\\\1', 'g'),
                        '([ ;,]|$)'
                    )
                    having pg_catalog.count(*) > 0
                ),
                sparing_remedy.remedy
            )
        end;
end;

comment on function audit.sparing_remedy(text) is
    'The remedy, or a sentence in its place if its SQL would act against a role of audit.spared_roles.';
