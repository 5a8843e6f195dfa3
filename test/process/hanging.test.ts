import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { postmasterPid } from '../support/embedded.ts';
import { freeze } from '../support/freeze.ts';
import { startTestIdentity } from '../support/identity.ts';
import { layLine } from '../support/line.ts';
import type { Line } from '../support/line.ts';
import { greetingOf, portOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { startSilentServer } from '../support/silent-server.ts';
import type { SilentServer } from '../support/silent-server.ts';
import { folderForSuite } from '../support/suite.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { FORM, frame, until } from '../support/upload.ts';
import { accepting } from '../support/world.ts';

/*
 * In these tests a service gets SIGTERM while its database, store, provider or disk hangs. The tests run concurrently,
 * because they mostly wait.
 */

const folder = await folderForSuite();

/**
 * What one test uses: a database, a proxy in front of the database, a server that never answers, a token, and a
 * function that starts the service.
 */
interface Trial {
  readonly database: TestDatabase;
  readonly line: Line;
  readonly silent: SilentServer;
  readonly token: string;
  readonly begin: (environment?: Readonly<Record<string, string>>) => Promise<{ started: Started; port: number }>;
}

function trial(work: (trial: Trial) => Promise<void>): () => Promise<void> {
  return async () => {
    const [database, identity, line, silent] = await Promise.all([
      createTestDatabase(),
      startTestIdentity(),
      layLine(),
      startSilentServer(),
    ]);
    try {
      await work({
        ...{ database, line, silent },
        token: await identity.token({ sub: 'idp|admin', role: 'ADMIN', client_access: [] }),
        begin: async (environment = {}) => {
          const started = start(folder, {
            ...{ PORT: '0', DATABASE_URL: line.via(database.apiUrl), DATA_DIR: join(folder, randomUUID()) },
            ...accepting(identity),
            ...{ AWS_REGION: 'eu-west-3', AWS_ACCESS_KEY_ID: 'S3', AWS_SECRET_ACCESS_KEY: 'S3' },
            ...environment,
          });
          return { started, port: await portOf(started) };
        },
      });
    } finally {
      line.close();
      silent.close();
      await identity.stop();
      await database.close();
    }
  };
}

/** Sends a request without waiting for its answer. */
function ask(port: number, method: string, path: string, token: string, headers = {}): ReturnType<typeof send> {
  const asked = send({
    ...{ port, host: '127.0.0.1', method, path, agent: false },
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return asked.on('error', () => undefined).on('response', (response) => response.resume());
}

async function statusOf(asked: ReturnType<typeof send>): Promise<number | undefined> {
  const [response] = (await once(asked.end(), 'response')) as [IncomingMessage];
  return response.statusCode;
}

/** Inserts the row of a document whose content should have this path, but stores no content. */
async function documentAt(database: TestDatabase, path: string): Promise<{ id: string; claim: string }> {
  const tenant = newTenant();
  const id = randomUUID();
  await withAdmin(database.adminUrl, async (one) => {
    await one.query(tenantSql(tenant, 'Hanging'));
    await one.query(
      `insert into public.documents (id, reclamation_id, filename, file_path) values ($1, $2, 'x.pdf', $3)`,
      [id, tenant.reclamations, path],
    );
  });
  return { id, claim: tenant.reclamations };
}

async function expectEnd(started: Started): Promise<void> {
  started.signal('SIGTERM');
  // The exit code 0 shows that every part of the service has ended by itself. Otherwise the process would end by the
  // signal.
  expect(await started.ended).toBe(0);
  expect(started.err).toBe('');
}

test.concurrent(
  'a service ends after SIGTERM while its database does not answer',
  trial(async ({ begin, line, token }) => {
    const { started, port } = await begin();
    expect(await statusOf(ask(port, 'GET', '/api/clients', token))).toBe(200);
    line.mute();
    for (let number = 0; number < 20; number += 1) ask(port, 'GET', '/api/clients', token).end();
    await until(() => line.open > 1);
    await expectEnd(started);
  }),
);

test.concurrent(
  'a service ends after SIGTERM while its document store does not answer, an upload never ends, and a caller reads no answer',
  trial(async ({ begin, database, silent, token }) => {
    const environment = { DOCUMENT_STORE: 's3://documents', DOCUMENT_STORE_ENDPOINT: silent.url };
    const { started, port } = await begin(environment);
    const { id, claim } = await documentAt(database, 'aa/x');
    ask(port, 'GET', `/api/documents/${id}/content`, token).end();
    const path = `/api/reclamations/${claim}/documents`;
    ask(port, 'POST', path, token, { 'content-type': FORM }).write(frame().head);
    const greedy = await deafCaller(port, token);
    await until(() => silent.taken > 0);
    await expectEnd(started);
    greedy.destroy();
  }),
);

test.concurrent(
  'a service ends after SIGTERM while its identity provider does not answer',
  trial(async ({ begin, silent, token }) => {
    const { started, port } = await begin({ AUTH_JWKS_URL: silent.url });
    ask(port, 'GET', '/api/clients', token).end();
    await until(() => silent.taken > 0);
    await expectEnd(started);
  }),
);

test.concurrent(
  'a service whose disk hangs prints a line after SIGTERM, and ends by the signal',
  trial(async ({ begin, database, token }) => {
    const documents = join(folder, 'documents');
    const { started, port } = await begin({ DOCUMENT_STORE: documents });
    const { id } = await documentAt(database, 'pipe');
    // A named pipe without a writer blocks when the service opens it, as a file on an unreachable network disk would
    // do.
    await promisify(execFile)('mkfifo', [join(documents, 'pipe')]);
    expect(await statusOf(ask(port, 'GET', `/api/documents/${id}/content`, token))).toBe(503);
    started.signal('SIGTERM');
    expect(await started.ended).toBe('SIGTERM');
    expect(started.err).toBe('a part of the service hangs: the process ends without waiting for it\n');
  }),
);

test.concurrent('a service ends its frozen embedded Postgres after SIGTERM', async () => {
  const dataDir = join(folder, 'frozen');
  const started = start(folder, { PORT: '0', DATA_DIR: dataDir });
  const { postgres } = await greetingOf(started);
  const port = String(postgres?.port);
  const password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8');
  const pid = await postmasterPid(`postgres://postgres:${password}@127.0.0.1:${port}/taxclaims`);
  const thaw = await freeze(pid);
  started.signal('SIGTERM');
  expect([await started.ended, started.err]).toEqual([0, '']);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  thaw();
});

/** Opens a connection that sends 200 requests for a large answer and reads no answer. */
async function deafCaller(port: number, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const question = `GET /api-json HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  socket.write(question.repeat(200));
  return socket;
}
