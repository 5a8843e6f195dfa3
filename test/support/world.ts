import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { superuserUrl } from '../../src/embedded/postgres/connect.ts';
import { withAdmin } from './database.ts';
import type { TestRun } from './database.ts';
import type { TestIdentity } from './identity.ts';

/* What every world is made of in which a proof tries the service: the superuser, logins, and the service's environment. */

/** Runs SQL as the superuser, each time on a connection of its own. */
export type Admin = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** That of the database at the address, or at the one that is its address at the moment. */
export function adminOf(address: string | (() => Promise<string>)): Admin {
  return async (text, values) =>
    withAdmin(typeof address === 'string' ? address : await address(), async (client) => {
      client.on('error', () => undefined);
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    });
}

/** A login with these rights, as `in role taxclaims_api`. Roles are the cluster's: whoever makes one drops it. */
export async function makeLogin(adminUrl: string, name: string, rights: string): Promise<TestRun['login']> {
  const password = randomBytes(24).toString('base64url');
  await withAdmin(adminUrl, (admin) => admin.query(`create role ${name} login password '${password}' ${rights}`));
  return { name, password };
}

/** The superuser's address of the embedded Postgres whose data lie there. */
export async function embeddedAdminUrl(data: string): Promise<string> {
  const [password, port] = await Promise.all(
    ['password', 'port'].map((name) => readFile(join(data, 'postgres', name), 'utf8')),
  );
  return superuserUrl(Number(port), password ?? '', 'taxclaims');
}

/** The variables with which a service accepts the tokens of a provider. */
export function accepting({ issuer, audience, jwksUrl }: Issuer) {
  return { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl };
}

type Issuer = Pick<TestIdentity, 'issuer' | 'audience' | 'jwksUrl'>;

/** More requests than any proof sends in a minute. */
export const UNLIMITED = { RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' };
