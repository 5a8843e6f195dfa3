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

/** Begins a change of the user, sends what is to wait for it, and commits once it waits. */
async function whileUnderWay<T>({ id }: Person, change: string, send: () => Promise<T>): Promise<T> {
  return withAdmin(world.postgres.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(`update public.users set ${change} where id = $1`, [id]);
    const answer = send();
    const waits = async (): Promise<boolean> => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      );
      return rowCount !== null && rowCount > 0;
    };
    while (!(await waits()));
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
      'select floor(extract(epoch from ended_at))::integer as second from app.ended_logins where user_id = $1',
      [person.id],
    );
    expect(decodeJwt(token).iat).toBeGreaterThan(Number(second));
  }
});

test('a change of anything else ends no login', async () => {
  const person = await world.person();
  const { refresh_token: token } = await logIn(issuer, person.email, person.password);
  await world.admin(`update public.users set name = 'Renamed', role = 'CLIENT' where id = $1`, [person.id]);
  expect((await refresh(issuer, token)).status).toBe(200);
});

test('a refresh token that is used twice at once gives tokens to one', async () => {
  const person = await world.person();
  const { refresh_token: token } = await logIn(issuer, person.email, person.password);
  const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(issuer, token)));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  expect(answers.filter(({ body }) => body.error === 'invalid_grant').length).toBeGreaterThanOrEqual(3);
});
