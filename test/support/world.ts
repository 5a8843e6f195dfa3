import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { superuserUrl } from '../../src/demo/postgres/connect.ts';
import { withAdmin } from './database.ts';
import type { TestRun } from './database.ts';
import type { TestIdentity } from './identity.ts';

/* This module creates database logins and environment variables for the services that proofs (long tests) start. */

/** A function that runs SQL as the superuser on a new connection. */
export type Admin = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Returns a function that runs SQL as the superuser at an address, or at an address that is looked up at each call. */
export function adminOf(address: string | (() => Promise<string>)): Admin {
  return async (text, values) =>
    withAdmin(typeof address === 'string' ? address : await address(), async (client) => {
      client.on('error', () => undefined);
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    });
}

/**
 * Creates a database login with rights such as `in role taxclaims_api`. The caller drops the login from the shared
 * server.
 */
export async function makeLogin(adminUrl: string, name: string, rights: string): Promise<TestRun['login']> {
  const password = randomBytes(24).toString('base64url');
  await withAdmin(adminUrl, (admin) => admin.query(`create role ${name} login password '${password}' ${rights}`));
  return { name, password };
}

/** Returns the superuser’s address of the embedded Postgres server in the given data folder. */
export async function embeddedAdminUrl(data: string): Promise<string> {
  const [password, port] = await Promise.all(
    ['password', 'port'].map((name) => readFile(join(data, 'postgres', name), 'utf8')),
  );
  return superuserUrl(Number(port), password ?? '', 'taxclaims');
}

/** The environment variables of a service that accepts the tokens of this identity provider. */
export function accepting({ issuer, audience, jwksUrl }: Issuer) {
  return { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl };
}

type Issuer = Pick<TestIdentity, 'issuer' | 'audience' | 'jwksUrl'>;

/** The environment variables of a service whose rate limits are so high that no proof (long test) reaches them. */
export const UNLIMITED = { RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' };
