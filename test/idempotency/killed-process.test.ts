import { expect, test } from '@jest/globals';
import { waiting } from '../support/held-row.ts';
import { withAdmin } from '../support/database.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { portOf, start } from '../support/process.ts';
import { expectError, startService } from '../support/service.ts';
import { until } from '../support/upload.ts';
import { countOf, newKey, partsOf, withKey } from './keyed.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { accepting } from '../support/world.ts';

/* Two instances on one database, of which one is killed while it creates. */

const service = await forSuite(startService());
const folder = await folderForSuite();

test('what an instance had begun when it was killed is taken back, and another creates it with the same key', async () => {
  const own = await service.tenant('Own');
  const token = await service.token('ADMIN');
  const keyed = withKey(newKey(), { token, body: { client_id: own.clients, site_name: 'Entrepôt' } });
  const instance = start(folder, {
    ...{ DATABASE_URL: service.postgres.apiUrl, PORT: '0', LOG_LEVEL: 'silent' },
    ...accepting(service.identity),
  });
  const port = await portOf(instance);
  const send = () => service.ask('POST /api/sites', keyed);

  await withAdmin(service.postgres.adminUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('select from public.clients where id = $1 for update', [own.clients]);
    const begun = ask(port, 'POST /api/sites', keyed).catch((error: unknown) => error);
    while ((await waiting(service)) < 1);
    expectError(await send(), 'ERROR_CONFLICT');
    instance.signal('SIGKILL');
    expect(await instance.ended).toBe('SIGKILL');
    expect(await begun).toMatchObject({ code: 'ECONNRESET' });
    await holder.query('rollback');
  });

  let answer: Answer | undefined;
  await until(async () => {
    answer = await send();
    return answer.status !== 409;
  });
  expect(answer?.status).toBe(201);
  expect(await countOf(service, 'public.sites')).toBe(2);
  expect(partsOf(await send())).toEqual(partsOf(answer as Answer));
});
