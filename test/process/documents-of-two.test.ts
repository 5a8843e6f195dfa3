import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import S3rver from 's3rver';
import { createServiceProcess } from '../faults/service-process.ts';
import { BUCKETS, bucketIn, filesBelow, storeInS3 } from '../faults/stored-contents.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { pdf } from '../support/samples.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { FORM, form, until } from '../support/upload.ts';
import { accepting } from '../support/world.ts';

/* In these tests two instances of the service share a database and an S3 store, and each has its own data folder. */

const tenant = newTenant();

const folder = await folderForSuite();
const database = await forSuite(createTestDatabase());
const identity = await forSuite(startTestIdentity());
await withAdmin(database.adminUrl, (admin) => admin.query(tenantSql(tenant, 'Own')));
const options = { address: '127.0.0.1', port: 0, silent: true, configureBuckets: BUCKETS };
const s3 = await forSuite(new S3rver({ ...options, directory: folder }));
const { port } = await s3.run();
const shared = {
  ...{ DATABASE_URL: database.apiUrl, DATABASE_POOL_SIZE: '2', ...storeInS3(port, '/claims') },
  ...accepting(identity),
};
const services = await Promise.all(
  ['one', 'two'].map((name) => createServiceProcess(folder, { ...shared, DATA_DIR: join(folder, `data-${name}`) })),
);
for (const service of services) {
  await service.start();
  await forSuite({
    end: () => {
      service.signal('SIGTERM');
      return service.ended();
    },
  });
}
const token = await identity.token({
  ...{ sub: 'idp|manager', role: 'ACCOUNT_MANAGER', client_access: [tenant.clients] },
});

const at = (index: number, line: string): Promise<Answer> => ask(services[index]?.port ?? 0, line, { token });

async function uploadAt(index: number): Promise<string> {
  const body = form({});
  const headers = { 'content-type': FORM, 'content-length': body.length };
  const line = `POST /api/reclamations/${tenant.reclamations}/documents`;
  const { status, json } = await ask(services[index]?.port ?? 0, line, { token, headers, body });
  expect(status).toBe(201);
  return (json as { id: string }).id;
}

const stored = async (): Promise<number> => (await filesBelow(bucketIn(folder))).length;

test('an instance of the service serves and removes documents that another instance stored, and keeps no copy in its data folder', async () => {
  const ids = [await uploadAt(0), await uploadAt(1)];
  for (const index of [0, 1])
    for (const id of ids) {
      const { status, headers } = await at(index, `GET /api/documents/${id}/content`);
      expect([status, headers['content-length']]).toEqual([200, String(pdf.length)]);
    }
  expect(await stored()).toBe(2);
  expect(await filesBelow(join(folder, 'data-one', 'uploads'))).toEqual([]);
  expect((await at(1, `DELETE /api/documents/${ids[0] ?? ''}`)).status).toBe(204);
  await until(async () => (await stored()) === 1);
  expect((await at(0, `GET /api/documents/${ids[0] ?? ''}/content`)).status).toBe(404);
  expect((await at(0, `GET /api/documents/${ids[1] ?? ''}/content`)).status).toBe(200);
});

test('if two instances of the service remove documents’ contents at the same time, each content is removed once, without a warning', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => uploadAt(index % 2)));
  const before = (await stored()) - ids.length;
  const answers = await Promise.all(ids.map((id, index) => at((index + 1) % 2, `DELETE /api/documents/${id}`)));
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 204));
  await until(async () => {
    const planned = await withAdmin(
      database.adminUrl,
      async (admin) => (await admin.query('select from app.content_removals')).rowCount,
    );
    return planned === 0;
  });
  expect(await stored()).toBe(before);
  expect(services.map(({ output }) => /could not be removed/.test(output))).toEqual([false, false]);
});
