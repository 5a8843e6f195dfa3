import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startProvider, verifierOf } from '../support/provider.ts';
import { folderForSuite } from '../support/suite.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const dataDir = await folderForSuite();

function token(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const command = join(import.meta.dirname, '..', '..', 'src', 'demo', 'token.ts');
  const env = { DATA_DIR: dataDir, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

test('npm run token prints nothing but a token that the service accepts', async () => {
  const provider = await startProvider({ DATA_DIR: dataDir, IDENTITY_PORT: '0' });
  const person = ['--subject', 'local|ada', '--email', 'ada@example.com', '--name', 'Ada'];
  const clients = ['--client-access', `${B.toUpperCase()},${A}`, '--client-access', A];
  const { stdout, stderr, code } = await token(['--role', 'TAX_SPECIALIST', ...clients, ...person]);
  expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
  const caller = await verifierOf(provider)
    .verify(stdout.trim())
    .finally(() => provider.close());
  expect(caller).toMatchObject({ role: 'TAX_SPECIALIST', clientAccess: [A, B], subject: 'local|ada' });
  expect(caller).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
});

test('a token of npm run token lasts twelve hours, or as long as --expires-in says', async () => {
  for (const [args, seconds] of [
    [[], 12 * 3600],
    [['--expires-in', '90m'], 90 * 60],
  ] as const) {
    const { iat = 0, exp = 0 } = decodeJwt((await token(['--role', 'ADMIN', ...args])).stdout);
    expect(exp - iat).toBe(seconds);
  }
});

test('npm run token uses the JWT claim names that the service is configured with', async () => {
  const names = { AUTH_ROLE_CLAIM: 'https://example.com/role', AUTH_CLIENT_ACCESS_CLAIM: 'access' };
  const { stdout } = await token(['--role', 'CLIENT', '--client-access', A], names);
  expect(decodeJwt(stdout)).toMatchObject({ 'https://example.com/role': 'CLIENT', access: [A] });
});

test.each<readonly [string, readonly string[], Record<string, string>, string]>([
  ['no role', [], {}, '--role must be one of'],
  ['a role in lower case', ['--role', 'client'], {}, '--role must be one of'],
  ['an id that is no UUID', ['--role', 'CLIENT', '--client-access', `${A},42`], {}, '--client-access must be'],
  ['an empty list of clients', ['--role', 'CLIENT', '--client-access', ''], {}, '--client-access must be'],
  ['an unknown option', ['--role', 'CLIENT', '--admin'], {}, "'--admin'"],
  ['a stray argument', ['--role', 'CLIENT', A], {}, A],
  ['a lifetime without unit', ['--role', 'CLIENT', '--expires-in', '60'], {}, '--expires-in must be'],
  ['a lifetime beyond that of a key', ['--role', 'CLIENT', '--expires-in', '91d'], {}, 'at most 90d'],
  ['a lifetime in the past', ['--role', 'CLIENT', '--expires-in', '-1h'], {}, '--expires-in'],
  ['an empty subject', ['--role', 'CLIENT', '--subject', ''], {}, '--subject must have'],
  ['a subject with an accent', ['--role', 'CLIENT', '--subject', 'zoé'], {}, '--subject must have'],
  ['another identity provider', ['--role', 'ADMIN'], { AUTH_ISSUER: 'https://idp.example' }, 'AUTH_ISSUER is set'],
  ['production', ['--role', 'ADMIN'], { NODE_ENV: 'production' }, 'AUTH_ISSUER must be set'],
])('npm run token with %s prints no token, but the reason why not', async (_, args, environment, reason) => {
  const { code, stdout, stderr } = await token(args, environment);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain('    at ');
});

test('npm run token creates no key file when it refuses a token', async () => {
  const elsewhere = join(dataDir, 'elsewhere');
  await token(['--role', 'ADMIN'], { DATA_DIR: elsewhere, NODE_ENV: 'production' });
  await expect(readdir(elsewhere)).rejects.toThrow('ENOENT');
  await token(['--role', 'ADMIN'], { DATA_DIR: elsewhere });
  await expect(readdir(elsewhere)).resolves.toEqual(['identity']);
});
