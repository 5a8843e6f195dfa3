import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { genSaltSync, hashSync } from 'bcryptjs';
import { decodeJwt } from 'jose';
import { askTokens, beginLogin, exchange, logIn, openBrowser, refresh } from '../../support/login.ts';
import { withAdmin } from '../../support/database.ts';
import { CHEAP, openProviderWorld } from '../../support/provider.ts';
import type { Person, ProviderWorld } from '../../support/provider.ts';

/* Logins beside what ends them: each is judged while it holds the row of its user. */

const NEXT = 'the password that comes next';
const NEXT_HASH = hashSync(NEXT, genSaltSync(CHEAP));
/** What ends the logins of a user, with the one value that it takes. */
const ENDS = [
  ['another password', `password_hash = '${NEXT_HASH}'`],
  ['being made inactive', 'is_active = false'],
] as const;

let world: ProviderWorld;
let issuer: string;

beforeAll(async () => {
  world = await openProviderWorld();
  ({ issuer } = world.provider);
});
afterAll(() => world.close());

/** On a connection of its own: within a transaction Postgres shows the sessions as they were at the first look. */
async function waiting(): Promise<number> {
  const rows = await world.admin(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows.length;
}

/** Begins a change of the user, sends what is to wait for it, and commits once it waits. */
async function whileUnderWay<T>({ id }: Person, change: string, send: () => Promise<T>): Promise<T> {
  return withAdmin(world.postgres.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(`update public.users set ${change} where id = $1`, [id]);
    const answer = send();
    while ((await waiting()) < 1);
    await client.query('commit');
    return answer;
  });
}

const kept = async (): Promise<unknown> =>
  (
    await world.admin(
      `select count(*)::integer as count from app.identity_artifacts where kind in ('Session', 'RefreshToken')`,
    )
  )[0]?.['count'];

describe.each(ENDS)('%s that is under way', (_what, change) => {
  test('is waited for by a login with the old password, which is then refused', async () => {
    const person = await world.person();
    const begun = await beginLogin(openBrowser(issuer));
    const { status, left } = await whileUnderWay(person, change, () =>
      begun.submit(person.email, person.password),
    );
    expect([status, left]).toEqual([403, undefined]);
  });

  test('ends a login that was let in before, at its code', async () => {
    const person = await world.person();
    const begun = await beginLogin(openBrowser(issuer));
    const { left } = await begun.submit(person.email, person.password);
    const { status, body } = await whileUnderWay(person, change, () =>
      askTokens(issuer, exchange(begun, left)),
    );
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('ends a refresh that was begun before', async () => {
    const person = await world.person();
    const { refresh_token: token } = await logIn(issuer, person.email, person.password);
    const { status, body } = await whileUnderWay(person, change, () => refresh(issuer, token));
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('leaves nothing of the logins before it', async () => {
    const before = await kept();
    const person = await world.person();
    await logIn(issuer, person.email, person.password);
    expect(await kept()).not.toBe(before);
    await world.admin(`update public.users set ${change} where id = $1`, [person.id]);
    expect(await kept()).toBe(before);
  });
});

test('a login with the next password at once has tokens of a later second than those that ended', async () => {
  const person = await world.person();
  for (let time = 0; time < 3; time += 1) {
    await world.admin(`update public.users set password_hash = '!' where id = $1`, [person.id]);
    await world.admin(`update public.users set password_hash = $2 where id = $1`, [person.id, NEXT_HASH]);
    const { access_token: token } = await logIn(issuer, person.email, NEXT);
    const [{ second } = {}] = await world.admin(
      'select floor(extract(epoch from sessions_ended_at))::integer as second from public.users where id = $1',
      [person.id],
    );
    expect(decodeJwt(token).iat).toBeGreaterThan(Number(second));
  }
});

test('the first password of somebody who had none ends no session', async () => {
  const { id } = await world.person({ password_hash: '!' });
  await world.admin('update public.users set password_hash = $2 where id = $1', [id, NEXT_HASH]);
  expect(await world.admin('select sessions_ended_at from public.users where id = $1', [id])).toEqual([
    { sessions_ended_at: null },
  ]);
});

test('a change of anything else ends no login', async () => {
  const person = await world.person();
  const { refresh_token: token } = await logIn(issuer, person.email, person.password);
  await world.admin(`update public.users set name = 'Renamed', role = 'CLIENT' where id = $1`, [person.id]);
  expect((await refresh(issuer, token)).status).toBe(200);
});

test.each([
  ['a code', 'AuthorizationCode'],
  ['a refresh token', 'RefreshToken'],
])('%s that several use at once gives tokens to one', async (_, kind) => {
  const person = await world.person();
  const begun = await beginLogin(openBrowser(issuer));
  const { left } = await begun.submit(person.email, person.password);
  const code = exchange(begun, left);
  const used =
    kind === 'AuthorizationCode'
      ? code
      : {
          ...{ grant_type: 'refresh_token', client_id: begun.client },
          refresh_token: (await askTokens(issuer, code)).body.refresh_token,
        };
  const answers = await withAdmin(world.postgres.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(
      'select from app.identity_artifacts as a where a.kind = $1 and a.consumed_at is null for update',
      [kind],
    );
    const asked = Promise.all([1, 2, 3].map(() => askTokens(issuer, used)));
    // Each has found it unused by now.
    while ((await waiting()) < 3);
    await client.query('commit');
    return asked;
  });
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
});
