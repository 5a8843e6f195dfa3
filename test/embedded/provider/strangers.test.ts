import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { beginLogin, logIn, openBrowser } from '../../support/login.ts';
import { openProviderWorld } from '../../support/provider.ts';
import type { ProviderWorld } from '../../support/provider.ts';

/* What the database keeps of somebody who has not logged in. */

let world: ProviderWorld;
let issuer: string;

beforeAll(async () => {
  world = await openProviderWorld({ trustProxy: 1 });
  ({ issuer } = world.provider);
});
afterAll(() => world.close());

/** What is kept of each kind, and whether it goes within a quarter of an hour. */
const kept = (): Promise<Record<string, unknown>[]> =>
  world.admin(
    `select kind, count(*)::integer as count,
            bool_and(expires_at <= clock_timestamp() + interval '15 minutes') as is_brief
     from app.identity_artifacts group by kind order by kind`,
  );

test('is kept for as long as a login page lasts', async () => {
  await beginLogin(openBrowser(issuer));
  await fetch(`${issuer}/session/end`);
  expect(await kept()).toEqual([
    { kind: 'Interaction', count: 1, is_brief: true },
    { kind: 'Session', count: 1, is_brief: true },
  ]);
  const { email, password } = await world.person();
  await logIn(issuer, email, password);
  expect(await kept()).toContainEqual({ kind: 'Session', count: 2, is_brief: false });
});

describe('is bounded for each address', () => {
  beforeAll(() => world.restart({ perIp: 40 }));

  test('by a tenth of its requests, which others may still have', async () => {
    const begin = (from: string, path: string) =>
      fetch(`${issuer}${path}`, { redirect: 'manual', headers: { 'x-forwarded-for': from } });
    const login = new URLSearchParams({
      ...{ client_id: 'taxclaims-frontend', redirect_uri: 'http://localhost:5173/', response_type: 'code' },
      ...{ scope: 'openid', code_challenge_method: 'S256', code_challenge: 'a'.repeat(43) },
    });
    const before = await world.admin('select from app.identity_artifacts');
    const paths = Array.from({ length: 4 }, () => [`/auth?${login.toString()}`, '/session/end']).flat();
    const statuses = [];
    for (const path of paths) statuses.push((await begin('198.51.100.1', path)).status);
    expect(statuses).toEqual([303, 200, 303, 200, 429, 429, 429, 429]);
    expect(await world.admin('select from app.identity_artifacts')).toHaveLength(before.length + 4);
    expect((await begin('198.51.100.1', '/.well-known/jwks.json')).status).toBe(200);
    expect((await begin('198.51.100.2', '/session/end')).status).toBe(200);
  });
});
