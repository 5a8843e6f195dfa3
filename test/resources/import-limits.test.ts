import { request as send } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { withAdmin } from '../support/database.ts';
import type { Question } from '../support/http.ts';
import { details, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* This suite tests the size limits of an import, and an import whose sender disconnects. */

const TOO_MANY = 'must have at most 10000 records, empty lines included';

let log = '';

const service = await forSuite(startService({ log: pino({}, { write: (line) => (log += line) }) }));
const own = await service.furnishedTenant('Boulangerie Martin');
const token = await service.token('TAX_SPECIALIST', [own.clients]);

describe('the limits of an import', () => {
  const wrong = { site_name: 1 };
  const dry = async (body: string | Buffer | object, more?: Question) => {
    const type = typeof body === 'object' && !Buffer.isBuffer(body) ? 'application/json' : 'text/csv';
    const headers = { 'content-type': type, ...more?.headers };
    return details(await service.ask('POST /api/sites/import?dry_run=true', { token, headers, body }));
  };

  test.each(['', '\r\n'])('a CSV import takes 10,000 records and no more, with %j at its end', async (end) => {
    const table = (count: number) => `client_id,site_name${'\r\nx,y'.repeat(count)}${end}`;
    expect(await dry(table(10_000))).toMatchObject({ '…': 'and 9900 more' });
    expect(await dry(table(10_001))).toEqual({ body: TOO_MANY });
  });

  test('an import of a JSON array accepts 10,000 items and refuses 10,001', async () => {
    expect(await dry(Array(10_000).fill(wrong))).toMatchObject({ '…': 'and 19900 more' });
    expect(await dry(Array(10_001).fill(wrong))).toEqual({ body: TOO_MANY });
  });

  test.each(['', ' ', ',', '""'])(
    'lines of a CSV import with nothing but %j count towards the limit of 10,000 lines',
    async (blank) => {
      const blanks = `${blank}\r\n`.repeat(9_999);
      const header = 'client_id,site_name\r\n';
      const line = 'x,y\r\n';
      for (const table of [blanks + header + line, header + blanks + line, header + line + blanks]) {
        expect(await dry(table)).toEqual({
          [`line ${table.startsWith(blanks) ? 10_001 : table.indexOf(line) > 100 ? 10_001 : 2}, client_id`]:
            'must be a UUID',
        });
        expect(await dry(`${table}${blank}\r\n`)).toEqual({ body: TOO_MANY });
      }
    },
  );

  test('a CSV import accepts a line of 1,000 cells and refuses a line with more cells', async () => {
    const rule = expect.stringContaining('has more than 100000 characters or 1000 cells') as unknown;
    const header = 'client_id,site_name\r\n';
    expect(await dry(`${header}x,y${','.repeat(998)}`)).toEqual({ 'line 2, client_id': 'must be a UUID' });
    expect(await dry(`${header}x,y${','.repeat(999)}`)).toEqual({ 'line 2': rule });
    expect(await dry(`${header}x,y${','.repeat(1_000_000)}`)).toEqual({ 'line 2': rule });
  });

  test('a CSV import reports a byte of a wrong encoding with its line number, however many lines precede that line', async () => {
    const header = 'client_id,site_name\r\n';
    for (const [unit, length] of [
      ['é,y\r\n', 100_000],
      ['\n', 300_000],
      [`${'é'.repeat(70_000)}\n`, 9],
    ] as const)
      for (const [charset, byte, rule] of [
        ['utf-8', '\xff', 'must be UTF-8'],
        ['windows-1252', '\x81', 'has a byte that is no letter in Windows-1252'],
      ] as const) {
        const before = header + unit.repeat(length);
        const headers = { 'content-type': `text/csv; charset=${charset}` };
        const of = (text: string) => (charset === 'utf-8' ? Buffer.from(text) : Buffer.from(text, 'latin1'));
        const body = Buffer.concat([of(`${before}a`), Buffer.from(byte, 'latin1'), of(`b\n${unit.repeat(9)}`)]);
        expect(await dry(body, { headers })).toEqual({
          [`line ${length + 2}`]: expect.stringContaining(rule) as unknown,
        });
      }
  });

  const array = { headers: { 'content-type': 'application/json' } };

  test.each([
    ['[]', { body: 'must have at least one record' }],
    [' [\n] ', { body: 'must have at least one record' }],
    ['', { body: 'is required' }],
    ['{}', { body: 'must be an array' }],
    ['"[]"', { body: 'must be an array' }],
    ['\uFEFF [7]', { '0': 'must be an object' }],
    ['[7 ,\t"],[\\"", [8], {"a":{"b":"}"}}]\r\n', { '3.a': 'is not known here' }],
    ...['[', '[7', '[7,', '[7,]', '[,7]', '[7 8]', '[7]]', '[7],', '[7]7', '[7}', '[{]}', '[{"a":[}]]', '["]'].map(
      (text): [string, object] => [text, { body: 'must be JSON in UTF-8' }],
    ),
    [`[${' '.repeat(300_000)}7]`, { body: 'must not have a record of 262144 bytes' }],
    [`[{"site_name":"${'x'.repeat(300_000)}"}]`, { body: 'must not have a record of 262144 bytes' }],
    [`[7]${' '.repeat(300_000)}`, { body: 'must be JSON in UTF-8' }],
    [`[7,${'['.repeat(21)}${']'.repeat(21)}]`, { body: 'must not be nested more than 20 deep' }],
    ['[{},{"site \\u00e9\\"":"x","amount" : 1234567890123456}]', { '1.amount': 'must have at most 15 digits' }],
  ])('an import of the body %.40j gets 400 with the reason', async (text, told) => {
    expect(await dry(text, array)).toMatchObject(told);
  });

  test('an import of a JSON array that is not encoded in UTF-8 gets 400', async () => {
    const body = Buffer.from('[{"site_name":"caf\xe9"}]', 'latin1');
    expect(await dry(body, array)).toEqual({ body: 'must be JSON in UTF-8' });
  });
});

describe('an import whose sender disconnects', () => {
  const count = async (what: string): Promise<number> =>
    Number((await service.admin(`select count(*)::int as count from ${what}`))[0]?.['count']);
  const sessions = `pg_stat_activity where datname = current_database() and application_name like 'taxclaims-api%'`;

  test('an import is rolled back if its sender disconnects, and succeeds if the sender waits', async () => {
    const [annex] = await service.sql`insert into public.sites (client_id, site_name)
      values (${own.clients}, 'Annexe') returning id`;
    const line = `${own.clients},${String(annex?.['id'])},TF,5\r\n`;
    const body = `client_id,site_id,claim_type,amount\r\n${line.repeat(3_000)}`;
    const before = await count('public.reclamations');
    const begin = () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
      const path = '/api/reclamations/import';
      const request = send({ port: service.port, method: 'POST', path, headers, agent: false });
      request.on('error', () => undefined).end(body);
      return request;
    };
    await withAdmin(service.postgres.adminUrl, async (holder) => {
      for (const hangsUp of [true, false]) {
        log = '';
        await holder.query('begin');
        await holder.query('select from public.sites where id = $1 for update', [annex?.['id']]);
        const request = begin();
        // The import’s first SQL statement waits for the lock on the site, which the test holds.
        await until(async () => (await count(`${sessions} and wait_event_type = 'Lock'`)) === 1);
        if (hangsUp) {
          request.destroy();
          await until(() => log.includes('"aborted":true'));
        } else request.once('response', (response) => response.resume());
        await holder.query('commit');
        if (!hangsUp) await until(() => log.includes('"status":201'));
        await until(async () => (await count(`${sessions} and state <> 'idle'`)) === 0);
        expect(await count('public.reclamations')).toBe(before + (hangsUp ? 0 : 3_000));
      }
    });
  }, 60_000);
});
