-- Each finding is asked for alone, so that a lock, or a view that fails, costs the answer of one finding and not of all.
create function audit.lock_holders()
    returns text
    language sql stable set search_path = ''
begin atomic
    select
        coalesce(
            pg_catalog.string_agg(
                pg_catalog.format('%s, since %s, holds AccessExclusiveLock on %s', h.who, coalesce(h.since, 'when pg_read_all_stats sees'), h.relations),
                '; '
                order by h.who
            ),
            'an unknown session'
        )
    from (
        select
            case
                when l.pid is null then pg_catalog.format('the prepared transaction "%s" (of %s)', p.gid, p.owner)
                else pg_catalog.format('pid %s (login %s, application "%s")', l.pid, coalesce(a.usename, 'unknown'), a.application_name)
            end as who,
            pg_catalog.to_char(coalesce(a.xact_start, p.prepared) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') as since,
            pg_catalog.min(l.relation::regclass::text)
            || case when pg_catalog.count(*) > 1 then pg_catalog.format(' and %s more', pg_catalog.count(*) - 1) else '' end as relations
        from pg_catalog.pg_locks as l
        left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
        left join pg_catalog.pg_locks as x
            on l.pid is null
            and x.pid is null
            and x.locktype = 'transactionid'
            and x.virtualtransaction = l.virtualtransaction
        left join pg_catalog.pg_prepared_xacts as p on p.transaction = x.transactionid
        where l.locktype = 'relation'
            and l.mode = 'AccessExclusiveLock'
            and l.pid is distinct from pg_catalog.pg_backend_pid()
            and l.database in (0, (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database()))
        group by 1, 2
    ) as h;
end;

comment on function audit.lock_holders() is
    'Names the sessions and prepared transactions that hold or await a lock for which a reader must wait: an unknown '
    'session if the lock was released meanwhile.';

create function audit.refuse_locked(part text)
    returns void
    language plpgsql stable set search_path = ''
as $body$
begin
    raise exception '% was not read, because somebody holds a lock: %', part, audit.lock_holders()
        using
            errcode = 'lock_not_available',
            hint = pg_catalog.format('End the transaction that the message names, then read %s again.', part);
end
$body$;

comment on function audit.refuse_locked(text) is
    'Ends the reading of audit.drift or audit.accepted with an error that names who holds a lock.';

do $findings$
declare
    names text;
begin
    select pg_catalog.array_agg(pg_catalog.substr(c.relname, 9) order by c.relname)::text
    into names
    from pg_catalog.pg_class as c
    where c.relnamespace = 'audit'::regnamespace and c.relkind = 'v' and c.relname like 'finding\_%';

    execute pg_catalog.format(
        $function$
        create function audit.list_all_findings()
            returns table (finding text, level text, object text, detail text, remedy text, who text)
            language plpgsql stable rows 100
            set jit = off
            set row_security = on
            -- As AUDIT_LOCK_TIMEOUT_MS in src/limits.ts.
            set lock_timeout = '2s'
            set search_path = ''
        as $body$
        declare
            name text;
            unasked text[] := '{}';
        begin
            foreach name in array %L::text[] loop
                begin
                    -- A view without the column `provider` has findings that the administrators can mend everywhere.
                    return query execute pg_catalog.format(
                        'select %%L::text, f.level::text, f.object::text, f.detail::text,
                            coalesce(p.said, audit.sparing_remedy(f.remedy)), case when p.said is null then ''dba'' else ''provider'' end
                        from audit.%%I as f
                        cross join lateral (select pg_catalog.to_jsonb(f) ->> ''provider'') as p (said)',
                        name,
                        'finding_' || name
                    );
                exception
                    when lock_not_available then
                        unasked := unasked || name;
                        -- All findings together wait once.
                        perform pg_catalog.set_config('lock_timeout', '1ms', true);
                    when others then
                        return query
                        select
                            'not_asked', 'error', 'audit.finding_' || name,
                            'not asked because of an error: ' || sqlerrm,
                            'mend what the detail names, then read audit.findings again', 'dba';
                end;
            end loop;
            begin
                execute 'select from audit.acceptances limit 1';
            exception
                when lock_not_available then
                    unasked := unasked || 'acceptances'::text;
            end;
            if unasked <> '{}' then
                return query
                select
                    'not_asked', 'error', pg_catalog.array_to_string(unasked, ', '),
                    'not asked because somebody holds a lock: ' || audit.lock_holders(),
                    'end the transaction that the detail names, then read audit.findings again', 'dba';
            end if;
        end
        $body$
        $function$,
        names
    );
end
$findings$;

comment on function audit.list_all_findings() is
    'All audit findings, including those in audit.exceptions and accepted ones. For audit.findings. A finding not_asked '
    'names the findings that a lock or an error kept from being read.';

create function audit.list_acceptances()
    returns table (what text, object text, as_it_stood text)
    language plpgsql stable rows 100
    set row_security = on
    -- As AUDIT_LOCK_TIMEOUT_MS in src/limits.ts.
    set lock_timeout = '2s'
    set search_path = ''
as $body$
begin
    return query execute 'select a.what, a.object, a.as_it_stood from audit.acceptances as a where a.withdrawn_at is null';
exception
    when lock_not_available then null;
end
$body$;

comment on function audit.list_acceptances() is
    'Acceptances in force; none while somebody holds a lock on them. For audit.findings.';

create view audit.findings_before_exceptions with (security_invoker) as
select
    f.finding, f.level, f.object, f.detail, f.remedy, f.who
from audit.list_all_findings() as f
-- audit.findings_before_exceptions hides the finding about a setting that the connected program set.
-- audit.list_all_findings runs with its own search_path and row_security, so it cannot see who set those of the session.
where not (
    f.finding = 'setting_of_server'
    and f.object in ('search_path', 'row_security')
    and exists (select from pg_catalog.pg_settings as s where s.name = f.object and s.source = 'client')
);

comment on view audit.findings_before_exceptions is
    'All audit findings, including those that audit.exceptions lists as intended.';

create view audit.findings_before_acceptance with (security_invoker) as
select
    f.level, f.finding, f.object, f.detail, f.remedy, f.who
from audit.findings_before_exceptions as f
where not exists (
    select
    from audit.exceptions as e
    where e.finding = f.finding and f.object like e.object
);

comment on view audit.findings_before_acceptance is
    'Audit findings that audit.exceptions does not list, including findings that a DBA accepted.';

create view audit.findings with (security_invoker) as
with found as materialized (
    select * from audit.findings_before_acceptance as f
), accepted as materialized (
    select * from audit.list_acceptances() as a
), home as materialized (
    select exists (
        select
        from accepted as a
        where a.what = 'home'
            and a.as_it_stood = (
                select pg_catalog.string_agg(h.line, E'\n' order by h.line collate "C")
                from (
                    select pg_catalog.format('%s: %s %s: %s', f.level, f.finding, f.object, f.detail) as line
                    from found as f
                    where f.who = 'provider'
                ) as h
            )
    ) as is_accepted
)
select
    f.level, f.finding, f.object, f.detail, f.remedy, f.who
from found as f
cross join home
where not exists (
        select
        from accepted as a
        where a.what = f.finding
            and a.object = f.object
            and a.as_it_stood = f.level || ': ' || f.detail
    )
    and not (f.who = 'provider' and home.is_accepted)
order by f.level, f.finding, f.object;

comment on view audit.findings is
    'Errors and weaknesses of this database, each with the statement that corrects it. The comment on a view '
    'audit.finding_… explains the finding of that name.';
