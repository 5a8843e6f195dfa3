import { expect, test } from '@jest/globals';
import { readPostgresAddress } from '../src/postgres-address.ts';

const LOGIN = 'postgres://api:hunter2@';
const TARGET = 'target_session_attrs=read-write';

test.each([
  ['one server', `${LOGIN}db:5432/claims`, [`${LOGIN}db:5432/claims`], false],
  ['a local socket', 'postgresql:///claims', ['postgresql:///claims'], false],
  [
    'target_session_attrs=any',
    `${LOGIN}db/c?target_session_attrs=any`,
    [`${LOGIN}db/c?target_session_attrs=any`],
    false,
  ],
  ['target_session_attrs=read-write', `${LOGIN}db/c?${TARGET}`, [`${LOGIN}db/c?${TARGET}`], true],
  [
    'several servers, some with a port',
    `${LOGIN}a:1,b,[::1]:3/c?sslmode=verify-full&${TARGET}`,
    ['a:1', 'b', '[::1]:3'].map((host) => `${LOGIN}${host}/c?sslmode=verify-full&${TARGET}`),
    true,
  ],
  [
    'a comma in a password',
    `postgres://api:a,b@one,two/c?${TARGET}`,
    [`postgres://api:a,b@one/c?${TARGET}`, `postgres://api:a,b@two/c?${TARGET}`],
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
    `${LOGIN}a,b/c`,
    'must say target_session_attrs=read-write where it names several hosts',
  ],
  [
    'asks for a standby',
    `${LOGIN}a,b/c?target_session_attrs=prefer-standby`,
    'must have any or read-write as its target_session_attrs',
  ],
  ['has hosts behind its path', `postgres:///c?host=a,b&${TARGET}`, 'must name its hosts before the path'],
])('a Postgres address that %s is refused with a message that does not repeat the address', (_, text, problem) => {
  expect(readPostgresAddress(text)).toBe(problem);
});
