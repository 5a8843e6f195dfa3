create view audit.finding_copy_within_reach with (security_invoker) as
select
    case when c.what like 'looks like%' then 'warning' else 'error' end as level,
    pg_catalog.format('%I.%I', n.nspname, r.relname) as object,
    pg_catalog.format(
        '%s: no policy protects it. Besides its owner, these roles read it: %s',
        pg_catalog.string_agg(distinct c.what, ', '),
        coalesce(pg_catalog.string_agg(distinct reader.role, ', '), 'nobody')
    ) as detail,
    case
        when pg_catalog.count(reader.role) = 0 then 'audit.accept it, or drop it if nobody needs it'
        else pg_catalog.format(
            'revoke all on %I.%I from %s;',
            n.nspname,
            r.relname,
            pg_catalog.string_agg(distinct case reader.role_oid when 0 then 'public' else pg_catalog.quote_ident(reader.role) end, ', ')
        )
    end as remedy
from audit.unprotected_copies as c
join pg_catalog.pg_class as r on r.oid = c.oid
join pg_catalog.pg_namespace as n on n.oid = r.relnamespace
left join audit.relation_grantees as reader on reader.relation_oid = c.oid
where r.relkind = 'm' or reader.role_oid is not null
group by n.nspname, r.relname, r.relkind, (c.what like 'looks like%');

comment on view audit.finding_copy_within_reach is
    'Tenants'' rows can be read from a copy without policies: a materialized view, a table, a foreign table or a rule. '
    'Cause: a copy made to speed up queries, or a foreign server. Mend: revoke all rights to the copy.';
