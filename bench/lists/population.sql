-- This script adds the values by which lists search and sort and which population.sql leaves out: texts, times of
-- changes, statuses and assignees. Every run creates the same values. A superuser runs the script after population.sql.

begin;

set local session_replication_role = replica;
set local max_parallel_workers_per_gather = 0;
set local work_mem = '256MB';
set local timezone = 'UTC';

-- Returns a pseudo-random number between 0 and 1 for a row.
create function pg_temp.chance(kind text, id uuid)
    returns double precision
    language sql
    immutable
return (pg_catalog.uuid_hash_extended(id, pg_catalog.hashtext(kind)) & 9007199254740991) / 9007199254740992.0;

-- Returns words with the frequencies of French texts: a few frequent words, and many rare ones.
create function pg_temp.word(n double precision)
    returns text
    language sql
    immutable
return case
    when n < 0.5 then (
        array[
            'la', 'de', 'valeur', 'locative', 'surface', 'le', 'est', 'pour', 'l’établissement', 'pondérée', 'dégrèvement', 'bâtiment',
            'en', 'du', 'vacance', 'entrepôt', 'atelier', 'd’imposition', 'base', 'coefficient', 'tarif', 'équipement', 'cédé', 'parking'
        ]
    )[1 + pg_catalog.floor(24 * (2 * n) ^ 2)::integer]
    else (
        select pg_catalog.string_agg((
            array['ba', 'cor', 'dé', 'fla', 'gui', 'lou', 'mer', 'nal', 'pê', 'ri', 'sau', 'ton', 'vel', 'zan', 'ché', 'bre']
        )[1 + (pg_catalog.floor(4096 * (2 * n - 1) ^ 4)::integer >> (4 * p)) % 16], '' order by p desc)
        from pg_catalog.generate_series(0, 2) as p
    )
end;

create temporary table sentence on commit drop as
select n, pg_catalog.string_agg(pg_temp.word((pg_catalog.hashint8extended(n * 15 + k, 0) & 9007199254740991) / 9007199254740992.0), ' ') as text
from pg_catalog.generate_series(0::bigint, 19999) as n
cross join pg_catalog.generate_series(1, 15) as k
group by n;

alter table sentence add primary key (n);
analyze sentence;

-- The first 38,000 INSEE codes, numbered from 0.
create temporary table commune on commit drop as
select pg_catalog.row_number() over (order by c.code) - 1 as n, c.code from public.communes as c order by c.code limit 38000;
create index on commune (n);

create function pg_temp.place(n double precision)
    returns text
    language sql
    immutable
return (
    array[
        'Rhône', 'Saint-Étienne', 'Île de Ré', 'L’Étoile', 'Lyon', 'Nîmes', 'Besançon', 'Châteauroux', 'Sète', 'Orléans', 'Paris',
        'Saint-Malo', 'L’Haÿ-les-Roses', 'Angoulême', 'Mâcon', 'Évreux', 'Aix-en-Provence', 'Le Havre', 'Pau', 'Corbeil-Essonnes'
    ]
)[1 + pg_catalog.floor(20 * n)::integer];

update public.clients as c
set
    company_name = (array['Logistique', 'Immobilière', 'Aciéries', 'Hôtels', 'Grands Magasins', 'Verrerie', 'Foncière', 'Transports'])[
        1 + pg_catalog.floor(8 * pg_temp.chance('company', c.id))::integer
    ] || ' ' || pg_temp.place(pg_temp.chance('town', c.id)) || pg_catalog.replace(c.company_name, 'Client', ''),
    address = '3 quai de ' || pg_temp.place(pg_temp.chance('town', c.id));

-- A third of the claims have grounds of about 300 characters, and each claim was last changed within 200 days. Half of
-- the claims were submitted, and a tenth has a court deadline. A decided claim was granted four fifths of its amount,
-- which was refunded if the claim is closed. Half of the claims have an assignee.
update public.reclamations as r
set
    commune_code = (select m.code from commune as m where m.n = pg_catalog.floor(38000 * pg_temp.chance('commune', r.id))::bigint),
    notice_reference = pg_catalog.to_char(r.created_at, 'YY')
        || ' ' || pg_catalog.lpad((1 + pg_catalog.floor(95 * pg_temp.chance('commune', r.id)))::text, 2, '0')
        || ' ' || pg_catalog.lpad(pg_catalog.floor(9999999 * pg_temp.chance('notice', r.id))::text, 7, '0') || ' 01',
    grounds = case
        when pg_temp.chance('grounds', r.id) < 0.33 then (
            select pg_catalog.string_agg(s.text, '. ') || '. ' || pg_temp.word(0.5 + pg_temp.chance('last', r.id) / 2)
            from (values ('one'), ('two'), ('three')) as k (kind)
            join sentence as s on s.n = pg_catalog.floor(20000 * pg_temp.chance(k.kind, r.id))::bigint
        )
    end,
    tax_year = extract(year from r.created_at)::integer - pg_catalog.floor(3 * pg_temp.chance('year', r.id))::integer,
    collection_date = r.created_at::date - pg_catalog.floor(400 * pg_temp.chance('collection', r.id))::integer,
    submitted_at = case
        when pg_temp.chance('submitted', r.id) < 0.5 then r.created_at + pg_temp.chance('when', r.id) * interval '60 days'
    end,
    granted_amount = case
        when r.status in ('ACCEPTED', 'PARTIALLY_ACCEPTED', 'REFUNDED', 'CLOSED') then pg_catalog.round(r.amount * 0.8, 2)
    end,
    refund_amount = case when r.status in ('REFUNDED', 'CLOSED') then pg_catalog.round(r.amount * 0.8, 2) end,
    court_deadline = case
        when pg_temp.chance('court', r.id) < 0.1
            then r.created_at::date + 300 + pg_catalog.floor(200 * pg_temp.chance('day', r.id))::integer
    end,
    assignee_id = case
        when pg_temp.chance('assigned', r.id) < 0.5
            then pg_catalog.md5('user' || pg_catalog.floor(2000 * pg_temp.chance('assignee', r.id)))::uuid
    end,
    updated_at = r.created_at + pg_temp.chance('change', r.id) ^ 2 * interval '200 days';

-- Four fifths of the invoices are issued, and the older issued ones are paid.
update public.factures as f
set
    due_date = f.created_at::date + 30,
    issue_date = f.created_at::date,
    number = 'F-' || f.id,
    status = case when f.created_at < timestamp with time zone '2025-10-01 00:00:00+00' then 'PAID' else 'ISSUED' end,
    paid_at = case
        when f.created_at < timestamp with time zone '2025-10-01 00:00:00+00' then f.created_at + interval '20 days'
    end
where pg_temp.chance('due', f.id) < 0.8;

update public.sites as s
set
    site_name = (array['Entrepôt', 'Usine', 'Magasin', 'Siège', 'Dépôt', 'Site'])[
        1 + pg_catalog.floor(6 * pg_temp.chance('kind', s.id))::integer
    ] || ' ' || pg_temp.place(pg_temp.chance('town', s.id)) || pg_catalog.replace(s.site_name, 'Site', ''),
    address = '12 rue ' || pg_catalog.substr(pg_catalog.md5('street' || s.id), 1, 12) || ', 75002 Paris';

update public.cadastres as k
set address = '12 rue ' || pg_catalog.substr(pg_catalog.md5('street' || k.id), 1, 12) || ', 75002 Paris';

update public.partner_invoices as b
set
    status = (
        array['RECEIVED', 'VALIDATED', 'PAID', 'PAID', 'PAID', 'DISPUTED']
    )[1 + pg_catalog.floor(6 * pg_temp.chance('paid', b.id))::integer],
    due_date = b.created_at::date + 45,
    amount_excl_tax = a.amount,
    vat_amount = 0,
    amount_incl_tax = a.amount
from (
    select i.id, pg_catalog.round((5000 * pg_temp.chance('amount', i.id))::numeric, 2) as amount
    from public.partner_invoices as i
) as a
where a.id = b.id;

-- A third of the documents have file names with accents.
update public.documents as d
set
    kind = (
        array['AVIS', 'AVIS', 'MANDAT', 'RECLAMATION', 'DECISION', 'COURRIER', 'AUTRE']
    )[1 + pg_catalog.floor(7 * pg_temp.chance('kind', d.id))::integer],
    filename = case
        when pg_temp.chance('named', d.id) < 0.33
            then 'avis de taxe foncière ' || pg_catalog.substr(pg_catalog.md5('name' || d.id), 1, 12) || '.pdf'
        else d.filename
    end,
    updated_at = d.uploaded_at + pg_temp.chance('change', d.id) ^ 2 * interval '200 days';

update app.client_documents as c
set kind = d.kind, filename = d.filename, updated_at = d.updated_at
from public.documents as d
where d.id = c.id;

-- A hundredth of the audit records are refusals. No open transaction is older than the newest record.
alter table public.audit_logs disable trigger audit_logs_append_only;
update public.audit_logs as a
set
    user_id = pg_catalog.md5('user' || pg_catalog.floor(2000 * pg_temp.chance('actor', a.id)))::uuid,
    actor = 'idp|' || pg_catalog.floor(2000 * pg_temp.chance('actor', a.id)),
    action = case when pg_temp.chance('action', a.id) < 0.3 then 'PUT /api/sites/{id}' else a.action end,
    resource_type = case when pg_temp.chance('action', a.id) < 0.3 then 'sites' else a.resource_type end,
    success = pg_temp.chance('refused', a.id) > 0.01,
    oldest_writer = (pg_catalog.pg_current_xact_id()::text::bigint + 1)::text::xid8;
alter table public.audit_logs enable always trigger audit_logs_append_only;

commit;

vacuum full public.reclamations;
vacuum full public.sites;
vacuum full public.cadastres;
vacuum full public.factures;
vacuum full public.partner_invoices;
vacuum full public.documents;
vacuum full app.client_documents;
vacuum full public.audit_logs;
vacuum (analyze);
