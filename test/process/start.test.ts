import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { VERSION as version } from '../../src/version.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { ask, parseRaw } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { portOf, addressOf, beginLogin, refusalOf, signalUntilEnded, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* How a start ends: refused, and by signals. */

const NOWHERE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

const folder = await folderForSuite();
await writeFile(join(folder, 'file'), '');
const taken = await forSuite(createServer().listen(0, '127.0.0.1'));
await once(taken, 'listening');

describe('a start is refused in one line that names the variable or the folder, and leaves nothing running,', () => {
  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'where values are wrong: all of them in that line',
      () => ({ NODE_ENV: 'production', PORT: 'http' }),
      /^PORT must be an integer .*; DATABASE_URL must be set: .*; AUTH_ISSUER must be set: .*\n$/,
    ],
    [
      'where the folder of the documents is none',
      () => ({ ...NOWHERE, DOCUMENT_STORE: join(folder, 'file') }),
      /^DOCUMENT_STORE cannot be written to: .*\n$/,
    ],
    [
      'where the folder of the documents can never be made',
      () => ({ ...NOWHERE, DOCUMENT_STORE: '/proc/documents' }),
      /^DOCUMENT_STORE cannot be written to: .*\n$/,
    ],
    [
      'where the folder of the embedded parts is none',
      () => ({ DATA_DIR: join(folder, 'file') }),
      /^DATA_DIR \S+\/file cannot be used: ENOTDIR: .*\n$/,
    ],
    [
      'where the folder of the embedded parts would lie below a file',
      () => ({ ...NOWHERE, DATA_DIR: join(folder, 'file', 'data') }),
      /^DATA_DIR \S+\/file\/data cannot be used: ENOTDIR: .*\n$/,
    ],
    [
      'where the folder of the embedded parts can never be made',
      () => ({ DATA_DIR: '/proc/data' }),
      /^DATA_DIR \/proc\/data cannot be used: E\w+: .*\n$/,
    ],
    [
      'where the folder for refusals and for the embedded parts is none, whatever the database is',
      () => ({ ...NOWHERE, DATA_DIR: join(folder, 'file') }),
      /^DATA_DIR \S+\/file cannot be used: ENOTDIR: .*\n$/,
    ],
    [
      'where somebody listens already, after its own parts were started',
      () => ({ ...NOWHERE, PORT: String((taken.address() as AddressInfo).port) }),
      /^PORT \d+ of HOST 127\.0\.0\.1 cannot be listened on: EADDRINUSE\n$/,
    ],
  ])('%s', async (_where, environment, line) => {
    const started = start(folder, { LOG_LEVEL: 'silent', ...environment() });
    expect([await refusalOf(started), started.out]).toEqual([1, '']);
    expect(started.err).toMatch(line);
    expect(started.err).not.toContain('hunter2');
  });
});

/** Resolves once the service takes no connection any more. */
async function closed(port: number): Promise<void> {
  await until(async () => {
    const socket = connect(port, '127.0.0.1');
    const opened = new Promise<boolean>((resolve) =>
      socket
        .once('connect', () => {
          resolve(true);
        })
        .once('error', () => {
          resolve(false);
        }),
    );
    const isOpen = await opened;
    socket.destroy();
    return !isOpen;
  });
}

describe('a service that is told to end', () => {
  test('finishes what it has taken, the record of a refusal included, takes no more, and ends well', async () => {
    const database = await createTestDatabase();
    const identity = await startTestIdentity();
    const { issuer, audience } = identity;
    const started = start(folder, {
      ...{ PORT: '0', DATABASE_URL: database.apiUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience },
      DATA_DIR: join(folder, 'ending'),
    });
    const url = await addressOf(started);
    // Where it is no terminal, each line is JSON. Logins and a way into the database are the embedded parts' to tell.
    expect(started.out.replaceAll(/^\{.*\n/gm, '')).toBe('');
    const { level, time, pid, hostname, ...said } = JSON.parse(started.out.split('\n')[0] ?? '') as Record<
      string,
      unknown
    >;
    expect([level, time, pid, hostname]).toEqual([30, expect.any(Number), started.pid, expect.any(String)]);
    expect(said).toEqual({ msg: 'the service serves', version, docs: `${url}/docs`, api: url });
    const port = Number(new URL(url).port);
    const login = await beginLogin(port);
    // As npm passes on what a terminal has sent to both.
    started.signal('SIGTERM');
    started.signal('SIGINT');
    await closed(port);
    let text = '';
    login.on('data', (more: string) => (text += more));
    login.write('{"token":"x"}');
    await once(login, 'close');
    const { answer } = parseRaw(text);
    expect(answer).toMatchObject({ status: 401, headers: { connection: 'close' } });
    expect([await started.ended, started.err]).toEqual([0, '']);
    const { rows } = await withAdmin(database.adminUrl, (admin) =>
      admin.query('select success from public.audit_logs where request_id = $1', [answer.headers['x-request-id']]),
    );
    expect(rows).toEqual([{ success: false }]);
    await identity.stop();
    await database.close();
  });

  test('ends at once when it is told so again later, and was up without its database, unhealthy', async () => {
    const started: Started = start(folder, {
      ...{ ...NOWHERE, PORT: '0', AUTH_ISSUER: 'https://idp.example', AUTH_AUDIENCE: 'api' },
      ...{ DATA_DIR: join(folder, 'again'), LOG_LEVEL: 'silent' },
    });
    const port = await portOf(started);
    expect((await ask(port, 'GET /health')).status).toBe(503);
    const login = await beginLogin(port);
    const broken = once(login, 'close');
    started.signal('SIGTERM');
    await closed(port);
    expect(await signalUntilEnded(started, 'SIGTERM')).toBe('SIGTERM');
    await broken;
  });
});
