import { execFileSync } from 'node:child_process';
import { chown, copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { Connection } from '../../src/db/connection.ts';
import { openDatabase } from '../../src/db/database.ts';
import { findPrimary } from '../../src/db/primary.ts';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { createClientConfig, explainConnectionError } from '../../src/db/client-config.ts';
import { withAdmin } from '../support/database.ts';
import { sql } from '../support/probe.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';

/* These tests connect to a Postgres with TLS, whose certificate is for localhost and not for 127.0.0.1. */

const log = pino({ level: 'silent' });
const folder = await folderForSuite();
const authority = createAuthority('authority');
const otherAuthority = createAuthority('other');
const server = await startEmbeddedServer({ dataDir: folder, log });
await forSuite({ close: () => server.stop() });
await turnTlsOn();

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
}

/** Returns the file of a new certificate authority. */
function createAuthority(name: string): string {
  const subject = ['-subj', `/CN=${name}`, '-days', '2'];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.pem`, ...subject);
  return join(folder, `${name}.pem`);
}

async function turnTlsOn(): Promise<void> {
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
    '-subj',
    '/CN=localhost',
  );
  const signing = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-days', '2'];
  openssl('x509', '-req', '-in', 'server.csr', ...signing, '-extfile', 'names', '-out', 'server.pem');
  await withAdmin(server.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ data: string }>(`select current_setting('data_directory') as data`);
    const data = rows[0]?.data ?? '';
    const { uid, gid } = await stat(data);
    for (const [from, to] of [
      ['server.pem', 'server.crt'],
      ['server.key', 'server.key'],
    ] as const) {
      await copyFile(join(folder, from), join(data, to));
      await chown(join(data, to), uid, gid);
    }
    await admin.query('alter system set ssl = on');
    await admin.query('select pg_reload_conf()');
  });
  while (!(await isTlsOffered()));
}

async function isTlsOffered(): Promise<boolean> {
  return withAdmin(server.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ ssl: string }>('show ssl');
    return rows[0]?.ssl === 'on';
  });
}

function addressOf(host: string, query: string): string {
  const url = new URL(server.adminUrl);
  url.hostname = host;
  return `${url.href}?${query}`;
}

/** Connects with an address, and returns whether the connection has TLS. */
async function connect(address: string): Promise<boolean | undefined> {
  const client = new pg.Client(createClientConfig(address));
  try {
    await client.connect();
    const { rows } = await client.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0]?.ssl;
  } finally {
    await client.end();
  }
}

test.each([
  { query: 'sslmode=disable', host: '127.0.0.1', hasTls: false },
  { query: 'sslmode=require', host: '127.0.0.1', hasTls: true },
  { query: `sslmode=require&sslrootcert=${authority}`, host: '127.0.0.1', hasTls: true },
  { query: `sslmode=verify-ca&sslrootcert=${authority}`, host: '127.0.0.1', hasTls: true },
  { query: `sslmode=verify-full&sslrootcert=${authority}`, host: 'localhost', hasTls: true },
  { query: `sslrootcert=${authority}&sslmode=verify-full&channel_binding=prefer`, host: 'localhost', hasTls: true },
])('the service connects to $host with $query, as libpq does', async ({ query, host, hasTls }) => {
  expect(await connect(addressOf(host, query))).toBe(hasTls);
});

test.each([
  { query: `sslmode=verify-full&sslrootcert=${authority}`, host: '127.0.0.1', reason: /does not match certificate/ },
  { query: `sslmode=require&sslrootcert=${otherAuthority}`, host: 'localhost', reason: /unable to verify|self.signed/ },
  {
    query: `sslmode=verify-ca&sslrootcert=${otherAuthority}`,
    host: 'localhost',
    reason: /unable to verify|self.signed/,
  },
  { query: 'sslmode=verify-full&sslrootcert=system', host: 'localhost', reason: /unable to verify|self.signed/ },
])('the service refuses the server at $host with $query, as libpq does', async ({ query, host, reason }) => {
  await expect(connect(addressOf(host, query))).rejects.toThrow(reason);
});

test.each(['sslmode=verify-full', `sslmode=verify-full&sslrootcert=${otherAuthority}`])(
  'the error for a server of an unknown authority names sslrootcert (%#)',
  async (query) => {
    const address = addressOf('localhost', query);
    expect(await connect(address).catch(explainConnectionError)).toMatchObject({
      message: expect.stringContaining('in sslrootcert'),
    });
    await expect(findPrimary([address])).rejects.toThrow('in sslrootcert');
  },
);

test('an address with sslmode=require or verify-ca makes pg print no warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  await connect(addressOf('127.0.0.1', 'sslmode=require'));
  await connect(addressOf('127.0.0.1', `sslmode=verify-ca&sslrootcert=${authority}`));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings.filter(({ message }) => message.includes('SSL'))).toEqual([]);
});

test.each([
  ['whose password file is missing', join(folder, 'no-password')],
  ['without a password', undefined],
])('a connection %s is closed as soon as it fails', async (_which, passwordFile) => {
  const url = new URL(server.adminUrl);
  url.password = '';
  const connection = new Connection(createClientConfig(url.href, passwordFile));
  await expect(connection.connect()).rejects.toThrow(/DATABASE_PASSWORD_FILE|must be a string/);
  expect(connection.connection.stream.destroyed).toBe(true);
});

test('the service reads the password of DATABASE_PASSWORD_FILE for each connection', async () => {
  const passwordFile = join(folder, 'password');
  const url = new URL(server.adminUrl);
  const { password } = url;
  url.password = '';
  await writeFile(passwordFile, `${password}\n`);
  const database = openDatabase({
    ...{ url: url.href, passwordFile, poolSize: 1, statementTimeoutMs: 1_000, preparedStatements: true, log },
  });
  const ask = () => database.callAsLogin(sql('select 1 as one'));
  expect(await ask()).toMatchObject({ rows: [['1']] });
  await withAdmin(server.adminUrl, async (admin) => {
    await admin.query(`alter role postgres password 'next'`);
    await writeFile(passwordFile, 'next');
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'taxclaims-api'`,
    );
  });
  expect(await ask().catch(ask)).toMatchObject({ rows: [['1']] });
  await database.close();
});
