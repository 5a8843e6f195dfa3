import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { asDatabase, createTestDatabase, withAdmin } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { makeLogin } from '../support/world.ts';

/* Tests how an operator changes the password of the API, as db/README.md describes. */

const database = await forSuite(createTestDatabase());
const lines: string[] = [];

async function startInstance(name: string) {
  const login = await makeLogin(database.adminUrl, `${database.name}_${name}`, 'in role taxclaims_api');
  const instance = await startService({
    postgres: database,
    databaseUrl: (url) => asDatabase(url, database.name, login),
    log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
  });
  const read = async (): Promise<number> =>
    (await instance.ask('GET /api/clients', { token: await instance.token('ADMIN') })).status;
  return { ...login, read, close: () => instance.close() };
}

const [old, next] = [await startInstance('old'), await startInstance('next')];
await forSuite({
  close: async () => {
    await next.close();
    await withAdmin(database.adminUrl, (admin) => admin.query(`drop role ${next.name}`));
  },
});

test('the API answers with a second login beside the first, and after the first login was dropped as db/README.md says', async () => {
  expect([await old.read(), await next.read()]).toEqual([200, 200]);
  await old.close();
  await withAdmin(database.adminUrl, async (admin) => {
    const { rows } = await admin.query('select pid from pg_stat_activity where usename = $1', [old.name]);
    expect(rows).toEqual([]);
    await admin.query(`drop role ${old.name}`);
  });
  expect(await next.read()).toBe(200);
  expect(lines.join('')).not.toContain('password authentication failed');
});

test('an instance whose password is wrong answers 503, and its log says why', async () => {
  await withAdmin(database.adminUrl, async (admin) => {
    await admin.query(`alter role ${next.name} password 'another'`);
    await admin.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1', [next.name]);
  });
  expect(await next.read()).toBe(503);
  expect(lines.join('')).toContain('password authentication failed');
});
