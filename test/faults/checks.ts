import { RECORDS } from './checks-of-records.ts';
import { MAILS, PARTS, PARTS_VIEWS, RIGHTS } from './checks-of-rights.ts';
import { WRITES } from './checks-of-writes.ts';

/** The checks that run after a load test, by name. Each check is an SQL query whose rows describe the violations. */
export type Checks = Readonly<Record<string, string>>;

/*
 * Tables and views by which SQL compares the requests of a load test with the rows in the database. `attempts` has each
 * request that was sent. `requests` has one row for all attempts with the same Idempotency-Key. `stored` has the rows
 * that the requests write. The outcome of a request is unknown if an attempt got no answer, or got an answer that does
 * not tell whether the row was stored.
 */
export const TABLES = `
create temporary table attempts (
    serial integer, attempt integer, operation text, kind text, "table" text, record uuid, marker text, keyed boolean,
    status integer, lost text, "requestId" text, expected boolean, "retryAfter" boolean, answer text, "foreign" jsonb, defect text,
    at double precision, ms integer,
    agent text generated always as ('faults/' || serial || '.' || attempt) stored,
    is_unknown boolean generated always as (lost is not null or status is null or status = 503) stored
);
create temporary table contents (path text, size bigint, digest text);
create temporary table fixture (id uuid);
create temporary table counts (name text, number bigint);
create temporary table spared (operation text);${PARTS}`;

/** SQL that reads all rows that a load test can have written, each with its table, id and text. */
export const STORED = `
    select 'sites' as "table", id, site_name::text as marker from public.sites
    union all select 'reclamations', id, grounds from public.reclamations
    union all select 'documents', id, filename from public.documents
    union all select 'clients', id, company_name from public.clients
    union all select 'partners', id, name from public.partners
    union all select 'factures', id, amount_excl_tax::text from public.factures`;

export const VIEWS = `
create index on attempts (serial);
create index on attempts (agent);
create index on attempts ("requestId");
create temporary view stored as
    select s.* from (${STORED}) as s where not exists (select from fixture as f where f.id = s.id);
create temporary view requests as
    select
        serial, min(operation) as operation, min(kind) as kind, min("table") as "table", min(marker) as marker,
        bool_or(keyed) as keyed, (array_agg(record) filter (where record is not null))[1] as record,
        bool_or(status between 200 and 299 and lost is null) as is_acknowledged,
        bool_or(is_unknown) as is_unknown, max(attempt) as attempts
    from attempts
    group by serial;
create temporary view records as
    select a.* from public.audit_logs as a where a.request_id is not null;
${PARTS_VIEWS};
analyze attempts`;

/** These checks report wrong answers that a load test received from the service. */
const ANSWERS: Checks = {
  'each answer has an expected status or 503, or 429 with Retry-After if the fault may fail the request': `
    select format('%s was answered %s: %s', operation, status, defect)
    from attempts
    where not expected
        and not (status = 429 and "retryAfter" and operation not in (select s.operation from spared as s))`,
  'each answer is complete and right': `
    select format('%s: %s', operation, defect)
    from attempts
    where expected and defect is not null`,
  'no answer contains anything of another tenant': `
    select format('%s held %s', operation, "foreign")
    from attempts
    where "foreign" <> '[]'`,
  'each 503 has a Retry-After': `
    select format('%s at %s', operation, to_timestamp(at / 1000))
    from attempts
    where status = 503 and not "retryAfter"`,
  'no request waits endlessly': `
    select format('%s was given up after %s ms', operation, ms)
    from attempts
    where lost = 'hung'`,
  'each request that the fault must not fail is answered': `
    select format('%s: %s', operation, coalesce(lost, status::text))
    from attempts
    where is_unknown and operation in (select s.operation from spared as s)`,
};

/**
 * These checks report damage that a failure has left in the service: missing or wrong contents of documents, unfinished
 * uploads, locks, open transactions, or changes of tables that no request writes.
 */
const REMAINS: Checks = {
  'each document has its content, and each content has a document or a planned removal': `
    select format('%s: %s bytes, and %s are stored', d.file_path, d.file_size, coalesce(c.size::text, 'none'))
    from public.documents as d
    left join contents as c on c.path = d.file_path
    where c.size is distinct from d.file_size::bigint and not exists (select from fixture as f where f.id = d.id)
    union all
    select format('%s has no document and is not to be removed', c.path)
    from contents as c
    where not exists (select from public.documents as d where d.file_path = c.path)
        and not exists (select from app.content_removals as p where p.file_path = c.path)
        and c.path not like '%demonstration/%'
        and c.path not like '.partial/%'`,
  'each content has the uploaded bytes': `
    select format('%s has the digest %s', d.filename, c.digest)
    from public.documents as d
    join contents as c on c.path = d.file_path
    cross join regexp_match(d.filename, '^(.*) x([0-9]+)[.]txt$') as name
    where c.digest <> encode(sha256(convert_to(repeat(name[1] || chr(10), name[2]::integer), 'UTF8')), 'hex')`,
  'no unfinished upload is left': `
    select path
    from contents
    where path like '.partial/%'`,
  'no database session is left in a transaction': `
    select format('%s since %s: %s', state, xact_start, left(query, 100))
    from pg_stat_activity
    where datname = current_database() and application_name like 'taxclaims%' and xact_start is not null`,
  'no lock is left in the database': `
    select format('%s %s %s of %s', l.locktype, l.mode, coalesce(l.relation::regclass::text, l.objid::text), s.application_name)
    from pg_locks as l
    join pg_stat_activity as s using (pid)
    where s.datname = current_database() and s.application_name like 'taxclaims%' and l.locktype <> 'virtualxid'`,
};

export const CHECKS: Checks = { ...WRITES, ...RECORDS, ...RIGHTS, ...MAILS, ...ANSWERS, ...REMAINS };
