-- Takes back every policy, right, trigger and rule on the current role's objects and switches row-level security on,
-- before the files make all anew in the same transaction.

do $reset$
declare
    mine constant oid := (select oid from pg_catalog.pg_roles where rolname = current_user);
    command text;
begin
    -- Views of removed files must go, and views may change their columns.
    for command in
        select pg_catalog.unnest(stale.commands)
        from (
            -- Collected first: dropping one by cascade would leave the next without a name.
            select pg_catalog.array_agg(made.command) as commands
            from (
                select pg_catalog.format('drop view if exists %s cascade', c.oid::regclass) as command
                from pg_catalog.pg_class as c
                join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                where n.nspname = 'audit' and n.nspowner = mine and c.relkind = 'v'
                union all
                select pg_catalog.format('drop routine if exists %s cascade', f.oid::regprocedure)
                from pg_catalog.pg_proc as f
                join pg_catalog.pg_namespace as n on n.oid = f.pronamespace
                where n.nspname = 'audit' and n.nspowner = mine
            ) as made
        ) as stale
    loop
        execute command;
    end loop;

    for command in
        select pg_catalog.format('drop policy %I on %s', p.polname, p.polrelid::regclass)
        from pg_catalog.pg_policy as p
        join pg_catalog.pg_class as c on c.oid = p.polrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where c.relowner = mine
            -- app.migrations has its policy from the first migration; a deploy holds app.deploy_lock.
            and (n.nspname, c.relname) not in (('app', 'migrations'), ('app', 'deploy_lock'))
        union all
        select pg_catalog.format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass)
        from pg_catalog.pg_trigger as t
        join pg_catalog.pg_class as c on c.oid = t.tgrelid
        where c.relowner = mine and not t.tgisinternal
        union all
        select pg_catalog.format('drop rule %I on %s', w.rulename, w.ev_class::regclass)
        from pg_catalog.pg_rewrite as w
        join pg_catalog.pg_class as c on c.oid = w.ev_class
        where c.relowner = mine and not (w.rulename = '_RETURN' and c.relkind in ('v', 'm'))
        union all
        select pg_catalog.format('alter table %s enable row level security, force row level security', c.oid::regclass)
        from pg_catalog.pg_class as c
        where c.relowner = mine and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
        union all
        select distinct pg_catalog.format(
            'revoke all on %s from %s cascade',
            held.object,
            case right_.grantee when 0 then 'public' else right_.grantee::regrole::text end
        )
        from (
            select c.oid::regclass::text, c.relacl
            from pg_catalog.pg_class as c
            where c.relowner = mine and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            union all
            select c.oid::regclass::text, a.attacl
            from pg_catalog.pg_attribute as a
            join pg_catalog.pg_class as c on c.oid = a.attrelid and c.relowner = mine and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            union all
            select 'routine ' || f.oid::regprocedure, coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))
            from pg_catalog.pg_proc as f
            where f.proowner = mine
            union all
            select pg_catalog.format('schema %I', n.nspname), n.nspacl
            from pg_catalog.pg_namespace as n
            where n.nspowner = mine
        ) as held (object, acl)
        cross join lateral pg_catalog.aclexplode(held.acl) as right_
        where right_.grantee <> mine
    loop
        execute command;
    end loop;
end
$reset$;
