import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ROLES } from '../../src/identity/caller.ts';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';

/*
 * This suite compares GET …/moves, which lists the possible status changes of a record, with the requirements, which
 * are written here a second time. Each role tries every status from every status.
 */

const ALL: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'];
const LEADS: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER'];

interface Move {
  readonly status: string;
  readonly requires: readonly string[];
}

interface Kind {
  readonly path: string;
  readonly table: string;
  readonly transitions: string;
  readonly statuses: readonly string[];
  /** The allowed status changes (moves): from which status, to which status, by which roles, and with which column. */
  readonly allowedMoves: readonly (readonly [from: string, to: string, who: readonly Role[], column?: string])[];
  readonly readers: readonly Role[];
  readonly writers: readonly Role[];
  /** Sets of column values that make some status change of a record possible. Only one test tries all sets. */
  readonly variants: readonly Readonly<Record<string, string>>[];
  columns(tenant: Tenant): Readonly<Record<string, string>>;
  /** Returns the column values without which the database stores no record in the given status. */
  inStatus?(status: string): Readonly<Record<string, string>>;
}

const service = await forSuite(startService());
const tenant = await service.furnishedTenant('Boulangerie Martin');

const KINDS: readonly Kind[] = [
  {
    ...{ path: '/api/reclamations', table: 'reclamations', transitions: 'reclamation_transitions' },
    statuses: [
      ...['DRAFT', 'READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED'],
      ...['ACCEPTED', 'PARTIALLY_ACCEPTED', 'REJECTED', 'LITIGATION', 'REFUNDED', 'WITHDRAWN', 'CLOSED'],
    ],
    allowedMoves: [
      ['DRAFT', 'READY_FOR_REVIEW', ALL],
      ['READY_FOR_REVIEW', 'DRAFT APPROVED', LEADS],
      ['APPROVED', 'SUBMITTED', ALL],
      ['SUBMITTED', 'ACKNOWLEDGED', ALL],
      ['SUBMITTED ACKNOWLEDGED', 'REGULARISATION_REQUESTED', ALL],
      ['REGULARISATION_REQUESTED', 'SUBMITTED ACKNOWLEDGED REJECTED', ALL],
      ['SUBMITTED ACKNOWLEDGED', 'ACCEPTED PARTIALLY_ACCEPTED REJECTED', ALL],
      ['SUBMITTED ACKNOWLEDGED', 'LITIGATION', LEADS, 'response_due_at'],
      ['REJECTED PARTIALLY_ACCEPTED', 'LITIGATION', LEADS],
      ['REFUNDED', 'LITIGATION', LEADS, 'granted_amount'],
      ['ACCEPTED', 'LITIGATION', LEADS, 'instance'],
      ['LITIGATION', 'ACCEPTED PARTIALLY_ACCEPTED REJECTED CLOSED', ALL],
      ['REJECTED', 'ACCEPTED PARTIALLY_ACCEPTED', LEADS],
      ['ACCEPTED PARTIALLY_ACCEPTED', 'REFUNDED CLOSED', ALL],
      ['DRAFT READY_FOR_REVIEW APPROVED SUBMITTED ACKNOWLEDGED REGULARISATION_REQUESTED', 'WITHDRAWN', LEADS],
      ['LITIGATION', 'WITHDRAWN', LEADS],
      ['REFUNDED REJECTED WITHDRAWN', 'CLOSED', LEADS],
    ],
    readers: ROLES,
    writers: ALL,
    variants: [{}, { response_due_at: '2026-01-01T00:00:00Z', granted_amount: '40', instance: 'TA' }],
    columns: ({ clients, sites }) => ({ client_id: clients, site_id: sites, claim_type: 'TF', amount: '100' }),
  },
  {
    ...{ path: '/api/invoices', table: 'factures', transitions: 'invoice_transitions' },
    statuses: ['DRAFT', 'ISSUED', 'PAID', 'CANCELLED'],
    allowedMoves: [
      ['DRAFT', 'ISSUED', LEADS],
      ['ISSUED', 'PAID', LEADS],
    ],
    readers: ROLES,
    writers: LEADS,
    variants: [
      {},
      { issue_date: '2020-01-01', due_date: '2020-01-31' },
      { due_date: '2199-01-01' },
      // The test’s invoice has a due date in the past, so it cannot be issued today: the due date would be before the
      // issue date.
      { due_date: '2020-01-01' },
    ],
    columns: ({ clients }) => ({ client_id: clients, amount_excl_tax: '100' }),
    inStatus: (status) =>
      status === 'DRAFT'
        ? {}
        : {
            number: randomUUID(),
            issue_date: '2019-12-31',
            ...(status === 'PAID' && { paid_at: '2020-01-15T00:00:00Z' }),
          },
  },
  {
    ...{ path: '/api/partner-invoices', table: 'partner_invoices', transitions: 'invoice_transitions' },
    statuses: ['RECEIVED', 'VALIDATED', 'PAID', 'DISPUTED'],
    allowedMoves: [
      ['RECEIVED', 'VALIDATED DISPUTED', LEADS],
      ['VALIDATED', 'PAID DISPUTED', LEADS],
      ['DISPUTED', 'VALIDATED', LEADS],
    ],
    readers: LEADS,
    writers: LEADS,
    variants: [{}],
    columns: ({ clients, biller }) => ({
      ...{ client_id: clients, partner_id: biller, number: randomUUID() },
      ...{ amount_excl_tax: '100', vat_amount: '20', amount_incl_tax: '120' },
    }),
  },
];

/** Inserts a record in the given status without firing triggers. */
async function insertRecord(kind: Kind, status: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const id = randomUUID();
  const columns = { id, ...kind.columns(tenant), ...kind.inStatus?.(status), ...more, status };
  const values = Object.values(columns).map((value) => `'${value}'`);
  await service.admin(`
    set session_replication_role = replica;
    insert into public.${kind.table} (${Object.keys(columns).join()}) values (${values.join()})`);
  return id;
}

/** Returns the statuses to which a caller with the given role is allowed to move a record from the status `from`. */
function allowed(
  { allowedMoves, statuses }: Kind,
  from: string,
  role: Role,
  columns: Readonly<Record<string, string>>,
): string[] {
  const moves = allowedMoves.filter(
    ([froms, , who, column]) =>
      froms.split(' ').includes(from) && who.includes(role) && (column === undefined || column in columns),
  );
  return statuses.filter((to) => moves.some(([, tos]) => tos.split(' ').includes(to))).toSorted();
}

/** Columns with which every status change is possible whose possibility depends on the record. */
const ANY_COLUMNS = { response_due_at: '', granted_amount: '', instance: '' };

/** Valid values for the fields that some status change requires. */
const VALUES: Readonly<Record<string, unknown>> = {
  due_date: '2199-12-31',
  decision_date: '2026-01-31',
  granted_amount: 12.5,
  issue_date: '2018-01-31',
};

const valuesFor = (fields: readonly string[]): object => Object.fromEntries(fields.map((name) => [name, VALUES[name]]));

const CASTS = [
  { name: 'ADMIN of all clients', role: 'ADMIN', clients: () => [] },
  { name: 'ADMIN of one client', role: 'ADMIN', clients: () => [tenant.clients] },
  ...(['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const).map((role) => ({
    ...{ name: role, role, clients: () => [tenant.clients] },
  })),
] as const;

/**
 * Reads the possible status changes (moves) of a record, and expects a list with `expand=moves` to have the same moves.
 */
async function movesOf(kind: Kind, id: string, token: string): Promise<readonly Move[]> {
  const answer = await service.ask(`GET ${kind.path}/${id}/moves`, { token });
  const listed = await service.ask(`GET ${kind.path}?id=${id}&expand=moves`, { token });
  expect([answer.status, listed.status]).toEqual([200, 200]);
  expect((listed.json as readonly object[])[0]).toMatchObject({ moves: answer.json });
  return answer.json as readonly Move[];
}

function put(kind: Kind, id: string, token: string, body: object): Promise<Answer> {
  return service.ask(`PUT ${kind.path}/${id}`, { token, body });
}

describe.each(KINDS)('the possible status changes in GET $path/{id}/moves', (kind) => {
  const { path } = kind;
  describe.each(CASTS)('the possible status changes for $name', ({ name: caller, role, clients }) => {
    const rows = kind.statuses.flatMap((from) => kind.variants.map((variant) => [from, variant] as const));

    test.each(rows)(
      `${caller} sees exactly the possible status changes of a record of ${path} with the status %s and the columns %j`,
      async (from, variant) => {
        const token = await service.token(role, clients());
        const id = await insertRecord(kind, from, variant);
        if (!kind.readers.includes(role)) {
          expectError(await service.ask(`GET ${kind.path}/${id}/moves`, { token }), 'ERROR_FORBIDDEN');
          return;
        }
        const moves = await movesOf(kind, id, token);
        const possible = moves.map(({ status }) => status);
        expect(possible).toEqual(allowed(kind, from, role, variant));
        const conditional = allowed(kind, from, role, ANY_COLUMNS);
        for (const status of kind.statuses) {
          const move = moves.find((one) => one.status === status);
          const tried = move === undefined ? id : await insertRecord(kind, from, variant);
          for (const lacking of move?.requires ?? []) {
            const others = move?.requires.filter((field) => field !== lacking) ?? [];
            const refused = await put(kind, tried, token, { status, ...valuesFor(others) });
            expect([status, lacking, [400, 409].includes(refused.status)]).toEqual([status, lacking, true]);
            expect(Object.keys(details(refused) as object)).toContain(lacking);
          }
          const answer = await put(kind, tried, token, {
            ...{ status, ...valuesFor(move?.requires ?? []) },
            ...(status === 'REJECTED' && move !== undefined && { granted_amount: null }),
          });
          const expected = move !== undefined ? 200 : kind.writers.includes(role) ? 409 : 403;
          expect([status, answer.status]).toEqual([status, expected]);
          if (expected === 200) expect(answer.json).toMatchObject({ id: tried, status });
          if (expected === 409 && conditional.includes(status)) {
            expect(Object.values(details(answer) as object)).toEqual([expect.stringContaining('LITIGATION')]);
          } else if (expected === 409) {
            const list = possible.length === 0 ? 'no further' : `to ${possible.join(', ')}`;
            const reason = status === from ? `is ${from} already` : `cannot be ${status} now`;
            expect(details(answer)).toEqual({ status: `${reason}: from ${from} you can move it ${list}` });
          }
        }
        const [stored] = await service.admin(`select status from public.${kind.table} where id = $1`, [id]);
        expect(stored).toEqual({ status: from });
      },
    );
  });
});

describe('the fields that a status change requires', () => {
  const [claims, invoices, bills] = KINDS as readonly [Kind, Kind, Kind];
  const cases = [
    { kind: claims, from: 'SUBMITTED', to: 'ACCEPTED', fields: ['granted_amount', 'decision_date'] },
    { kind: invoices, from: 'DRAFT', to: 'ISSUED', fields: ['issue_date', 'due_date'] },
    { kind: bills, from: 'RECEIVED', to: 'VALIDATED', fields: ['issue_date'] },
  ] as const;

  /** Makes the database require the given fields for a change to the status `to` while the function `work` runs. */
  async function requiring(kind: Kind, to: string, fields: readonly string[], work: () => Promise<void>) {
    const set = (requires: unknown) =>
      service.admin(`update public.${kind.transitions} set requires = $1 where to_status = $2`, [requires, to]);
    const [row] = await service.admin(`select requires from public.${kind.transitions} where to_status = $1`, [to]);
    await set(fields);
    try {
      await work();
    } finally {
      await set(row?.['requires']);
    }
  }

  test.each(cases)(
    'the change of a record of $kind.path to the status $to lists the required fields $fields, and gets 409 without them',
    async ({ kind, from, to, fields }) => {
      const token = await service.token('ACCOUNT_MANAGER', [tenant.clients]);
      await requiring(kind, to, fields, async () => {
        const id = await insertRecord(kind, from);
        expect(await movesOf(kind, id, token)).toContainEqual(
          expect.objectContaining({ status: to, requires: fields }),
        );
        const refused = await put(kind, id, token, { status: to });
        expectError(
          refused,
          'ERROR_CONFLICT',
          Object.fromEntries(fields.map((field) => [field, `is needed for the move to ${to}`])),
        );
        expect((await put(kind, id, token, { status: to, ...valuesFor(fields) })).status).toBe(200);
      });
    },
  );

  test('GET …/moves of a claim does not list a field that a status change requires if the claim already has that field', async () => {
    const token = await service.token('TAX_SPECIALIST', [tenant.clients]);
    await requiring(claims, 'ACCEPTED', ['granted_amount', 'decision_date'], async () => {
      const id = await insertRecord(claims, 'SUBMITTED', { decision_date: '2026-01-31' });
      const moves = await movesOf(claims, id, token);
      expect(moves).toContainEqual({ status: 'ACCEPTED', requires: ['granted_amount'], is_correction: false });
      expect((await put(claims, id, token, { status: 'ACCEPTED', granted_amount: 1 })).status).toBe(200);
    });
  });
});
