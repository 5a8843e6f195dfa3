import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Role } from '../../src/identity/caller.ts';
import { withAdmin } from '../support/database.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { blockOf } from '../support/pages.ts';
import { demonstrationToken, greetingOf, start } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { shell } from '../support/shell.ts';

/* These tests run `npm start` in an empty folder: the service starts its embedded Postgres and the demonstration. */

const ROOT = join(import.meta.dirname, '..', '..');
const CONTENTS = join(ROOT, 'db', 'demonstration', 'documents');
const AUDIT = join(ROOT, 'src', 'admin', 'commands', 'db-audit.ts');

/** A user of the demonstration for each role, with the number of clients that the user can see. */
const PEOPLE = {
  ADMIN: ['Claire Fontaine', 6],
  ACCOUNT_MANAGER: ['Marc Lefèvre', 3],
  TAX_SPECIALIST: ['Amélie Durand', 2],
  CLIENT: ['Sophie Martin', 1],
} as const;

const folder = await createScratchFolder();
const data = join(folder, '.data');
const started = start(folder, { PORT: '0' });
const greeting = await greetingOf(started);
const port = Number(new URL(greeting.api).port);

afterAll(async () => {
  started.signal('SIGINT');
  expect([await started.ended, started.err]).toEqual([0, '']);
  expect(await readdir(join(data, 'postgres', 'data'))).not.toContain('postmaster.pid');
  const socket = connect(port, '127.0.0.1');
  await expect(
    new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)),
  ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await rm(folder, { recursive: true });
});

const get = (path: string, token: string): Promise<Answer> => ask(port, `GET ${path}`, { token });

const tokenOf = (role: Role): Promise<string> => demonstrationToken(greeting.api, role);

async function records(path: string, token: string): Promise<Record<string, unknown>[]> {
  const answer = await get(path, token);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json as Record<string, unknown>[];
}

test('npm start listens on 127.0.0.1 only, and keeps all its files under .data', async () => {
  expect(greeting.api).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await readdir(data)).sort()).toEqual(
    expect.arrayContaining(['documents', 'identity', 'postgres', 'postgres.lock']),
  );
  expect((await stat(resolve(folder, greeting.mails ?? ''))).isDirectory()).toBe(true);
  expect(await readdir(folder)).toEqual(['.data']);
  expect((await ask(port, 'GET /health')).status).toBe(200);
});

test('the greeting that npm start prints has a login and a password for each of the four roles', () => {
  const logins = Object.keys(PEOPLE).map((role) => ({
    ...{
      role,
      email: expect.stringMatching(/^\w+\.\w+@/),
      password: expect.stringMatching(/^\w{4}(-\w{4}){3}$/),
    },
  }));
  expect(greeting.logins).toEqual(logins);
});

test('npm start logs each step as a line of JSON', () => {
  const lines = started.out.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    expect.arrayContaining([
      `the identity provider serves at ${greeting.issuer}`,
      `Postgres serves on port ${greeting.postgres?.port}`,
      expect.stringMatching(/^applying \d\d migrations$/),
      'the demonstration is loaded',
      'the service serves',
    ]),
  );
});

test('the greeting that npm start prints has the URL of /docs, which offers a token for each demonstration user', async () => {
  expect(greeting.docs).toBe(`http://127.0.0.1:${port}/docs`);
  expect((await ask(port, 'GET /docs')).status).toBe(200);
  const { json: offered } = await ask(port, 'GET /docs/people.json');
  expect(offered).toEqual(Object.entries(PEOPLE).map(([role, [name]]) => expect.objectContaining({ role, name })));
  for (const [role, [name, clients]] of Object.entries(PEOPLE)) {
    const headers = { origin: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}` };
    const { json } = await ask(port, `POST /docs/people/${role}`, { headers });
    const { token } = json as { token: string };
    const { iat = 0, exp = 0 } = decodeJwt(token);
    expect(exp - iat).toBe(12 * 3600);
    const { json: me } = await get('/api/users/me', token);
    expect(me).toMatchObject({ role, name, created_at: expect.stringMatching(/^2024-01/) });
    expect(await records('/api/clients', token)).toHaveLength(clients);
  }
});

test('npm start prints the path of the file with the database password but not the password, and db:audit reports no problem of its database', async () => {
  const { passwordFile = '', port: its = 0 } = greeting.postgres ?? {};
  const password = (await readFile(passwordFile, 'utf8')).trim();
  expect(started.out).not.toContain(password);
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${its}/taxclaims`;
  await withAdmin(url, async (admin) => {
    const { rows } = await admin.query('select count(*)::integer as count from audit.findings');
    expect(rows).toEqual([{ count: 0 }]);
  });
  const env = { PATH: process.env['PATH'], DATABASE_ADMIN_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [AUDIT], { env });
  expect(stdout).toContain('No finding.');
  expect(stdout).toContain('No drift');
});

test('the greeting that npm start prints has the URL of the provider’s keys, and the requests of README.md succeed', async () => {
  expect(await (await fetch(greeting.jwks ?? '')).json()).toEqual({
    keys: [expect.objectContaining({ kty: 'EC' })],
  });
  const calls = blockOf('README.md', 'TOKEN=', { 'http://127.0.0.1:3000': greeting.api });
  const answers = (await shell(calls, { DATA_DIR: data })).trim().split('\n');
  expect(answers.filter((_line, index) => index % 2 === 1)).toEqual(['200', '200', '200']);
  expect(JSON.parse(answers[0] ?? '')).toHaveLength(2);
});

test('a service that npm start has started logs a line for each request', async () => {
  await get('/api/sites?limit=1', await tokenOf('ADMIN'));
  await started.says(/^\{"level":30.*"action":"GET \/api\/sites".*"msg":"request"\}\n/m);
});

test('the demonstration has records in every list of the API except /api/identity-changes', async () => {
  const token = await tokenOf('ADMIN');
  const { paths } = (await get('/api-json', token)).json as { paths: Record<string, { get?: object }> };
  const lists = Object.entries(paths)
    .filter(([path, { get: read }]) => read !== undefined && !path.includes('{'))
    .map(([path]) => path);
  const single = ['/', '/health', '/api-json', '/api/words', '/api/auth/profile', '/api/users/me'];
  const empty = [];
  for (const path of lists.filter((one) => !single.includes(one))) {
    if ((await records(path, token)).length === 0) empty.push(path);
  }
  expect(lists).toContain('/api/reclamations');
  // The list of identity changes is empty, because nobody has changed a user's rights yet.
  expect(empty).toEqual(['/api/identity-changes']);
});

test('every document of the demonstration has its complete content', async () => {
  const token = await tokenOf('ADMIN');
  const kept = new Set<string>();
  for (const { id } of await records('/api/reclamations?limit=100', token)) {
    for (const document of await records(`/api/reclamations/${String(id)}/documents`, token)) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/documents/${String(document['id'])}/content`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([answer.status, bytes.length]).toEqual([200, document['file_size']]);
      kept.add(createHash('sha256').update(bytes).digest('hex'));
    }
  }
  const shipped = [];
  for (const name of await readdir(CONTENTS)) {
    shipped.push(
      createHash('sha256')
        .update(await readFile(join(CONTENTS, name)))
        .digest('hex'),
    );
  }
  expect([...kept].sort()).toEqual(shipped.sort());
});
