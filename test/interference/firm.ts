import type { Tenant } from '../support/tenant.ts';
import { idOf, idSql } from './ids.ts';

/** A firm, that is a tenant, in a comparison of databases. Each of its clients has at least one record of each kind. */
export interface Firm {
  /** A text from which all ids of the firm’s records are computed. */
  readonly seed: string;
  readonly clients: number;
  readonly claims: number;
  /** A number from which the names, amounts, statuses, years and communes in the firm’s records are computed. */
  readonly flavour: number;
  /** A number from which the names of the firm’s users are computed; if absent, `flavour` is used. */
  readonly people?: number;
}

/**
 * A firm has three partners: the first one works for it, the second one has bills, and a test can give the third one to
 * another firm too.
 */
const PARTNERS = { partners: 1, biller: 2, shared: 3 } as const;
const USERS = { users: 1, guest: 2, manager: 3, specialist: 4, client: 5, admin: 6, newcomer: 7 } as const;

/** The ids of the records that belong to the first client of a firm, one of each kind. */
export type FirmNames = Tenant &
  Readonly<Record<'second' | 'shared' | 'draft' | Exclude<keyof typeof USERS, 'users' | 'newcomer'>, string>>;

export function namesOf({ seed }: Pick<Firm, 'seed'>): FirmNames {
  const first = (kind: string): string => idOf(seed, kind, 1, 1);
  const partners = Object.entries(PARTNERS).map(([name, n]) => [name, idOf(seed, 'partners', 1, n)]);
  const users = Object.entries(USERS).map(([name, n]) => [name, idOf(seed, 'users', 1, n)]);
  return {
    ...(Object.fromEntries([...partners, ...users]) as Record<keyof typeof PARTNERS | keyof typeof USERS, string>),
    clients: idOf(seed, 'clients', 1),
    second: idOf(seed, 'clients', 2),
    sites: first('sites'),
    cadastres: first('cadastres'),
    reclamations: first('reclamations'),
    reclamation_history: first('reclamation_history'),
    documents: first('documents'),
    notes: first('notes'),
    factures: first('factures'),
    draft: idOf(seed, 'factures', 1, 2),
    partner_invoices: first('partner_invoices'),
    audit_logs: first('audit_logs'),
    identity_changes: first('identity_changes'),
  };
}

const SITES = 2;
const FACTURES = 4;
const BILLS = 3;
const REFUSALS = 6;

const NAMES = ['Boulangerie Martin', 'Garage Dupont', 'Hôtel du Nord', 'Étude Lefèvre', '100%_Net'];
const STATUSES = ['DRAFT', 'READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED', 'ACKNOWLEDGED', 'REJECTED', 'ACCEPTED'];

/** An SQL expression that chooses one of the given words by a number. */
const pick = (words: readonly string[], number: string): string =>
  `(array[${words.map((word) => `'${word}'`).join(', ')}])[1 + (${number}) % ${words.length}]`;

/**
 * SQL that creates a firm with the same ids, times and texts in every database. The SQL switches triggers off by the
 * role `replica`, because they would change times and add audit records.
 */
export function firmSql({ seed, clients, claims, flavour, people = flavour }: Firm): string {
  const id = (kind: string, ...numbers: string[]): string => idSql(seed, kind, ...numbers);
  const shift = `(c + ${flavour})`;
  const start = `timestamptz '2024-03-01 00:00:00Z' + ${flavour} * interval '100 days' + c * interval '1 hour'`;
  const at = (number: string): string => `${start} + (${number}) * interval '1 minute'`;
  const amount = (number: string): string => `100 + ${flavour} * 1000.5 + c * 3 + (${number}) * 0.25`;
  const every = `generate_series(1, ${clients}) as c`;
  const each = (most: number): string => `${every}, generate_series(1, ${most}) as n`;
  const status = pick(STATUSES, `n + ${flavour}`);
  const kind = pick(['AVIS', 'MANDAT', 'AUTRE'], `n + ${flavour}`);
  const commune = pick(['75056', '69123', '2A004', '13055'], `n + ${flavour}`);
  const name = (word: string): string => `'${word} ' || (${flavour} * 100 + n)`;
  return `set local session_replication_role = replica;
insert into public.clients (id, company_name, contact_email, address, created_at, updated_at)
select ${id('clients', 'c')}, ${pick(NAMES, shift)} || ' ' || ${shift}, 'a' || ${flavour} || '@b.example', 'Rue ' || ${shift},
    ${at('0')}, ${at('1')}
from ${every};
insert into public.sites (id, client_id, site_name, address, created_at, updated_at)
select ${id('sites', 'c', 'n')}, ${id('clients', 'c')}, ${name('Siège')}, 'Quai ' || ${shift}, ${at('n')}, ${at('n + 1')}
from ${each(SITES)};
insert into public.cadastres (
    id, site_id, commune_code, section, number, area_m2, address, rental_value, reference_year, created_at, updated_at
)
select ${id('cadastres', 'c', 'n')}, ${id('sites', 'c', 'n')}, ${commune}, 'AB', lpad((n + ${flavour})::text, 4, '0'),
    100 * (n + ${flavour}), 'Lieu-dit ' || ${shift}, ${amount('n')}, 2000 + ${flavour} + n, ${at('n')}, ${at('n')}
from ${each(SITES)};
insert into public.users (
    id, email, password_hash, name, role, client_access, subject, access_changed_at, created_at, updated_at, calendar_digest
)
select ${id('users', 'c', 'n')}, 'user' || n || '.' || c || '@${seed.replaceAll('/', '-')}.example', '!',
    'Ada ' || (${people} * 100 + n),
    case n when 3 then 'ACCOUNT_MANAGER' when 5 then 'CLIENT' when 6 then 'ADMIN' when 7 then 'CLIENT' else 'TAX_SPECIALIST' end,
    case
        when n = 7 then '{}'::uuid[]
        when n in (3, 6) and c = 1 and ${clients} > 1 then array[${id('clients', '1')}, ${id('clients', '2')}]
        else array[${id('clients', 'c')}]
    end,
    'idp|${seed}|' || c || '|' || n, timestamptz '2024-01-01 00:00:00Z', joined.at, joined.at,
    case n when 3 then encode(sha256("left"(encode(sha256(('${seed} ' || c)::bytea), 'hex'), 43)::bytea), 'hex') end
from ${each(Object.keys(USERS).length)},
    lateral (select timestamptz '2024-02-01 00:00:00Z' + ${people} * interval '1 day' + (c * 60 + n) * interval '1 minute') as joined (at);
insert into public.reclamations (
    id, client_id, site_id, claim_type, amount, status, tax_year, commune_code, notice_reference, collection_date,
    submitted_at, decision_date, court_deadline, granted_amount, refund_amount, grounds, assignee_id,
    created_at, updated_at
)
select ${id('reclamations', 'c', 'n')}, ${id('clients', 'c')}, ${id('sites', 'c', `1 + n % ${SITES}`)},
    ${pick(['TF', 'CFE'], `n + ${flavour}`)}, ${amount('n')}, ${status}, 2015 + (n + ${flavour}) % 8, ${commune},
    ${name('Avis')}, date '2024-06-01' + n + ${flavour}, ${at('n + 3')}, date '2025-02-01' + n, date '2025-06-01' + n,
    case ${status} when 'REJECTED' then null else ${amount('0')} end, ${flavour} + n, ${name('Motif')}, case n % 2 when 0 then ${id('users', 'c', '1')} end, ${at('n')}, ${at('n * 2')}
from ${each(claims)};
insert into app.claim_words (id, client_id, words)
select r.id, r.client_id, app.words(r.search_text)
from ${each(claims)}, public.reclamations as r
where r.id = ${id('reclamations', 'c', 'n')};
insert into public.reclamation_history (id, reclamation_id, client_id, from_status, to_status, changed_by, actor, changed_at)
select ${id('reclamation_history', 'c', 'n')}, ${id('reclamations', 'c', 'n')}, ${id('clients', 'c')}, 'DRAFT', ${status},
    ${id('users', 'c', '1')}, ${name('idp')}, ${at('n + 3')}
from ${each(claims)};
insert into public.documents (id, reclamation_id, filename, file_path, file_size, mime_type, uploaded_at, updated_at, kind)
select ${id('documents', 'c', 'n')}, ${id('reclamations', 'c', 'n')}, ${name('avis')} || '.txt', ${id('documents', 'c', 'n')},
    ${contentOf({ flavour }).length}, 'text/plain', ${at('n + 2')}, ${at('n + 2')}, ${kind}
from ${each(Math.min(claims, 4))};
insert into app.client_documents (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, updated_at, kind)
select ${id('documents', 'c', 'n')}, ${id('clients', 'c')}, ${id('reclamations', 'c', 'n')}, ${name('avis')} || '.txt',
    ${contentOf({ flavour }).length}, 'text/plain', ${at('n + 2')}, ${at('n + 2')}, ${kind}
from ${each(Math.min(claims, 4))};
insert into public.notes (
    id, client_id, reclamation_id, author_id, text, internal, due_on, assignee_id, done_at, created_at, updated_at
)
select ${id('notes', 'c', 'n')}, ${id('clients', 'c')}, ${id('reclamations', 'c', 'n')}, ${id('users', 'c', '4')}, ${name('Note')}, n % 2 = 0,
    case when n < 4 then date '2025-03-01' + n + ${flavour} end, case n when 3 then ${id('users', 'c', '1')} end,
    case n when 2 then ${at('n + 4')} end, ${at('n + 3')}, ${at('n + 4')}
from ${each(Math.min(claims, 4))};
insert into public.partners (id, name, siret, contact_email, phone, address, commission_rate, created_at, updated_at)
select ${id('partners', 'c', 'n')}, ${name('Cabinet')}, ${pick(['73282932000074', '35600000000048'], `n + ${flavour}`)}, 'p' || n || '@b.example', '01' || n,
    'Place ' || ${shift}, 5 + (n + ${flavour}) % 20, ${at('n')}, ${at('n')}
from ${each(Object.keys(PARTNERS).length)};
insert into public.client_partners (client_id, partner_id, created_at)
select ${id('clients', 'c')}, ${id('partners', 'c', 'n')}, ${at('n')}
from ${each(Object.keys(PARTNERS).length)};
insert into public.factures (
    id, client_id, reclamation_id, number, status, issue_date, due_date, amount_excl_tax, paid_at, created_at, updated_at
)
select ${id('factures', 'c', 'n')}, ${id('clients', 'c')}, ${id('reclamations', 'c', 'n')},
    case when n > 2 then '${seed}-' || c || '-' || n end, (array['DRAFT', 'DRAFT', 'ISSUED', 'PAID'])[n],
    date '2024-09-01' + ${flavour}, date '2024-10-01' + ${flavour}, ${amount('n')}, case when n = 4 then ${at('9')} end, ${at('n')}, ${at('n')}
from ${each(FACTURES)};
insert into public.partner_invoices (
    id, partner_id, client_id, invoice_id, number, status, issue_date, due_date, amount_excl_tax, vat_amount,
    amount_incl_tax, created_at, updated_at
)
select ${id('partner_invoices', 'c', 'n')}, ${id('partners', 'c', '2')}, ${id('clients', 'c')}, ${id('factures', 'c', 'n')},
    ${name('F')}, ${pick(['RECEIVED', 'VALIDATED', 'PAID', 'DISPUTED'], `n + ${flavour}`)}, date '2024-08-01' + n,
    date '2024-09-01' + n, b.net, b.vat, b.net + b.vat, ${at('n')}, ${at('n')}
from ${each(BILLS)}, lateral (select (${amount('n')})::numeric(12, 2) as net, 20 + n as vat) as b;
insert into public.audit_logs (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    request_id, actor, created_at, changed
)
select ${id('audit_logs', 'c', 'n')}, ${id('users', 'c', '1')}, 'GET /api/sites', 'sites', ${id('sites', 'c', '1')},
    ${id('clients', 'c')}, n % 2 = 0, ${name('reason')}, '192.0.2.1', 'fixture', ${name('request')}, ${name('idp')}, ${at('n')},
    case n % 2 when 0 then jsonb_build_object('site_name', jsonb_build_array(${name('Dépôt')}, ${name('Siège')})) end
from ${each(REFUSALS)};
insert into public.identity_changes (
    id, user_id, request_id, actor, role, client_access, is_active, ends_tokens, attempts, last_error, next_attempt_at,
    created_at, delivered_at
)
select ${id('identity_changes', 'c', 'n')}, ${id('users', 'c', 'n')}, ${name('request')}, ${name('idp')}, 'TAX_SPECIALIST',
    case n when 2 then array[${id('clients', 'c')}, ${id('clients', 'c', '2')}] else array[${id('clients', 'c')}] end, true, false, n,
    case n when 3 then 'the provider answered 500' end, ${at('n + 1')}, ${at('n')}, case n when 1 then ${at('n + 1')} end
from ${each(4)};
insert into app.idempotency_keys (
    subject, key_digest, request_digest, resource_type, resource_id, body, location, created_at
)
select 'idp|${seed}|' || c || '|3', encode(sha256('known key'), 'hex'), encode(sha256('another request'), 'hex'), 'sites',
    ${id('sites', 'c', '1')}, '{}', '/api/sites', clock_timestamp()
from ${every};
insert into app.document_links (
    digest, document_id, client_id, subject, user_id, role, issued_at, access_digest, expires_at
)
select encode(sha256(encode(sha256(('${seed} ' || c)::bytea), 'hex')::bytea), 'hex'), ${id('documents', 'c', '1')}, ${id('clients', 'c')},
    u.subject, u.id, u.role, timestamptz '2024-01-02 00:00:00Z', u.access_digest, timestamptz '2999-01-01 00:00:00Z'
from ${every}
join public.users as u on u.id = ${id('users', 'c', '3')};
insert into app.created_clients (subject, client_id, created_at)
select 'idp|${seed}|' || c || '|3', ${id('clients', 'c')}, ${at('0')}
from ${every};
insert into app.lost_clients (user_id, client_id, lost_at)
select ${id('users', 'c', '3')}, ${id('lost', 'c')}, ${at('0')}
from ${every};
insert into app.password_attempts (user_id, attempted_at)
select ${id('users', 'c', '3')}, array[${at('0')}]
from ${every};
insert into app.content_removals (file_path, due_at)
select ${id('removals', 'c')}, timestamptz '2999-01-01 00:00:00Z'
from ${every};
set local session_replication_role = origin;
`;
}

export const contentOf = ({ flavour }: Pick<Firm, 'flavour'>): string => `Avis ${String(flavour).padStart(3, '0')}`;

/** The paths at which the document store keeps the documents of the firm. */
export function pathsOf({ seed, clients, claims }: Firm): string[] {
  const numbers = (most: number): number[] => Array.from({ length: most }, (_, index) => index + 1);
  return numbers(clients).flatMap((c) => numbers(Math.min(claims, 4)).map((n) => idOf(seed, 'documents', c, n)));
}
