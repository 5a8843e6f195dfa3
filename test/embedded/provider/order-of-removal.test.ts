import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../../src/db/database.ts';
import { storeOn } from '../../../src/embedded/provider/store.ts';
import { withAdmin } from '../../support/database.ts';
import { waiting } from '../../support/held-row.ts';
import { openProviderWorld } from '../../support/provider.ts';
import type { ProviderWorld } from '../../support/provider.ts';

let world: ProviderWorld;

beforeAll(async () => {
  world = await openProviderWorld();
});
afterAll(() => world.close());

/*
 * Whoever removes one waits for the lock that the test has, and holds meanwhile what it found first: in the table that is
 * `first`, in the index of accounts `second`, and in the order that all keep `third`. A deadlock would last longer here
 * than a statement may.
 */
test.each(['the end of a grant', 'the end of all logins'])(
  '%s, with the other beside it, waits for it in one order',
  async (earlier) => {
    await world.admin(`alter database ${world.postgres.name} set deadlock_timeout = '60s'`);
    const url = world.loginUrl;
    const log = pino({ level: 'silent' });
    const database = openDatabase({
      ...{ url, poolSize: 1, statementTimeoutMs: 5_000, preparedStatements: true, log },
    });
    const store = storeOn(database, 'a secret');
    const id = `ffffffff-0000-4000-8000-${String(earlier.length).padStart(12, '0')}`;
    const subject = `auth0|${id}`;
    const keep = async (kind: string, name: string, account: string): Promise<void> => {
      const known = account === id ? null : account;
      await world.admin('update public.users set subject = $2 where id = $1', [id, known]);
      const iat = Math.floor(Date.now() / 1000);
      await store(kind).upsert(name, { accountId: account, grantId: earlier, iat }, 60);
    };
    await world.person({ id, subject: null });
    await keep('RefreshToken', 'first', id);
    await keep('RefreshToken', 'second', subject);
    await keep('AccessToken', 'third', id);
    await world.admin('update public.users set subject = $2 where id = $1', [id, subject]);
    await world.admin(`
      create function public.wait_for_test() returns trigger language plpgsql security definer as $$
      begin
        perform pg_catalog.pg_advisory_xact_lock_shared(13);
        return old;
      end $$;
      create trigger wait_for_test before delete on app.identity_artifacts
        for each row execute function public.wait_for_test()`);
    const ends = [
      () => store('RefreshToken').revokeByGrantId(earlier),
      () =>
        world.admin(`
          set enable_seqscan = off;
          set enable_bitmapscan = off;
          update public.users set is_active = false where id = '${id}'`),
    ];
    try {
      await withAdmin(world.postgres.adminUrl, async (client) => {
        await client.query('begin; select pg_catalog.pg_advisory_xact_lock(13)');
        const ended = [];
        for (const end of earlier.endsWith('grant') ? ends : ends.reverse()) {
          ended.push(end());
          while ((await waiting(world)) < ended.length);
        }
        await client.query('commit');
        await Promise.all(ended);
      });
    } finally {
      await world.admin('drop function public.wait_for_test() cascade');
      await database.close();
    }
    expect(await world.admin('select from app.identity_artifacts where grant_id = $1', [earlier])).toEqual(
      [],
    );
  },
);
