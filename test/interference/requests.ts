import { hash } from 'node:crypto';
import fc from 'fast-check';
import { anyRequest } from '../property/requests.ts';
import type { Caller } from '../property/requests.ts';
import { ROWS } from '../resources/access.ts';
import { fill, questionOf } from '../resources/situations.ts';
import type { Callers, Who } from './callers.ts';
import type { FirmNames } from './firm.ts';
import { idOf } from './ids.ts';
import { listsWalked } from './lists.ts';
import type { Request } from './step.ts';

/**
 * Requests of one caller that must be sent in their order, for example the creation of a record and then its deletion.
 */
export interface Act {
  readonly name: string;
  requests(callers: Callers, foreign: FirmNames): readonly Request[];
}

const SEED = 20_260_201;

/** The caller whose token is sent if a randomly generated request asks for the token of a role. */
const WHO_OF: Readonly<Partial<Record<Caller, Who>>> = {
  ADMIN: 'admin',
  ACCOUNT_MANAGER: 'manager',
  TAX_SPECIALIST: 'specialist',
  CLIENT: 'client',
};

/**
 * Random requests that are generated from the OpenAPI description. The seed is constant, so they are always the same.
 */
export function madeUp(count: number): Act[] {
  return fc.sample(anyRequest, { numRuns: count, seed: SEED }).map(({ operation, target, caller, headers, body }) => ({
    name: operation,
    requests: ({ names, tokens }, foreign) => {
      const who = WHO_OF[caller];
      const named = (text: string): string =>
        text
          .replaceAll('<token>', tokens.client)
          .replaceAll(
            /<(own|foreign)\.(\w+)>/g,
            (_whole, whose: string, kind: string) => (whose === 'own' ? names : foreign)[kind as keyof FirmNames],
          );
      return [
        {
          line: named(target),
          headers,
          ...(who !== undefined && { token: tokens[who] }),
          ...(body !== undefined && { body: named(body) }),
        },
      ];
    },
  }));
}

const ALL: readonly Who[] = ['admin', 'manager', 'specialist', 'client', 'single', 'none'];

/**
 * Requests of every caller to every endpoint: for the caller’s own records, for records of other tenants, and for ids
 * that no record has.
 */
const everyEndpoint: readonly Act[] = ROWS.flatMap((row) =>
  ALL.flatMap((who) =>
    (['own', 'foreign', 'absent'] as const).map((whose) => ({
      name: `${row.line} by ${who}, ${whose}`,
      requests: ({ names, tokens }: Callers, foreign: FirmNames): Request[] => {
        const absent = Object.fromEntries(Object.keys(names).map((kind) => [kind, idOf('absent', kind)])) as FirmNames;
        const subject = { own: names, foreign, absent }[whose];
        const { body, headers } = questionOf(row, names);
        const text = typeof body === 'object' ? JSON.stringify(body) : body;
        const named = text === undefined || whose === 'own' ? text : swapped(text, names, subject);
        const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
        return [
          {
            line: fill(row, subject),
            token: tokens[who],
            headers: { ...type, ...(headers as Record<string, string> | undefined) },
            ...(named !== undefined && { body: named }),
          },
        ];
      },
    })),
  ),
);

/** Replaces the ids of the caller’s records in a request body by ids of another tenant’s records. */
function swapped(body: string, names: FirmNames, other: FirmNames): string {
  const kinds = Object.keys(names) as (keyof FirmNames)[];
  return kinds.reduce((text, kind) => text.replaceAll(names[kind], other[kind]), body);
}

const json = { 'content-type': 'application/json' };

/**
 * The collections in which each caller creates a record, creates it again, changes it and deletes it, with the bodies
 * of these requests.
 */
const LIVES: readonly (readonly [path: string, body: (n: FirmNames) => object, ...changes: object[]])[] = [
  ['/api/sites', (n) => ({ client_id: n.clients, site_name: 'Entrepôt' }), { site_name: 'Atelier' }, { address: null }],
  [
    '/api/cadastres',
    (n) => ({ site_id: n.sites, commune_code: '2A004', section: 'AB', number: '0777' }),
    { area_m2: 12 },
    { number: '0001', commune_code: '69123' },
  ],
  [
    '/api/reclamations',
    (n) => ({ client_id: n.clients, site_id: n.sites, claim_type: 'TF', amount: '1200.50', tax_year: 2024 }),
    { status: 'READY_FOR_REVIEW' },
    { status: 'APPROVED' },
    { status: 'SUBMITTED', grounds: 'Erreur' },
    { status: 'CLOSED' },
  ],
  [
    '/api/partners',
    (n) => ({ name: 'Cabinet Dubois', client_ids: [n.clients, n.second] }),
    { phone: '01' },
    { siret: '73282932000074' },
  ],
  [
    '/api/invoices',
    (n) => ({ client_id: n.clients, amount_excl_tax: 100, issue_date: '2024-11-05' }),
    { due_date: '2025-01-31' },
    { status: 'ISSUED' },
    { status: 'PAID' },
    { amount_excl_tax: 3 },
  ],
  [
    '/api/partner-invoices',
    (n) => ({ client_id: n.clients, partner_id: n.biller, number: 'F-77', amount_excl_tax: 100 }),
    { number: 'F 1' },
    { status: 'VALIDATED' },
    { status: 'DRAFT' },
  ],
  ['/api/clients', () => ({ company_name: 'Boulangerie Martin 5', contact_email: 'a@b.example' }), { address: 'Lyon' }],
  [
    '/api/users',
    (n) => ({
      email: `${n.clients}@b.example`,
      name: 'Chloé',
      role: 'TAX_SPECIALIST',
      client_access: [n.clients],
    }),
    { name: 'Zoé' },
    { client_access: [] },
  ],
];

const lives: readonly Act[] = LIVES.flatMap(([path, body, ...changes]) =>
  (['admin', 'manager', 'specialist', 'client'] as const).map((who) => ({
    name: `${who} creates, changes and deletes a record of ${path}`,
    requests: ({ names, tokens }: Callers): Request[] => {
      const by = { token: tokens[who] };
      const sent = JSON.stringify(body(names));
      const keyed = { ...json, 'idempotency-key': `life of ${who} ${path}` };
      const one = `${path}/<made>`;
      return [
        { ...by, line: `POST ${path}`, headers: keyed, body: sent },
        { ...by, line: `POST ${path}`, headers: keyed, body: sent },
        { ...by, line: `POST ${path}`, headers: keyed, body: '{}' },
        { ...by, line: `POST ${path}`, headers: { ...json, 'idempotency-key': 'known key' }, body: sent },
        { ...by, line: `POST ${path}`, headers: json, body: sent },
        { ...by, line: `GET ${one}` },
        { ...by, line: `HEAD ${one}` },
        { ...by, line: `GET ${one}`, headers: { 'if-none-match': '<tag>' } },
        ...changes.map((change) => ({
          ...by,
          line: `PUT ${one}`,
          headers: json,
          body: JSON.stringify(change),
        })),
        { ...by, line: `PUT ${one}`, headers: { ...json, 'if-match': '<tag>' }, body: '{}' },
        { ...by, line: `GET ${one}/changes` },
        { ...by, line: `GET ${path}?limit=5&sort=updated_at` },
        { ...by, line: `GET ${path}?updated_from=<time>&count=exact` },
        { ...by, line: `DELETE ${one}`, headers: { 'if-match': '"1"' } },
        { ...by, line: `DELETE ${one}` },
        { ...by, line: `GET ${one}` },
        { token: tokens.admin, line: 'GET /api/audit-logs?limit=6&count=exact' },
      ];
    },
  })),
);

/** Requests about partners and users that the callers’ firm shares with other tenants. */
const shares: readonly Act[] = (['admin', 'manager', 'specialist', 'single'] as const).map((who) => ({
  name: `${who} asks about shared partners and users`,
  requests: ({ names, tokens }: Callers): Request[] => {
    const by = { token: tokens[who] };
    return [
      { ...by, line: `GET /api/partners/${names.shared}` },
      { ...by, line: `GET /api/partner-invoices?partner_id=${names.shared}&count=exact` },
      { ...by, line: 'GET /api/partners?sort=name&count=exact' },
      { ...by, line: `PUT /api/partners/${names.shared}`, headers: json, body: '{"phone":"0605"}' },
      {
        ...by,
        line: `PUT /api/partners/${names.shared}`,
        headers: json,
        body: JSON.stringify({ client_ids: [names.clients] }),
      },
      {
        ...by,
        line: 'POST /api/partner-invoices',
        headers: json,
        body: JSON.stringify({
          client_id: names.clients,
          partner_id: names.shared,
          number: 'F 1',
          amount_excl_tax: 1,
        }),
      },
      { ...by, line: `GET /api/partners/${names.shared}/changes` },
      { ...by, line: `GET /api/users/${names.guest}` },
      { ...by, line: `GET /api/users/${names.guest}/changes` },
      { ...by, line: `GET /api/users?q=ada&count=exact&sort=email` },
      { ...by, line: `GET /api/users?client_id=${names.clients}` },
      { ...by, line: `PUT /api/users/${names.guest}/client-access/${names.second}` },
      { ...by, line: `DELETE /api/users/${names.guest}/client-access/${names.second}` },
      { ...by, line: 'GET /api/clients?updated_from=2024-01-01T00:00:00Z&sort=-updated_at' },
      { token: tokens.admin, line: 'GET /api/audit-logs?limit=9&resource_type=users' },
    ];
  },
}));

/**
 * Requests that change many records at once. Some of them name records of another tenant, or ids that no record has.
 */
const manyAtOnce: readonly Act[] = (['admin', 'manager', 'specialist', 'client', 'single'] as const).map((who) => ({
  name: `${who} changes many records at once`,
  requests: ({ names, tokens, firm }: Callers, foreign: FirmNames): Request[] => {
    const by = { token: tokens[who] };
    const absent = idOf('absent', 'reclamations');
    const claims = [names.reclamations, idOf(firm.seed, 'reclamations', 1, 2)];
    const post = (path: string, changes: readonly object[], headers = {}): Request => ({
      ...{ ...by, line: `POST ${path}`, headers: { ...json, ...headers } },
      body: JSON.stringify({ changes }),
    });
    const each = (ids: readonly string[], change: object): object[] => ids.map((id) => ({ id, ...change }));
    const path = '/api/reclamations/changes';
    const keyed = { 'idempotency-key': `changes of ${who}` };
    const french = { 'accept-language': 'fr' };
    return [
      ...[foreign.reclamations, absent].flatMap((other) => [
        post(path, each([...claims, other], { tax_year: 2021 })),
        post(`${path}?dry_run=true`, each([other, ...claims], { tax_year: 2021 }), french),
      ]),
      post(path, each(claims, { site_id: foreign.sites })),
      post(path, each(claims, { assignee_id: foreign.users }), french),
      post(path, each(claims, { client_id: foreign.clients })),
      post(path, each(claims, { amount: -1, surprise: 1 }), french),
      post(`${path}?dry_run=true`, each(claims, { amount: 1 })),
      post(path, each(claims, { amount: 1, granted_amount: 2 })),
      post(path, each(claims, { version: '2024-01-01T00:00:00Z', amount: 2 })),
      post(path, each(claims, { assignee_id: names.users, tax_year: 2022 }), keyed),
      post(path, each(claims, { assignee_id: names.users, tax_year: 2022 }), keyed),
      post('/api/invoices/changes', each([names.draft, foreign.draft], { due_date: '2031-01-31' })),
      post('/api/invoices/changes', each([names.factures, names.draft], { due_date: '2031-01-31' })),
      post('/api/partner-invoices/changes', each([names.partner_invoices], { due_date: '2031-01-31' })),
      ...claims.map((id) => ({ ...by, line: `GET /api/reclamations/${id}/changes` })),
      { ...by, line: `GET /api/reclamations/${foreign.reclamations}/changes` },
      { ...by, line: 'GET /api/reclamations?expand=moves,assignee&fields=id,status' },
      { token: tokens.admin, line: 'GET /api/audit-logs?limit=9&count=exact' },
    ];
  },
}));

/** The secret in the download link of a firm’s first document, which fixed-ids.ts computes. */
const secretOf = (document: string): string => hash('sha256', document);

/** Requests for whole documents, parts of documents, versions, health probes and the description of the API. */
const contents: readonly Act[] = ALL.map((who) => ({
  name: `${who} reads contents of documents, probes and the description`,
  requests: ({ firm, names, tokens }: Callers, foreign: FirmNames): Request[] => {
    const by = { token: tokens[who] };
    const content = `/api/documents/${names.documents}/content`;
    const secret = secretOf(`${firm.seed} 1`);
    const ranges = ['bytes=0-1', 'bytes=-2', 'bytes=4-', 'bytes=100-', 'bytes=0-0,2-3', 'items=1'];
    return [
      ...ranges.map((range) => ({ ...by, line: `GET ${content}`, headers: { range } })),
      { ...by, line: `HEAD ${content}` },
      { ...by, line: `POST /api/documents/${names.documents}/link` },
      { ...by, line: `POST /api/documents/${foreign.documents}/link` },
      { line: `GET ${content}?link=${secret}` },
      { line: `GET ${content}?link=${secretOf(`${firm.seed} 2`)}` },
      { line: `GET /api/documents/${foreign.documents}/content?link=${secret}` },
      { line: `GET /calendar/${secret.slice(0, 43)}.ics` },
      { line: `GET /calendar/${secretOf(`${firm.seed} 2`).slice(0, 43)}.ics` },
      { ...by, line: 'POST /api/users/me/calendar' },
      { ...by, line: `GET /api/reclamations/${names.reclamations}/documents.zip` },
      { ...by, line: `GET /api/reclamations/${foreign.reclamations}/documents.zip` },
      { ...by, line: `GET ${content}`, headers: { 'if-none-match': '*' } },
      { ...by, line: `GET /api/documents/${foreign.documents}/content`, headers: { range: 'bytes=0-1' } },
      { ...by, line: `GET /api/reclamations/${names.reclamations}/documents?count=exact&limit=1` },
      { ...by, line: 'GET /health' },
      { ...by, line: 'GET /' },
      { ...by, line: 'GET /api/auth/profile' },
      { ...by, line: 'GET /api/users/me' },
      { line: 'POST /api/auth/login', headers: json, body: JSON.stringify({ token: tokens[who] }) },
      { ...by, line: 'GET /api/nothing' },
      { ...by, line: 'PATCH /api/sites' },
      { ...by, line: `POST /api/reclamations/${names.reclamations}/documents` },
    ];
  },
}));

/** All groups of requests that a developer wrote. Randomly generated requests are not among them. */
export const byHand: readonly Act[] = [
  ...listsWalked,
  ...everyEndpoint,
  ...lives,
  ...manyAtOnce,
  ...shares,
  ...contents,
];
