-- This script fills a migrated database with 10,000 clients, 1,000,000 claims, 2,000,000 documents and their other
-- records. Every run creates the same rows, because each row is calculated from its number. A superuser runs the script,
-- which first deletes all rows of the database.

begin;

-- All other row counts follow from the number of claims: fewer claims belong to fewer clients of the same sizes.
set local bench.claims = 1000000;

-- The script runs without triggers and foreign keys: its rows are consistent, and the benchmarks do not measure the
-- three million audit records that the triggers would write.
set local session_replication_role = replica;
set local max_parallel_workers_per_gather = 0;
set local work_mem = '256MB';
set local timezone = 'UTC';

create function pg_temp.switch_append_only(state text)
    returns void
    language plpgsql
as $$
declare
    part regclass;
begin
    for part in select relid from pg_catalog.pg_partition_tree('public.audit_logs')
    loop
        execute pg_catalog.format('alter table %s %s trigger audit_logs_append_only', part, state);
    end loop;
end
$$;
select pg_temp.switch_append_only('disable');
truncate public.clients, public.users, public.partners, public.audit_logs cascade;
select pg_temp.switch_append_only('enable always');

create function pg_temp.claims()
    returns bigint
    language sql
    stable
return pg_catalog.current_setting('bench.claims')::bigint;

create function pg_temp.clients()
    returns bigint
    language sql
    stable
return pg_temp.claims() / 100;

-- Returns a pseudo-random number between 0 and 1 for the nth row of a kind.
create function pg_temp.chance(kind text, n bigint)
    returns double precision
    language sql
    immutable
return (pg_catalog.hashint8extended(n, pg_catalog.hashtext(kind)) & 9007199254740991) / 9007199254740992.0;

create function pg_temp.uuid_of(kind text, n bigint)
    returns uuid
    language sql
    immutable
return pg_catalog.md5(kind || n)::uuid;

-- Returns a pseudo-random time within four years.
create function pg_temp.moment(kind text, n bigint)
    returns timestamp with time zone
    language sql
    immutable
return timestamp with time zone '2022-01-01 00:00:00+00' + pg_temp.chance(kind, n) * interval '1461 days';

-- The clients have different numbers of claims: of 10,000 clients the first has 10,000 claims, the middle one 71, and the
-- last one 50.
create temporary table claim on commit drop as
select
    i,
    pg_catalog.floor(pg_temp.clients() * ((i + 0.5) / pg_temp.claims()) ^ 2)::integer as client,
    pg_temp.moment('claim', i) as created_at
from pg_catalog.generate_series(0, pg_temp.claims() - 1) as i;

create temporary table client on commit drop as
select
    client as n,
    pg_temp.uuid_of('client', client) as id,
    1 + pg_catalog.count(*)::integer / 20 as sites
from claim
group by client;

-- The first 38,000 INSEE codes, numbered from 0. bench/migrations.ts fills databases that have no table of them yet.
create temporary table commune (n bigint, code text) on commit drop;

insert into commune (n, code)
select pg_catalog.row_number() over (order by c.code) - 1, c.code from public.communes as c order by c.code limit 38000;

insert into public.clients (id, company_name, contact_email, created_at, updated_at)
select id, 'Client ' || n, 'contact' || n || '@example.org', pg_temp.moment('client', n), pg_temp.moment('client', n)
from client
order by pg_temp.moment('client', n);

insert into public.sites (id, client_id, site_name, created_at, updated_at)
select
    pg_temp.uuid_of('site', c.n * 1000::bigint + s),
    c.id,
    'Site ' || s,
    pg_temp.moment('site', c.n * 1000::bigint + s),
    pg_temp.moment('site', c.n * 1000::bigint + s)
from client as c
cross join lateral pg_catalog.generate_series(1, c.sites) as s
order by 4;

insert into public.cadastres (id, site_id, commune_code, section, number, area_m2, created_at, updated_at)
select
    pg_temp.uuid_of('parcel', (c.n * 1000::bigint + s) * 10 + p),
    pg_temp.uuid_of('site', c.n * 1000::bigint + s),
    '75056',
    'A' || p,
    pg_catalog.lpad(s::text, 4, '0'),
    (10000 * pg_temp.chance('area', (c.n * 1000::bigint + s) * 10 + p))::integer,
    pg_temp.moment('parcel', (c.n * 1000::bigint + s) * 10 + p),
    pg_temp.moment('parcel', (c.n * 1000::bigint + s) * 10 + p)
from client as c
cross join lateral pg_catalog.generate_series(1, c.sites) as s
cross join lateral pg_catalog.generate_series(1, 3) as p
order by 7;

insert into public.reclamations (
    id, client_id, site_id, claim_type, amount, status, granted_amount, tax_year, commune_code, notice_reference, created_at, updated_at
)
select
    pg_temp.uuid_of('claim', r.i),
    c.id,
    pg_temp.uuid_of('site', r.client * 1000::bigint + 1 + pg_catalog.floor(c.sites * pg_temp.chance('of', r.i))::bigint),
    case when pg_temp.chance('type', r.i) < 0.6 then 'TF' else 'CFE' end,
    k.amount,
    k.status,
    case when k.status in ('ACCEPTED', 'PARTIALLY_ACCEPTED', 'REFUNDED', 'CLOSED') then pg_catalog.round(k.amount * 0.8, 2) end,
    2021 + pg_catalog.floor(4 * pg_temp.chance('year', r.i))::integer,
    m.code,
    pg_catalog.upper(pg_catalog.substr(pg_catalog.md5('notice' || r.i), 1, 13)),
    r.created_at,
    r.created_at
from claim as r
join client as c on c.n = r.client
left join commune as m on m.n = pg_catalog.floor(38000 * pg_temp.chance('commune', r.i))
cross join lateral (
    select
        pg_catalog.round((1 + 50000 * pg_temp.chance('amount', r.i) ^ 3)::numeric, 2) as amount,
        (
            array[
                'DRAFT', 'READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED', 'SUBMITTED', 'ACKNOWLEDGED', 'ACCEPTED', 'ACCEPTED',
                'PARTIALLY_ACCEPTED', 'REJECTED', 'REFUNDED', 'CLOSED'
            ]
        )[1 + pg_catalog.floor(12 * pg_temp.chance('status', r.i))::integer] as status
) as k
order by r.created_at;

insert into public.documents (id, reclamation_id, filename, file_path, file_size, mime_type, uploaded_at)
select
    pg_temp.uuid_of('document', d),
    pg_temp.uuid_of('claim', r.i),
    'avis-' || d || '.pdf',
    'documents/' || pg_catalog.md5('document' || d),
    (5000000 * pg_temp.chance('size', d))::integer,
    'application/pdf',
    r.created_at + pg_temp.chance('upload', d) * interval '60 days'
from pg_catalog.generate_series(0, 2 * pg_temp.claims() - 1) as d
join claim as r on r.i = pg_catalog.floor(pg_temp.claims() * pg_temp.chance('belongs', d))::bigint
order by 7;

-- The script runs without triggers. This insert writes the rows that the trigger of public.documents would otherwise
-- write.
insert into app.client_documents (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at)
select d.id, r.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at
from public.documents as d
join public.reclamations as r on r.id = d.reclamation_id
order by d.uploaded_at;

insert into public.factures (id, client_id, amount_excl_tax, created_at, updated_at)
select
    pg_temp.uuid_of('invoice', f),
    c.id,
    pg_catalog.round((5000 * pg_temp.chance('fee', f))::numeric, 2),
    pg_temp.moment('invoice', f),
    pg_temp.moment('invoice', f)
from pg_catalog.generate_series(0, pg_temp.claims() / 10 - 1) as f
join client as c on c.n = pg_catalog.floor(pg_temp.clients() * pg_temp.chance('billed', f) ^ 2)::integer
order by 4;

-- The users of the firm, their clients, and their audit records.

insert into public.users (id, email, password_hash, name, role, client_access, created_at, updated_at)
select
    pg_temp.uuid_of('user', u),
    'user' || u || '@example.org',
    '!',
    'User ' || u,
    (array['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'])[1 + u % 3],
    array(
        select
            pg_temp.uuid_of('client', pg_catalog.floor(pg_temp.clients() * pg_temp.chance('access' || k, u))::bigint)
        from pg_catalog.generate_series(1, 5) as k
    ),
    pg_temp.moment('user', u),
    pg_temp.moment('user', u)
from pg_catalog.generate_series(0, pg_temp.claims() / 500 - 1) as u
order by 7;

insert into public.partners (id, name, commission_rate, created_at, updated_at)
select
    pg_temp.uuid_of('partner', p),
    'Partner ' || p,
    10,
    pg_temp.moment('partner', p),
    pg_temp.moment('partner', p)
from pg_catalog.generate_series(0, pg_temp.claims() / 500 - 1) as p
order by 4;

insert into public.client_partners (client_id, partner_id)
select distinct
    c.id,
    pg_temp.uuid_of('partner', pg_catalog.floor(pg_temp.claims() / 500 * pg_temp.chance('link' || k, c.n))::bigint)
from client as c
cross join pg_catalog.generate_series(1, 2) as k;

insert into public.partner_invoices (
    id, partner_id, client_id, number, amount_excl_tax, vat_amount, amount_incl_tax, created_at, updated_at
)
select
    pg_temp.uuid_of('bill', b),
    pg_temp.uuid_of('partner', b % (pg_temp.claims() / 500)),
    c.id,
    'B-' || b,
    1000,
    200,
    1200,
    pg_temp.moment('bill', b),
    pg_temp.moment('bill', b)
from pg_catalog.generate_series(0, pg_temp.claims() / 20 - 1) as b
join client as c on c.n = pg_catalog.floor(pg_temp.clients() * pg_temp.chance('charged', b) ^ 2)::integer
order by 8;

insert into public.reclamation_history (id, reclamation_id, client_id, from_status, to_status, actor, changed_at)
select
    pg_temp.uuid_of('move', m),
    pg_temp.uuid_of('claim', r.i),
    c.id,
    'DRAFT',
    'READY_FOR_REVIEW',
    'idp|bench',
    r.created_at + interval '1 day'
from pg_catalog.generate_series(0, pg_temp.claims() / 2 - 1) as m
join claim as r on r.i = pg_catalog.floor(pg_temp.claims() * pg_temp.chance('moved', m))::bigint
join client as c on c.n = r.client
order by 7;

insert into public.audit_logs (
    id, action, resource_type, resource_id, client_context, success, created_at, request_id, actor
)
select
    pg_temp.uuid_of('audit record', a),
    'POST /api/reclamations',
    'reclamations',
    pg_temp.uuid_of('claim', r.i),
    c.id,
    true,
    r.created_at,
    pg_temp.uuid_of('request', a),
    'idp|bench'
from pg_catalog.generate_series(0, pg_temp.claims() / 2 - 1) as a
join claim as r on r.i = pg_catalog.floor(pg_temp.claims() * pg_temp.chance('recorded', a))::bigint
join client as c on c.n = r.client
order by 7;

commit;

vacuum (analyze);
