import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { createApiLogin } from '../../src/demo/postgres/prepare.ts';
import { dataDirectory } from '../../src/demo/postgres/cluster.ts';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { ask, createFolder, silent } from '../support/embedded.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* Tests of a service whose DATABASE_URL leads to a standby, which is a read-only Postgres server. */

const lines: string[] = [];

const folder = await forSuite(createFolder());
const options = { dataDir: folder.path, log: silent, settings: { fsync: 'off' } };
const primary = await startEmbeddedServer(options);
await migrate({ adminUrl: primary.adminUrl, log: silent });
const login = new URL(await createApiLogin(primary));
await primary.stop();
await writeFile(join(dataDirectory(join(folder.path, 'postgres')), 'standby.signal'), '');
const server = await forSuite(startEmbeddedServer(options));
login.port = String(server.port);
const service = await forSuite(
  startService({
    databaseUrl: () => login.href,
    log: pino({}, { write: (line: string) => lines.push(line) }),
  }),
);

test('if DATABASE_URL leads to a standby, /health and the log of the service say that the server takes no writes', async () => {
  expect(await ask(server.adminUrl, 'select pg_is_in_recovery()')).toBe('true');
  expectError(await service.ask('GET /health'), 'ERROR_UNAVAILABLE');
  expect(lines.join('')).toContain('"reason":"the server is a standby, which takes no writes"');
});

test('a service whose DATABASE_URL leads to a standby answers 503 to writes, and 200 to reads', async () => {
  const token = await service.token('ADMIN', [], { email: 'ada@b.example' });
  const body = { company_name: 'X', contact_email: 'x@x.example' };
  expectError(await service.ask('POST /api/clients', { token, body }), 'ERROR_UNAVAILABLE');
  expectError(await service.ask('POST /api/auth/login', { body: { token } }), 'ERROR_UNAVAILABLE');
  expect((await service.ask('GET /api/clients', { token })).json).toEqual([]);
});
