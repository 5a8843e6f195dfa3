import { expect, test } from '@jest/globals';
import { createSubjectUuid } from '../../../src/identity/subject.ts';
import { connected } from '../../support/database.ts';
import { startService } from '../../support/service.ts';
import { forSuite } from '../../support/suite.ts';
import type { Tenant } from '../../support/tenant.ts';
import { ROWS, type Row } from '../../resources/access.ts';
import { type Cast, CASTS, fill, giveTo, questionOf } from '../../resources/situations.ts';

/*
 * The API answers each request that concerns one record with success exactly if audit.explain_access allows it.
 */

const service = await forSuite(startService());
const admin = await forSuite(connected(service.postgres.adminUrl, '-c jit=off'));

const COMMANDS: Readonly<Record<string, string>> = { c: 'insert', r: 'select', u: 'update', d: 'delete' };

/** The table of the id that audit.explain_access takes for a new row; null for a row that belongs to no other. */
const PARENTS: Readonly<Record<string, keyof Tenant | null>> = {
  ...{ clients: null, partners: null, cadastres: 'sites', documents: 'reclamations', notes: 'reclamations' },
};

interface Asked {
  readonly row: Row;
  readonly table: keyof Tenant;
  readonly command: string;
  readonly kind: keyof Tenant | null;
}

/** The endpoints that read, change or delete the record in their path, and those that create one record. */
const ASKED = ROWS.flatMap((row): Asked[] => {
  const [table, letter] = row.right;
  const command = COMMANDS[letter];
  if (table === 'everyone' || command === undefined || row.many || row.changes || row.writesNothing || row.erases)
    return [];
  const [method, path = ''] = row.line.split(' ');
  const kinds = Object.values(row.ids ?? {});
  if (letter !== 'c' && (kinds.length !== 1 || kinds[0] !== table || !/^[^{]*\{\w+\}$/.test(path))) return [];
  const parent = PARENTS[table];
  const kind = letter !== 'c' ? table : parent === undefined ? 'clients' : parent;
  if (letter === 'c' && (method !== 'POST' || kinds.some((named) => named !== kind))) return [];
  return [{ row, table, command, kind }];
});

test('the endpoints compared with audit.explain_access create, read, change and delete records of each table', () => {
  const compared = ASKED.map(({ table, command }) => `${command} ${table}`);
  for (const table of ['clients', 'sites', 'cadastres', 'reclamations', 'notes', 'factures', 'partner_invoices'])
    expect(compared).toEqual(
      expect.arrayContaining([`insert ${table}`, `select ${table}`, `update ${table}`, `delete ${table}`]),
    );
});

async function compare({ row, table, command, kind }: Asked, cast: Cast, isOwn: boolean): Promise<void> {
  const [mine, foreign] = [await service.furnishedTenant('Mine'), await service.furnishedTenant('Foreign')];
  const named = isOwn ? mine : foreign;
  await giveTo(service, cast.role, row, named);
  const clients = cast.isUnlimited ? [] : [mine.clients];
  const token = await service.token(cast.role, clients);
  const caller = createSubjectUuid(service.identity.issuer, `idp|${cast.role}`);
  const { rows } = await admin.query<{ allowed: boolean; reason: string }>(
    'select allowed, reason from audit.explain_access($1, $2, $3, $4, $5, $6)',
    [cast.role, clients, table, command, kind === null ? null : named[kind], caller],
  );
  const answer = await service.ask(fill(row, named), { ...questionOf(row, named), token });
  const asked = { cast: cast.name, isOwn, status: answer.status, reason: rows[0]?.reason };
  expect({ ...asked, allowed: rows[0]?.allowed }).toEqual({ ...asked, allowed: answer.status < 300 });
}

test.each(ASKED.map((asked) => [asked.row.line, asked] as const))(
  'the function audit.explain_access allows each role exactly the records for which the API answers %s with success',
  async (_line, asked) => {
    // A request for a new partner also links the partner to clients, which is another row.
    for (const cast of CASTS)
      for (const isOwn of asked.row.line === 'POST /api/partners' ? [true] : [true, false])
        await compare(asked, cast, isOwn);
  },
);
