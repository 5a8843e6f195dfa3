-- The house has triggers of its own functions and no rule.
create view audit.finding_trigger_added with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('trigger %s on %s', t.tgname, c.oid::regclass) as object,
    pg_catalog.format('runs %s, which is none of the house''s', t.tgfoid::regprocedure) as detail,
    pg_catalog.format('drop trigger %I on %s;', t.tgname, c.oid::regclass) as remedy
from pg_catalog.pg_trigger as t
join pg_catalog.pg_class as c on c.oid = t.tgrelid
join audit.house_schemas as s on s.oid = c.relnamespace
join pg_catalog.pg_proc as f on f.oid = t.tgfoid
-- Those of foreign keys and of constraints run functions of Postgres's own, whatever the mark of such a trigger says.
where not (t.tgisinternal and f.oid < 16384 and f.pronamespace = 'pg_catalog'::regnamespace)
    and t.tgparentid = 0
    and (
        not exists (select from audit.house_schemas as own where own.oid = f.pronamespace)
        or not exists (select from audit.house_roles as own where own.oid = f.proowner)
    )
union all
select
    'error',
    pg_catalog.format('rule %s on %s', w.rulename, c.oid::regclass),
    'does something else or something more with every such statement',
    pg_catalog.format('drop rule %I on %s;', w.rulename, c.oid::regclass)
from pg_catalog.pg_rewrite as w
join pg_catalog.pg_class as c on c.oid = w.ev_class
join audit.house_schemas as s on s.oid = c.relnamespace
-- That of a view is the view itself.
where w.rulename <> '_RETURN';

comment on view audit.finding_trigger_added is
    'Every row that is written is handed to somebody''s function, or a rule copies it, drops it or switches the audit log '
    'off. Comes of create trigger or create rule on a table of the house. Mend: drop it.';
