create view audit.finding_trigger_added with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('trigger %s on %s', t.tgname, c.oid::regclass) as object,
    pg_catalog.format('runs %s, which is not a function of this application', t.tgfoid::regprocedure) as detail,
    pg_catalog.format('drop trigger %I on %s;', t.tgname, c.oid::regclass) as remedy
from pg_catalog.pg_trigger as t
join pg_catalog.pg_class as c on c.oid = t.tgrelid
join audit.house_schemas as s on s.oid = c.relnamespace
join pg_catalog.pg_proc as f on f.oid = t.tgfoid
-- An internal trigger is trusted only if its function is built-in, because a superuser can forge tgisinternal.
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
    'replaces or extends every statement of this kind',
    pg_catalog.format('drop rule %I on %s;', w.rulename, c.oid::regclass)
from pg_catalog.pg_rewrite as w
join pg_catalog.pg_class as c on c.oid = w.ev_class
join audit.house_schemas as s on s.oid = c.relnamespace
where w.rulename <> '_RETURN';

comment on view audit.finding_trigger_added is
    'A trigger function from outside this application, or a rule, runs with every write to a table. Cause: a manual '
    'CREATE TRIGGER or CREATE RULE on a table of this application. Mend: drop the trigger or rule.';
