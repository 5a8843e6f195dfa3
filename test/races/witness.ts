import type { Client } from 'pg';

/**
 * A test makes one of several simultaneous requests wait at an advisory lock, while the other requests overtake it.
 * This is the first of the two numbers that identify the lock.
 */
const STOP = 7;
/** The User-Agent of the request that a test makes wait before its first write, while other requests overtake it. */
export const STOPPED = 'races/stopped';

/** SQL that takes a lock. A request with the User-Agent `races/stopped` waits for it before its first write. */
export const STOP_WRITING = `select pg_advisory_xact_lock(${STOP}, 0)`;

/** Returns SQL that takes a lock for which each transaction of the given user waits right after its BEGIN. */
export const stopAtBeginning = (subject: string): string =>
  `select pg_advisory_xact_lock(${STOP}, hashtext('${subject}'))`;

/*
 * SQL by which the superuser adds a log of all writes to the tested database. Triggers log each row that a request
 * writes, and run after the service’s own triggers because of their names. The log is committed together with the
 * request. A writer locks the row that it writes, so the ids in the log show in which order a row was written. A write
 * is nested if a trigger or a foreign key of another write caused it. Only the condition of the logging trigger can
 * recognise a foreign key, because Postgres evaluates the condition when the row is written.
 */
const LOG = `
create schema races;

create table races.writes (
    id bigint generated always as identity primary key,
    at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    request_id text not null,
    table_name text not null,
    command text not null,
    nested boolean not null,
    row_id text not null,
    before jsonb,
    after jsonb
);

create index writes_request_id_idx on races.writes (request_id);

-- These indexes make the checks after each race fast, because a run leaves thousands of tenants, and vacuum may be off.
create index audit_logs_races_idx on public.audit_logs (request_id);
create index users_races_idx on public.users (id) where role = 'ADMIN' and is_active and client_access = '{}';
create index factures_races_idx on public.factures (issue_date) where number is not null;

-- This trigger also runs in sessions with the role replica, which create the tenants, so that the bills are complete.
alter table public.partner_invoices enable always trigger partner_invoices_compute_amounts;

create function races.record_write()
    returns trigger
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    request_id constant text := nullif(pg_catalog.current_setting('app.request_id', true), '');
    before constant jsonb := case when tg_op <> 'INSERT' then pg_catalog.to_jsonb(old) end;
    after constant jsonb := case when tg_op <> 'DELETE' then pg_catalog.to_jsonb(new) end;
begin
    if request_id is null then
        return null;
    end if;
    insert into races.writes (request_id, table_name, command, nested, row_id, before, after)
    select
        request_id, tg_table_name, tg_op, tg_argv[0]::boolean,
        pg_catalog.string_agg(coalesce(after, before) ->> k.name, '/' order by k.place), before, after
    from pg_catalog.unnest(tg_argv[1:]) with ordinality as k (name, place);
    return null;
end
$function$;

create function races.stop()
    returns trigger
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    if pg_catalog.current_setting('app.user_agent', true) = '${STOPPED}' then
        perform pg_catalog.pg_advisory_xact_lock_shared(${STOP}, 0);
    end if;
    return null;
end
$function$;

-- Each transaction of a request begins with app.caller_id, so this new app.caller_id can make the transaction wait.
alter function app.caller_id(text, timestamp with time zone, text, uuid) set schema races;

create function app.caller_id(
    subject text, issued_at timestamp with time zone, access_digest text, unclaimed uuid
)
    returns uuid
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    known constant uuid := races.caller_id(subject, issued_at, access_digest, unclaimed);
begin
    perform pg_catalog.pg_advisory_xact_lock_shared(${STOP}, pg_catalog.hashtext(subject));
    return known;
end
$function$;`;

/**
 * SQL that lists every table of the service, from the Postgres catalog. The audit log and the queue of changed rights
 * are left out.
 */
const TABLES = `
select c.relname as name, array_agg(a.attname::text order by k.place) as key
from pg_class as c
join pg_constraint as p on p.conrelid = c.oid and p.contype = 'p'
cross join unnest(p.conkey) with ordinality as k (attnum, place)
join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.attnum
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not in ('audit_logs', 'identity_changes')
group by c.relname`;

/**
 * The columns of each table’s primary key. The test’s log of writes identifies a row by the values of these columns,
 * joined by slashes.
 */
export type Keys = ReadonlyMap<string, readonly string[]>;

/** Adds triggers to a database that log all writes. Returns the logged tables with their primary keys. */
export async function installWitness(admin: Client): Promise<Keys> {
  await admin.query(LOG);
  const { rows } = await admin.query<{ name: string; key: string[] }>(TABLES);
  await admin.query(rows.map(({ name, key }) => triggers(name, key)).join('\n'));
  return new Map(rows.map(({ name, key }) => [name, key]));
}

function triggers(table: string, key: readonly string[]): string {
  const each = (nested: boolean, depth: string): string => `
create trigger zzz_races_${nested ? 'nested' : 'own'} after insert or update or delete on public.${table}
    for each row when (pg_catalog.pg_trigger_depth() ${depth} 0)
    execute function races.record_write(${[nested, ...key].map((word) => `'${word}'`).join()});`;
  return `${each(false, '=')}${each(true, '>')}
create trigger aaa_races_stop before insert or update or delete on public.${table}
    for each statement execute function races.stop();`;
}
