import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import type { Role } from '../../src/identity/caller.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { loadDemonstration } from '../support/demonstration.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* What docs/frontend.md shows of a page does what it says, on the demonstration, as one module. */

const CLIENT = 'c1000000-0000-4000-8000-000000000001';

const service = await forSuite(startService());
await loadDemonstration(service);

const read = (path: string): Promise<string> => readFile(join(import.meta.dirname, '..', '..', path), 'utf8');

/** The code of a chapter, with other words in the place of some that stand in it once. */
async function codeOf(chapter: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  const [text = ''] = (await read('docs/frontend.md')).split(`\n## ${chapter}\n`)[1]?.split(/\n##/) ?? [];
  let code = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block = '']) => block).join('');
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(40);
  for (const [old, other] of Object.entries(replaced)) {
    expect([old, code.split(old).length]).toEqual([old, 2]);
    code = code.replace(old, other);
  }
  return code;
}

test('a frontend logs in, walks the pages, changes a claim, is told of conflict and error, uploads, and has words', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [CLIENT], {
    ...{ sub: 'demonstration|marc', email: 'marc.lefevre@cabinet.example', name: 'Marc Lefèvre' },
  });
  const page = await codeOf('From a page', {
    'http://127.0.0.1:3000': `http://127.0.0.1:${service.port}`,
    '…': token,
    'limit=100': 'limit=1',
  });
  const code = page + (await codeOf('Words on a screen', {}));
  const told = 'console.log(JSON.stringify({ me, claims, late, refused, attached, state, orders }));';
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code + told]);
  const { me, claims, late, refused, attached, state, orders } = JSON.parse(stdout) as Record<
    string,
    unknown
  >;

  expect(me).toMatchObject({ name: 'Marc Lefèvre', role: 'ACCOUNT_MANAGER', client_access: [CLIENT] });
  const stored = await service.sql`select id from public.reclamations
    where client_id = ${CLIENT} order by created_at desc, id desc`;
  expect((claims as { id: string }[]).map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  expect(stored.length).toBeGreaterThan(2);
  expect(late).toMatchObject({ status: 412, code: 'ERROR_PRECONDITION_FAILED' });
  expect(refused).toMatchObject({ client_id: expect.any(String), site_name: expect.any(String) });
  expect(state).toMatch(/^\p{Lu}\p{Ll}/u);
  expect(orders).toContainEqual(['amount', { fr: 'Montant demandé', en: 'Amount claimed' }]);
  const { id } = attached as { id: string };
  expect(
    await service.sql`select r.id, r.grounds, d.filename
     from public.documents as d join public.reclamations as r on r.id = d.reclamation_id
     where d.id = ${id}`,
  ).toEqual([{ id: stored[0]?.['id'], grounds: 'Base d’imposition', filename: 'avis.pdf' }]);
});

test('a frontend finds a document, says what it is, shows it without a token, and takes all of its claim', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [CLIENT]);
  const replaced = { 'http://127.0.0.1:3000': `http://127.0.0.1:${service.port}`, '…': token };
  const [before = ''] = (await codeOf('From a page', replaced)).split('const me =');
  const code = await codeOf('Documents on the screen', { 'frame.src =': 'const shown =' });
  const told = `
    const { status, headers } = await fetch(shown);
    console.log(JSON.stringify({ status, type: headers.get('content-type'), bytes: archive.size, avis }));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '-e', before + code + told],
  ]);
  const { avis, ...shown } = JSON.parse(stdout) as Record<string, unknown>;
  expect(shown).toEqual({ status: 200, type: 'application/pdf', bytes: expect.any(Number) });
  const [{ id, kind } = { id: '', kind: '' }] = avis as { id: string; kind: string }[];
  expect(kind).toBe('AVIS');
  const [row] = await service.sql`select kind, filename from public.documents where id = ${id}`;
  expect(row).toEqual({ kind: 'DECISION', filename: 'décision.pdf' });
});

test('every curl that reads finds something, for the token that the README makes', async () => {
  const readme = (await read('README.md')) + (await read('docs/frontend.md'));
  const [, role = '', clients = ''] = /token -- --role (\w+) --client-access (\S+)\)/.exec(readme) ?? [];
  const token = await service.token(role as Role, clients.split(','));
  const reads = [...readme.matchAll(/^curl (?!.*--data)(.*?)'?http:\/\/127\.0\.0\.1:3000(\/[^'\s]*)'?$/gm)];
  expect(reads.length).toBeGreaterThan(7);
  for (const [, options = '', path = ''] of reads) {
    const isCsv = options.includes('text/csv');
    const headers = isCsv ? { Accept: 'text/csv' } : {};
    const answer = await service.ask(`GET ${path}`, { token, headers });
    expect([path, answer.status]).toEqual([path, 200]);
    const found = isCsv ? answer.text.trim().split('\n').slice(1) : Object.keys(answer.json as object);
    expect([path, found.length > 0]).toEqual([path, true]);
  }
});

test('the curls that send JSON are answered as the page says: a French error, and a claim', async () => {
  const page = (await read('docs/frontend.md')).replaceAll('\\\n', ' ');
  const sent = [...page.matchAll(/^curl (.*?)-d '(\{.*?\})' +http:\/\/127\.0\.0\.1:3000(\/\S+)$/gm)];
  const answers = [];
  for (const [, options = '', body = '', path = ''] of sent) {
    const [, language = 'en'] = /Accept-Language: (\w+)/.exec(options) ?? [];
    const token = await service.token('ACCOUNT_MANAGER', ['c1000000-0000-4000-8000-000000000001']);
    const headers = { 'Accept-Language': language, 'Content-Type': 'application/json' };
    const { status, json } = await service.ask(`POST ${path}`, {
      token,
      headers,
      body: JSON.parse(body) as object,
    });
    answers.push([path, status, json]);
  }
  const [, problem = ''] = /```json\n(.*)\n```/.exec(page) ?? [];
  const error = expect.objectContaining({ problems: [JSON.parse(problem)] });
  expect(answers).toEqual([
    ['/api/sites', 400, { error }],
    ['/api/reclamations', 201, expect.objectContaining({ status: 'DRAFT' })],
  ]);
});

describe.each(['2026-12-31', '2027-01-01', '2028-02-29', '2028-08-31', '2030-03-01'])(
  'whoever tries the demonstration for the first time on %s',
  (today) => {
    let filled: TestDatabase;
    beforeAll(async () => {
      filled = await createTestDatabase();
      const sql = await readFile(sqlFolder('demonstration/data.sql'), 'utf8');
      await withAdmin(filled.adminUrl, (admin) =>
        admin.query(sql.replaceAll('current_date', `date '${today}'`)),
      );
    });
    afterAll(() => filled.close());

    const read = (text: string): Promise<Record<string, unknown>[]> =>
      withAdmin(filled.adminUrl, async (admin) => {
        await admin.query("set timezone = 'UTC'");
        return (await admin.query<Record<string, unknown>>(text, [today])).rows;
      });

    test('finds an answer and an invoice of the first client due within 30 days, and a draft that is in time', async () => {
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

    test('finds no claim that was made or submitted too late, before its notice, or in days to come', async () => {
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
