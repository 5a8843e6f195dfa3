create view audit.finding_outside_within_reach with (security_invoker) as
select
    'error' as level,
    o.kind || ' ' || o.object as object,
    pg_catalog.format(
        '%s; these roles reach it: %s%s',
        o.what,
        pg_catalog.string_agg(distinct o.role, ', '),
        -- With the digest, an accepted object is reported again after its definition has changed.
        case
            when o.kind = 'routine' then (
                select '; definition ' || pg_catalog.md5(pg_catalog.concat(f.prosrc, pg_catalog.pg_get_function_sqlbody(f.oid)))
                from pg_catalog.pg_proc as f
                where f.oid = o.oid
            )
            when o.kind not in ('schema', 'role', 'sequence') then '; definition ' || pg_catalog.md5(
                pg_catalog.concat(
                    (
                        select pg_catalog.string_agg(a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
                        from pg_catalog.pg_attribute as a
                        where a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
                    ),
                    (
                        select pg_catalog.string_agg(pg_catalog.pg_get_ruledef(w.oid), ' ' order by w.rulename)
                        from pg_catalog.pg_rewrite as w
                        where w.ev_class = o.oid
                    ),
                    (select t.ftoptions::text from pg_catalog.pg_foreign_table as t where t.ftrelid = o.oid)
                )
            )
        end
    ) as detail,
    case
        when o.mend like '%;' then o.mend
        else o.mend || ' ' || pg_catalog.string_agg(distinct case o.role_oid when 0 then 'public' else pg_catalog.quote_ident(o.role) end, ', ')
            || case when pg_catalog.bool_or(o.is_passed_on) then ' cascade;' else ';' end
    end as remedy,
    case
        when pg_catalog.bool_and(not audit.may_act_as(o.owner_oid))
            then 'the provider''s object does for every caller what its owner may: read what it does, and use a database without it where there is one'
    end as provider
from audit.reach_through_others as o
group by o.kind, o.object, o.oid, o.what, o.mend;

comment on view audit.finding_outside_within_reach is
    'A login reaches an object that this application does not declare with rights that are not its own: a view, a '
    'function, a table that others filled. It may read or write anything that the object''s owner may. Cause: a grant, '
    'or the default right of PUBLIC to a new function. Mend: take the right away, or accept the finding with the reason.';
