import { deepEqual, equal } from 'node:assert/strict';
import type pg from 'pg';
import type { Check } from './checks.ts';
import { idOf } from './fixture.ts';
import { deniedToAll, refusedWith, takenBack } from './session.ts';

const [DIGEST, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];
const [USER, CLIENT] = [idOf('a', 'users'), idOf('a', 'clients')];

/**
 * Changes the role and the settings of the open transaction. The next SQL then runs as the test user of one firm, with
 * the given database role and clients.
 */
async function become(client: pg.Client, role: string, clients: readonly string[] = [CLIENT]): Promise<void> {
  await client.query(
    `select set_config('role', $1, true), set_config('app.actor', 'subject-a', true),
        set_config('app.user_id', $2, true), set_config('app.client_access', $3, true)`,
    [role, USER, `{${clients.join()}}`],
  );
}

const keep = (client: pg.Client, digest: string | null): Promise<unknown> =>
  client.query('select app.keep_calendar($1)', [digest]);

async function digests(client: pg.Client): Promise<unknown[]> {
  await become(client, 'none');
  const { rows } = await client.query<{ calendar_digest: string }>(
    'select calendar_digest from public.users where calendar_digest is not null order by 1',
  );
  return rows.map((row) => row.calendar_digest);
}

async function opened(client: pg.Client, digest = DIGEST): Promise<Record<string, unknown>[]> {
  await become(client, 'taxclaims_api');
  const text = 'select * from app.calendar_user($1)';
  return (await client.query<Record<string, unknown>>(text, [digest])).rows;
}

const SPECIALIST = 'taxclaims_tax_specialist';

export const calendarChecks: readonly Check[] = [
  {
    title: 'users: no request role, API login, reporting login or auditor can read the digest of a calendar address',
    run: (world) => deniedToAll(world, 'select calendar_digest from public.users'),
  },
  {
    title: 'users: an administrator cannot update the digest of a calendar address directly',
    run: (world) =>
      takenBack(world, async (admin) => {
        await become(admin, 'taxclaims_admin');
        await refusedWith('42501', admin.query(`update public.users set calendar_digest = repeat('a', 64)`));
      }),
  },
  {
    title: 'users: a user can create and remove only their own calendar address',
    run: (world) =>
      takenBack(world, async (admin) => {
        await admin.query('update public.users set calendar_digest = $1 where id = $2', [OTHER, idOf('b', 'users')]);
        await become(admin, SPECIALIST);
        await keep(admin, DIGEST);
        deepEqual(await digests(admin), [DIGEST, OTHER]);
        await become(admin, SPECIALIST);
        await keep(admin, null);
        deepEqual(await digests(admin), [OTHER]);
      }),
  },
  {
    title: 'users: a caller cannot create a calendar address if their stored role or clients differ from the token’s',
    run: async (world) => {
      const others: readonly (readonly [role: string, clients: readonly string[]])[] = [
        ['taxclaims_client', [CLIENT]],
        ['taxclaims_account_manager', [CLIENT]],
        [SPECIALIST, []],
        [SPECIALIST, [CLIENT, idOf('b', 'clients')]],
      ];
      for (const [role, clients] of others)
        await takenBack(world, async (admin) => {
          await become(admin, role, clients);
          await refusedWith('TX409', keep(admin, DIGEST));
        });
    },
  },
  {
    title:
      'users: a calendar address returns its user with the user’s present rights, and no user if the user is inactive or without clients',
    run: (world) =>
      takenBack(world, async (admin) => {
        await become(admin, SPECIALIST);
        await keep(admin, DIGEST);
        const [user, ...more] = await opened(admin);
        deepEqual(more, []);
        deepEqual(
          [user?.['user_id'], user?.['subject'], user?.['role'], user?.['client_access'], user?.['issued_at']],
          [USER, 'subject-a', 'TAX_SPECIALIST', [CLIENT], 0],
        );
        deepEqual(await opened(admin, OTHER), []);
        await become(admin, 'none');
        await admin.query('set local session_replication_role = replica');
        for (const without of ['is_active = false', `is_active = true, client_access = '{}'`]) {
          await admin.query(`update public.users set ${without} where id = $1`, [USER]);
          deepEqual(await opened(admin), []);
          await become(admin, 'none');
        }
        equal((await digests(admin)).length, 1);
      }),
  },
  {
    title: 'users: a calendar address works until its user’s rights change, even after the user’s sessions ended',
    run: async (world) => {
      const begin = (admin: pg.Client, user: Record<string, unknown> | undefined) =>
        admin.query('select app.caller_id($1, to_timestamp($2), $3, $4)', [
          ...[user?.['subject'], user?.['issued_at'], user?.['access_digest'], user?.['user_id']],
        ]);
      for (const ended of ['null', `now() + interval '2 minutes'`, `now() - interval '1 year'`])
        await takenBack(world, async (admin) => {
          await admin.query(`update public.users set sessions_ended_at = ${ended} where id = $1`, [USER]);
          await become(admin, SPECIALIST);
          await keep(admin, DIGEST);
          const [user] = await opened(admin);
          equal((await begin(admin, user)).rowCount, 1);
          await become(admin, 'none');
          // The SQL dates the change of the user’s rights an hour ahead. The database must then refuse a request that
          // still has the earlier rights.
          await admin.query(
            `update public.users set client_access = array[$2::uuid], access_changed_at = now() + interval '1 hour'
             where id = $1`,
            [USER, idOf('b', 'clients')],
          );
          await become(admin, 'taxclaims_api');
          await refusedWith('TX401', begin(admin, user));
        });
    },
  },
];
