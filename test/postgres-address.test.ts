import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createClientConfig } from '../src/db/client-config.ts';
import { readPostgresAddress } from '../src/postgres-address.ts';
import { folderForSuite } from './support/suite.ts';

const LOGIN = 'postgres://api:hunter2@';
const TARGET = 'target_session_attrs=read-write';
const TLS = 'sslmode=verify-full';
const folder = await folderForSuite();

test.each([
  ['one server', `${LOGIN}db:5432/claims?${TLS}`, [`${LOGIN}db:5432/claims?${TLS}`], false],
  ['a local socket', 'postgresql:///claims', ['postgresql:///claims'], false],
  [
    'target_session_attrs=any',
    `${LOGIN}db/c?target_session_attrs=any&${TLS}`,
    [`${LOGIN}db/c?target_session_attrs=any&${TLS}`],
    false,
  ],
  ['target_session_attrs=read-write', `${LOGIN}127.0.0.2/c?${TARGET}`, [`${LOGIN}127.0.0.2/c?${TARGET}`], true],
  [
    'several servers, some with a port',
    `${LOGIN}a:1,b,[::1]:3/c?sslmode=verify-full&${TARGET}`,
    ['a:1', 'b', '[::1]:3'].map((host) => `${LOGIN}${host}/c?sslmode=verify-full&${TARGET}`),
    true,
  ],
  [
    'a comma in a password',
    `postgres://api:a,b@one,two/c?${TARGET}&${TLS}`,
    [`postgres://api:a,b@one/c?${TARGET}&${TLS}`, `postgres://api:a,b@two/c?${TARGET}&${TLS}`],
    true,
  ],
] as const)('a Postgres address with %s is split into its servers', (_, text, servers, writes) => {
  expect(readPostgresAddress(text)).toEqual({ servers, requiresPrimary: writes });
});

test.each([
  ['is not a URL', 'hunter2', 'must be a postgres:// URL'],
  ['is a URL of MySQL', 'mysql://api:hunter2@a,b/c', 'must be a postgres:// URL'],
  ['has a port that is not a number', `${LOGIN}a:1,b:x/c?${TARGET}`, 'must be a postgres:// URL'],
  ['has a blank', `${LOGIN}a, b/c?${TARGET}`, 'must be a postgres:// URL'],
  ['has an empty host among others', `postgres://a,,b/c?${TARGET}`, 'must be a postgres:// URL'],
  [
    'has several hosts and no target_session_attrs',
    `${LOGIN}a,b/c?${TLS}`,
    'must say target_session_attrs=read-write where it names several hosts',
  ],
  [
    'asks for a standby',
    `${LOGIN}a,b/c?target_session_attrs=prefer-standby`,
    'must have any or read-write as its target_session_attrs',
  ],
  ...(
    [
      ['names another machine without sslmode', `${LOGIN}db/c`],
      ['names another machine among its hosts without sslmode', `${LOGIN}127.0.0.1,db/c?${TARGET}`],
      ['names another machine in its parameter host without sslmode', `${LOGIN}localhost/c?host=db`],
      ['names a host that looks like this machine without sslmode', `${LOGIN}localhost.example/c`],
      ['names a certificate authority without sslmode', `${LOGIN}localhost/c?sslrootcert=system`],
    ] as const
  ).map(
    ([what, text]) =>
      [what, text, 'must say sslmode=verify-full, or another of disable, require, verify-ca, verify-full'] as const,
  ),
  ...['prefer', 'allow', 'no-verify', 'VERIFY-FULL', ''].map(
    (mode) =>
      [
        `has the sslmode "${mode}"`,
        `${LOGIN}db/c?sslmode=${mode}`,
        'must have one of disable, require, verify-ca, verify-full as its sslmode',
      ] as const,
  ),
  ...['ssl_mode', 'SSLMODE', 'sslcrl', 'ssl', 'uselibpqcompat', 'connect_timeout', 'password'].map(
    (name) =>
      [
        `has the parameter ${name}`,
        `${LOGIN}db/c?${name}=hunter2&${TLS}`,
        `must not have the parameter "${name}": the known ones are sslmode, sslrootcert, sslcert, sslkey, sslnegotiation, channel_binding, target_session_attrs, host, port, application_name, options`,
      ] as const,
  ),
  ['has two values of sslmode', `${LOGIN}db/c?sslmode=disable&${TLS}`, 'must have the parameter sslmode only once'],
  [
    'wants verify-ca without an authority',
    `${LOGIN}db/c?sslmode=verify-ca`,
    'must name the file of the certificate authority in sslrootcert where sslmode is verify-ca',
  ],
  [
    'wants the authorities of the system without the check of the host',
    `${LOGIN}db/c?sslmode=require&sslrootcert=system`,
    'must have verify-full as its sslmode where sslrootcert is system',
  ],
  [
    'demands channel binding',
    `${LOGIN}db/c?sslmode=require&channel_binding=require`,
    'must have prefer or disable as its channel_binding: only sslmode=verify-full makes sure which server answers',
  ],
  [
    'names an authority’s file that does not exist',
    `${LOGIN}db/c?${TLS}&sslrootcert=/nowhere/ca.pem`,
    "must name a readable certificate or key in sslrootcert: ENOENT: no such file or directory, open '/nowhere/ca.pem'",
  ],
  ['has hosts behind its path', `postgres:///c?host=a,b&${TARGET}`, 'must name its hosts before the path'],
])('a Postgres address that %s is refused with a message that does not repeat the address', (_, text, problem) => {
  expect(readPostgresAddress(text)).toBe(problem);
});

test('a file in sslrootcert that holds no certificate is refused', async () => {
  const file = join(folder, 'ca.pem');
  await writeFile(file, 'hunter2');
  expect(readPostgresAddress(`${LOGIN}db/c?${TLS}&sslrootcert=${file}`)).toMatch(
    /^must name a readable certificate or key in sslrootcert: (?!.*hunter2)/,
  );
});

test('an address without a host is of this machine, whatever PGHOST says', () => {
  const { PGHOST } = process.env;
  process.env['PGHOST'] = 'db.example';
  expect(createClientConfig('postgres:///claims').host).toBe('localhost');
  if (PGHOST === undefined) delete process.env['PGHOST'];
  else process.env['PGHOST'] = PGHOST;
  expect(createClientConfig('postgres:///claims?host=/var/run/postgresql').host).toBe('/var/run/postgresql');
});
