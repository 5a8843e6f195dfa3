import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { VERSION as version } from '../../src/version.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { ask, parseRaw } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import {
  portOf,
  addressOf,
  beginLogin,
  demonstrationToken,
  refusalOf,
  signalUntilEnded,
  start,
} from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { folderForSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* These tests start the service with wrong settings, and end running services by signals. */

const ROOT = join(import.meta.dirname, '..', '..');
const NOWHERE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

const folder = await folderForSuite();
await writeFile(join(folder, 'file'), '');

test.each<[string, () => Record<string, string>, RegExp]>([
  [
    'several invalid variables',
    () => ({ NODE_ENV: 'production', PORT: 'http' }),
    /^PORT must be an integer .*; DATABASE_URL must be set: .*; AUTH_ISSUER must be set: .*\n$/,
  ],
  [
    'a file as DOCUMENT_STORE',
    () => ({ ...NOWHERE, DOCUMENT_STORE: join(folder, 'file') }),
    /^DOCUMENT_STORE cannot be written to: .*\n$/,
  ],
  [
    'a file as DATA_DIR',
    () => ({ DATA_DIR: join(folder, 'file') }),
    /^DATA_DIR \S+\/file cannot be used: ENOTDIR: .*\n$/,
  ],
  [
    'a DATA_DIR below a file',
    () => ({ ...NOWHERE, DATA_DIR: join(folder, 'file', 'data') }),
    /^DATA_DIR \S+\/file\/data cannot be used: ENOTDIR: .*\n$/,
  ],
  ['a DATA_DIR below /proc', () => ({ DATA_DIR: '/proc/data' }), /^DATA_DIR \/proc\/data cannot be used: E\w+: .*\n$/],
])(
  'npm start with %s prints one line that names the environment variable, and leaves no process running',
  async (_with, environment, line) => {
    const started = start(folder, { LOG_LEVEL: 'silent', ...environment() });
    expect([await refusalOf(started), started.out]).toEqual([1, '']);
    expect(started.err).toMatch(line);
    expect(started.err).not.toContain('hunter2');
  },
);

test('npm start reaches its own Postgres and identity provider whatever variables of libpq and of a proxy are set', async () => {
  const elsewhere = 'http://127.0.0.1:1';
  const started = start(folder, {
    ...{
      PORT: '0',
      DATA_DIR: join(folder, 'own'),
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: elsewhere,
      HTTPS_PROXY: elsewhere,
    },
    ...{
      PGSSLMODE: 'require',
      PGHOST: 'db.invalid',
      PGPORT: '1',
      PGDATABASE: 'other',
      PGUSER: 'nobody',
      PGOPTIONS: '-c role=x',
    },
  });
  const url = await addressOf(started);
  const token = await demonstrationToken(url, 'CLIENT');
  const answer = await fetch(`${url}/api/clients`, { headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, ((await answer.json()) as unknown[]).length]).toEqual([200, 1]);
  started.signal('SIGTERM');
  expect([await started.ended, started.err]).toEqual([0, '']);
});

test.each([
  ['20.20.2', true],
  ['23.11.1', true],
  ['24.0.0', false],
  ['25.2.0', false],
])(
  'whether npm start and npm test refuse Node %s in one line, before Node reads TypeScript: %s',
  async (node, refuses) => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<'start' | 'test', string>;
    };
    const versions = join(folder, 'versions.cjs');
    await writeFile(
      versions,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } });`,
    );
    // A program `node` that says to have this version, and cannot read TypeScript if it is too old.
    const options = `--require ${versions} ${refuses ? '--no-experimental-strip-types' : ''}`;
    await writeFile(join(folder, 'node'), `#!/bin/sh\nexec ${process.execPath} ${options} "$@"\n`, { mode: 0o755 });
    for (const [script, argument] of [
      [scripts.start, '--version'],
      [scripts.test, '--help'],
    ]) {
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, NODE_COMPILE_CACHE: join(folder, 'cache') };
      const child = spawn('sh', ['-c', `${script ?? ''} ${argument ?? ''}`], { cwd: ROOT, env });
      const [code, err] = await Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)]);
      expect(code[0]).toBe(refuses ? 1 : 0);
      expect(err).toMatch(
        refuses ? /^Node 24 or newer is needed, and this is Node 2\S+: install Node 24, .*\n$/ : /^$/,
      );
    }
  },
);

test('an installation without the folder src/demo starts with DATABASE_URL and AUTH_ISSUER, and otherwise says that both must be set', async () => {
  const root = join(folder, 'installed');
  const filter = (path: string) => path !== join(ROOT, 'src', 'demo');
  await cp(join(ROOT, 'src'), join(root, 'src'), { recursive: true, filter });
  for (const name of ['db', 'public', 'node_modules', 'package.json'])
    await symlink(join(ROOT, name), join(root, name));
  const DATA_DIR = join(folder, 'without-demo');
  for (const environment of [{}, NOWHERE]) {
    const refused = start(folder, { PORT: '0', DATA_DIR, LOG_LEVEL: 'silent', ...environment }, root);
    const line = 'DATABASE_URL and AUTH_ISSUER must be set: no demonstration is installed here\n';
    expect([await refusalOf(refused), refused.err]).toEqual([1, line]);
  }
  const provider = { AUTH_ISSUER: 'http://127.0.0.1:1/', AUTH_AUDIENCE: 'https://api.example' };
  const serving = start(folder, { PORT: '0', DATA_DIR, ...NOWHERE, ...provider }, root);
  await addressOf(serving);
  serving.signal('SIGTERM');
  expect(await serving.ended).toBe(0);
});

/** Waits until the service's port refuses connections. */
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

test('a service that gets SIGTERM answers its open request, records the refusal, refuses new connections, and exits with 0', async () => {
  const database = await createTestDatabase();
  const identity = await startTestIdentity();
  const { issuer, audience } = identity;
  const started = start(folder, {
    ...{ PORT: '0', DATABASE_URL: database.apiUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience },
    DATA_DIR: join(folder, 'ending'),
  });
  const url = await addressOf(started);
  // Without a terminal the service prints JSON lines only, and without embedded parts it prints no logins and no
  // password.
  expect(started.out.replaceAll(/^\{.*\n/gm, '')).toBe('');
  const [, line = ''] = started.out.split('\n');
  const { level, time, pid, hostname, ...said } = JSON.parse(line) as Record<string, unknown>;
  expect([level, time, pid, hostname]).toEqual([30, expect.any(Number), started.pid, expect.any(String)]);
  expect(said).toEqual({ msg: 'the service serves', version, docs: `${url}/docs`, api: url });
  const port = Number(new URL(url).port);
  const login = await beginLogin(port);
  // Sends two signals, as if npm passed on SIGTERM and the terminal also sent SIGINT.
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

test('a service whose database is down answers /health with 503, and ends at once when it gets a second SIGTERM', async () => {
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
