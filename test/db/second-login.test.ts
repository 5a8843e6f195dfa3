import { expect, test } from '@jest/globals';
import { asDatabase, createTestDatabase, withAdmin } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { makeLogin } from '../support/world.ts';

const database = await forSuite(createTestDatabase());

async function startInstance(name: string) {
  const login = await makeLogin(database.adminUrl, `${database.name}_${name}`, 'in role taxclaims_api');
  const instance = await startService({
    postgres: database,
    databaseUrl: (url) => asDatabase(url, database.name, login),
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
});
