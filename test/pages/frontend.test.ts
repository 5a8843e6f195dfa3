import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { ERRORS_BY_CODE } from '../../src/errors.ts';
import type { Role } from '../../src/identity/caller.ts';
import { RIGHTS } from '../resources/access.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { loadDemonstration } from '../support/demonstration.ts';
import { blockOf, textOf } from '../support/pages.ts';
import { startService } from '../support/service.ts';
import { shell } from '../support/shell.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* Runs the code blocks of docs/frontend.md on the demonstration: the JavaScript as one module, the rest in Bash. */

const PAGE = 'docs/frontend.md';
const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const API = 'http://127.0.0.1:3000';

const service = await forSuite(startService());
await loadDemonstration(service);
const folder = await folderForSuite();
const here = { [API]: `http://127.0.0.1:${service.port}` };

async function runModule(code: string): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the JavaScript of docs/frontend.md logs in, pages through claims, changes a claim, handles a conflict and an error, and uploads', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [CLIENT], {
    ...{ sub: 'demonstration|marc', email: 'marc.lefevre@cabinet.example', name: 'Marc Lefèvre' },
  });
  const page = blockOf(PAGE, "const api = 'http", { ...here, '…': token, 'limit=100': 'limit=1' });
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  const code = page + blockOf(PAGE, 'const words =');
  const { me, claims, late, refused, attached, state, orders } = await runModule(
    `${code}console.log(JSON.stringify({ me, claims, late, refused, attached, state, orders }));`,
  );

  expect(me).toMatchObject({ name: 'Marc Lefèvre', role: 'ACCOUNT_MANAGER', client_access: [CLIENT] });
  const stored = await service.sql`select id from public.reclamations
    where client_id = ${CLIENT} order by created_at desc, id desc`;
  expect((claims as { id: string }[]).map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  expect(stored.length).toBeGreaterThan(2);
  expect(late).toMatchObject({ status: 412, code: 'ERROR_PRECONDITION_FAILED' });
  expect(refused).toMatchObject({ client_id: expect.any(String), site_name: expect.any(String) });
  expect(state).toMatch(/^\p{Lu}[\p{Ll} ]/u);
  expect(orders).toContainEqual(['amount', { fr: 'Montant demandé', en: 'Amount claimed' }]);
  const { id } = attached as { id: string };
  expect(
    await service.sql`select r.id, r.grounds, d.filename
     from public.documents as d join public.reclamations as r on r.id = d.reclamation_id
     where d.id = ${id}`,
  ).toEqual([{ id: stored[0]?.['id'], grounds: 'Base d’imposition', filename: 'avis.pdf' }]);
});

test('the JavaScript of docs/frontend.md finds a document, sets its type, links to it, and downloads all documents of a claim', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [CLIENT]);
  const [before = ''] = blockOf(PAGE, "const api = 'http", { ...here, '…': token }).split('const me =');
  const code = blockOf(PAGE, 'const avis =', { 'frame.src =': 'const shown =' });
  const { avis, ...shown } = await runModule(`${before}${code}
    const { status, headers } = await fetch(shown);
    console.log(JSON.stringify({ status, type: headers.get('content-type'), bytes: archive.size, avis }));`);
  expect(shown).toEqual({ status: 200, type: 'application/pdf', bytes: expect.any(Number) });
  const [{ id, kind } = { id: '', kind: '' }] = avis as { id: string; kind: string }[];
  expect(kind).toBe('AVIS');
  const [row] = await service.sql`select kind, filename from public.documents where id = ${id}`;
  expect(row).toEqual({ kind: 'AVIS', filename: 'avis-foncière.pdf' });
});

/** Returns the rows of the table of docs/frontend.md whose head begins with this word, without the head. */
function tableOf(head: string): string[][] {
  const [found = ''] = new RegExp(`^\\| ${head} .*\\n(?:\\|.*\\n)+`, 'm').exec(textOf(PAGE)) ?? [];
  const rows = found.trim().split('\n').slice(2);
  expect(rows).not.toEqual([]);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('the table of statuses in docs/frontend.md has every status of /api-json and of the service’s errors, and no other', async () => {
  const { json } = await service.ask('GET /api-json', { token: await token() });
  const { paths } = json as { paths: Record<string, Record<string, { responses?: object }>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const described = operations.flatMap(({ responses = {} }) => Object.keys(responses));
  const expected = new Set([...described, ...Object.values(ERRORS_BY_CODE).map(({ status }) => String(status))]);
  const shown = tableOf('status').flatMap(([statuses = '']) => statuses.match(/\d+/g) ?? []);
  expect(shown.toSorted()).toEqual([...expected].sort());
});

test('the table of roles in docs/frontend.md says what each role may do with each kind of record', () => {
  const tables = {
    claims: 'reclamations',
    'notes, own ones': 'notes',
    invoices: 'factures',
    bills: 'partner_invoices',
  };
  const names: Readonly<Record<string, string>> = { ...tables, 'audit log': 'audit_logs' };
  const letters: Readonly<Record<string, string>> = {
    ...{ all: 'crud', none: '', oneself: 's' },
    ...{ create: 'c', read: 'r', change: 'u' },
  };
  const shown = tableOf('records').map(([name = '', ...cells]) => [
    names[name] ?? name,
    cells.map(
      (cell) =>
        letters[cell] ??
        cell
          .split(', ')
          .map((word) => letters[word] ?? '?')
          .join(''),
    ),
  ]);
  const expected = Object.entries(RIGHTS)
    .filter(([table]) => table !== 'identity_changes')
    .map(([table, byRole]) => [table, Object.values(byRole).map((right) => right.replaceAll(/[^cruds]/g, ''))]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
});

test('the table of moves in docs/frontend.md has each move of a claim with its roles', async () => {
  const decisions = ['ACCEPTED', 'PARTIALLY_ACCEPTED', 'REJECTED'];
  const rows = tableOf('from').map(([from = '', ...cells]) => [
    from.replaceAll('`', ''),
    cells.map((cell) =>
      cell
        .split(', ')
        .filter(Boolean)
        .flatMap((status) => (status === 'a decision' ? decisions : [status])),
    ),
  ]);
  const stored = await service.admin(`select from_status, to_status, bool_or(role = 'TAX_SPECIALIST') as team
    from public.reclamation_transitions group by 1, 2`);
  const expected = new Map<unknown, [unknown[], unknown[]]>();
  for (const { from_status: from, to_status: to, team } of stored) {
    const both = expected.get(from) ?? [[], []];
    both[team === true ? 0 : 1].push(to);
    expected.set(from, both);
  }
  const sorted = (entries: Iterable<unknown>) =>
    [...(entries as Iterable<[string, unknown[][]]>)].map(([from, cells]) => [
      from,
      cells.map((cell) => cell.toSorted()),
    ]);
  expect(Object.fromEntries(sorted(rows))).toEqual(Object.fromEntries(sorted(expected)));
});

test('as docs/frontend.md says, null empties a field, an empty text is a value, and a PUT keeps the fields that it does not send', async () => {
  const asked = { token: await token() };
  const address = `/api/clients/${CLIENT}`;
  const isFound = async () => {
    const { json } = await service.ask(`GET /api/clients?address=none&id=${CLIENT}`, asked);
    return (json as unknown[]).length === 1;
  };
  const before = (await service.ask(`GET ${address}`, asked)).json as object;
  for (const [value, found] of [
    ['', false],
    [null, true],
    ['Lyon', false],
  ] as const) {
    const { json } = await service.ask(`PUT ${address}`, { ...asked, body: { address: value } });
    expect(json).toEqual({ ...before, address: value, updated_at: expect.any(String) });
    expect([value, await isFound()]).toEqual([value, found]);
  }
  const claim = `PUT /api/reclamations/e1000000-0000-4000-8000-000000000002`;
  for (const field of ['decision_date', 'collection_date', 'granted_amount', 'assignee_id'])
    expect([field, (await service.ask(claim, { ...asked, body: { [field]: '' } })).status]).toEqual([field, 400]);
  for (const company_name of ['', ' ', null])
    expect((await service.ask(`PUT ${address}`, { ...asked, body: { company_name } })).status).toBe(400);
});

/** Runs a Bash block of docs/frontend.md with the token of README.md, and returns the output. */
async function printed(beginning: string, replaced: Readonly<Record<string, string>> = {}) {
  const text = await shell(blockOf(PAGE, beginning, { ...here, ...replaced }), { TOKEN: await token() });
  return text.trim().split('\n');
}

function token(): Promise<string> {
  const code = blockOf('README.md', 'TOKEN=');
  const [, role = '', clients = ''] = /--role (\w+) --client-access (\S+)\)/.exec(code) ?? [];
  return service.token(role as Role, clients.split(','));
}

test('every API request that docs/frontend.md shows for a page of claims finds records', async () => {
  const answers = await printed('curl -gH');
  expect(answers).toHaveLength(8);
  for (const [index, answer] of answers.entries()) {
    if (index % 2 === 1) expect(answer).toBe('200');
    else expect(JSON.parse(answer)).not.toHaveLength(0);
  }
});

test('the requests of docs/frontend.md list deadlines and moves, take a move back, create a credit note, and explain a postal code', async () => {
  const lines = await printed('CLAIM=');
  const answers = lines.flatMap((line, index) => (index % 2 === 0 ? [JSON.parse(line) as unknown] : []));
  expect(lines.filter((_, index) => index % 2 === 1)).toEqual(['200', '200', '200', '200', '201', '400']);
  const [deadlines, moves, claim, history, note, refused] = answers;
  expect(deadlines).toContainEqual(
    expect.objectContaining({ kind: 'response', missing: ['received_on'], due_on: expect.any(String) }),
  );
  expect(moves).toContainEqual({ status: 'ACKNOWLEDGED', requires: ['status_reason'], is_correction: true });
  expect(claim).toMatchObject({ status: 'ACKNOWLEDGED' });
  expect(history).toContainEqual(
    expect.objectContaining({ to_status: 'ACKNOWLEDGED', reason: expect.any(String), is_correction: true }),
  );
  expect(note).toMatchObject({ kind: 'CREDIT_NOTE', status: 'DRAFT', amount_incl_tax: 600 });
  expect(refused).toMatchObject({
    error: {
      problems: [{ code: 'not_a_commune_code', params: { values: expect.arrayContaining(['69290 (Saint-Priest)']) } }],
    },
  });
});

test('the service answers an unknown field with the French error that docs/frontend.md shows', async () => {
  const [body = '', status] = await printed('curl -H "Authorization: Bearer $TOKEN" -H \'Accept-Language: fr\'');
  const problem: unknown = JSON.parse(blockOf(PAGE, '{ "field"'));
  expect([status, JSON.parse(body)]).toEqual(['400', { error: expect.objectContaining({ problems: [problem] }) }]);
});

test('the request of docs/frontend.md with an Idempotency-Key creates a claim', async () => {
  const [body = '', status] = await printed('KEY=');
  expect([status, JSON.parse(body)]).toEqual(['201', expect.objectContaining({ status: 'DRAFT' })]);
});

test('the requests of docs/frontend.md export claims as CSV, and check an import of sites without storing the sites', async () => {
  const beginning = 'curl -H "Authorization: Bearer $TOKEN" -H \'Accept: text/csv\'';
  const [saved, tried = '', status] = await printed(beginning, { '/tmp/': `${folder}/` });
  expect([saved, status]).toEqual(['200', '200']);
  expect(JSON.parse(tried)).toEqual({ importable: 1 });
  expect((await readFile(join(folder, 'claims.csv'), 'utf8')).split('\n').length).toBeGreaterThan(2);
});

test('a caller of GET /api/changes gets another user’s change as the event that docs/frontend.md shows', async () => {
  const env = { ...process.env, TOKEN: await token() };
  const child = spawn('bash', ['-c', `exec ${blockOf(PAGE, 'curl -N', here)}`], { env });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  await until(() => Promise.resolve(text !== ''));
  await service.sql`update public.reclamations set grounds = 'surface' where id = 'e1000000-0000-4000-8000-000000000001'`;
  await until(() => Promise.resolve(/^data: \{"resource.*\n(?:.+\n)*\n/m.test(text)));
  child.kill();
  const [, told = ''] = /^data: (\{"resource.*)$/m.exec(text) ?? [];
  const [, shown = ''] = /^data: (\{"resource.*)$/m.exec(blockOf(PAGE, 'event: place')) ?? [];
  expect(JSON.parse(told)).toEqual({ ...(JSON.parse(shown) as object), at: expect.any(String) });
});

// The days are past ones, because the database refuses a claim that was sent after today.
describe.each(['2025-12-31', '2026-01-01', '2026-02-28', '2026-03-01', '2026-08-31'])(
  'the demonstration data loaded on %s',
  (today) => {
    let filled: TestDatabase;
    beforeAll(async () => {
      filled = await createTestDatabase();
      const sql = await readFile(sqlFolder('demonstration/data.sql'), 'utf8');
      await withAdmin(filled.adminUrl, (admin) => admin.query(sql.replaceAll('app.paris_today()', `date '${today}'`)));
    });
    afterAll(() => filled.close());

    const read = (text: string): Promise<Record<string, unknown>[]> =>
      withAdmin(filled.adminUrl, async (admin) => {
        await admin.query("set timezone = 'UTC'");
        return (await admin.query<Record<string, unknown>>(text, [today])).rows;
      });

    test('the demonstration’s first client has an answer and an invoice due within 30 days, and a draft claim whose deadline is not past', async () => {
      expect(
        await read(`
          select 'answer' as due from public.reclamations
          where status = 'SUBMITTED' and client_id = 'c1000000-0000-4000-8000-000000000001'
              and response_due_at::date between $1::date and $1::date + 30
          union all
          select 'invoice' from public.factures
          where status = 'ISSUED' and client_id = 'c1000000-0000-4000-8000-000000000001' and due_date between $1::date and $1::date + 30
          union all
          select 'draft' from public.reclamations where status = 'DRAFT' and claim_deadline between $1::date and $1::date + 366
          order by due`),
      ).toEqual([{ due: 'answer' }, { due: 'draft' }, { due: 'invoice' }]);
    });

    test('no claim of the demonstration was created or submitted too late, before its tax notice, or in the future', async () => {
      expect(
        await read(`
          select id from public.reclamations
          where collection_date > created_at or created_at > submitted_at or submitted_at > claim_deadline + 1
              or greatest(created_at, submitted_at) > $1::date`),
      ).toEqual([]);
      expect(
        await read('select count(*)::integer as claims from public.reclamations where $1::date is not null'),
      ).toEqual([{ claims: 9 }]);
    });
  },
);
