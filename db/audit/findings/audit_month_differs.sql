create view audit.finding_audit_month_differs with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
    problem.what as detail,
    problem.remedy
from pg_catalog.pg_class as c
join pg_catalog.pg_namespace as n on n.oid = c.relnamespace and n.nspname = 'audit_log'
cross join lateral (
    select pg_catalog.regexp_match(
        pg_catalog.pg_get_expr(c.relpartbound, 0),
        $bounds$FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)$bounds$
    ) as limits
) as bound
cross join lateral (
    select
        'row-level security is off or not forced' as what,
        pg_catalog.format('alter table %s enable row level security, force row level security;', c.oid::regclass) as remedy
    where not (c.relrowsecurity and c.relforcerowsecurity)
    union all
    select
        'belongs to ' || pg_catalog.pg_get_userbyid(c.relowner),
        pg_catalog.format('alter table %s owner to taxclaims_housekeeper;', c.oid::regclass)
    where c.relowner <> (select h.oid from audit.house_roles as h where h.name = 'taxclaims_housekeeper')
    union all
    select
        'the policy ' || p.polname || ' allows rows to a query that names this partition',
        pg_catalog.format('drop policy %I on %s;', p.polname, c.oid::regclass)
    from pg_catalog.pg_policy as p
    where p.polrelid = c.oid
    union all
    select
        pg_catalog.format('%s is granted to %s', x.privilege, coalesce(r.rolname, 'PUBLIC')),
        pg_catalog.format('revoke all on %s from %s cascade;', c.oid::regclass, coalesce(pg_catalog.quote_ident(r.rolname), 'public'))
    from (
        select distinct g.grantee_oid, g.privilege from audit.relation_rights as g where g.relation_oid = c.oid
    ) as x
    left join pg_catalog.pg_roles as r on r.oid = x.grantee_oid
    where x.grantee_oid <> c.relowner
    union all
    select
        'records can be changed: the trigger audit_logs_append_only is missing or disabled',
        'run npm run db:migrate, which creates the trigger'
    where not exists (
        select
        from pg_catalog.pg_trigger as t
        where t.tgrelid = c.oid
            and t.tgname = 'audit_logs_append_only'
            and t.tgenabled = 'A'
            -- In the column pg_trigger.tgtype, 2 stands for BEFORE, 8 for DELETE, 16 for UPDATE and 32 for TRUNCATE.
            and t.tgtype = 2 + 8 + 16 + 32
            and t.tgfoid = 'app.refuse_change()'::regprocedure
    )
    union all
    select
        'has no unique key on id: a refusal that is sent twice would be stored twice',
        pg_catalog.format('alter table %s add primary key (id);', c.oid::regclass)
    where c.relkind = 'r'
        and not exists (
            select
            from pg_catalog.pg_index as i
            join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
            where i.indrelid = c.oid
                and i.indisunique
                and i.indisvalid
                and i.indimmediate
                and i.indnkeyatts = 1
                and i.indpred is null
                and a.attname = 'id'
        )
    union all
    select
        'is not a partition of the audit log',
        'read its records, then attach it to audit_log.months or drop it'
    where c.relname <> 'months'
        and not exists (
            select
            from pg_catalog.pg_inherits as i
            join pg_catalog.pg_class as log on log.oid = i.inhparent
            where i.inhrelid = c.oid and log.relname = 'months' and log.relnamespace = n.oid and not i.inhdetachpending
        )
    union all
    select
        'has other bounds than its name says',
        'detach it from audit_log.months, and attach it with the bounds of its name'
    where c.relispartition
        and case c.relname
            when 'months' then false
            when 'earlier' then bound.limits[1] is not null or bound.limits[2] is null
            when 'later' then bound.limits[1] is null or bound.limits[2] is not null
            -- The view compares the partition's bounds as timestamps, which do not depend on the session's time zone
            -- and date style.
            else array[bound.limits[1]::timestamptz, bound.limits[2]::timestamptz] is distinct from (
                select array[m.first at time zone 'UTC', (m.first + interval '1 month') at time zone 'UTC']
                from (
                    select pg_catalog.to_timestamp(pg_catalog.substr(c.relname::text, 7), 'YYYY_MM')::timestamp as first
                    where c.relname ~ '^month_[0-9]{4}_[0-9]{2}$'
                ) as m
            )
        end
) as problem (what, remedy)
where c.relkind in ('r', 'p');

comment on view audit.finding_audit_month_differs is
    'One partition of the audit log differs from the others: its records could be read, changed or written twice. '
    'Cause: a change by hand. Mend: run npm run db:migrate, or the SQL in the column remedy.';
