import { deepEqual, equal } from 'node:assert/strict';
import type pg from 'pg';
import type { Check } from './checks.ts';
import { idOf } from './fixture.ts';
import { deniedToAll, refusedWith, takenBack } from './session.ts';
import type { World } from './world.ts';

const USER = idOf('a', 'users');
const CLIENT = idOf('a', 'clients');

/**
 * Deletes all rows of the table identity_changes in a transaction, runs `work` in this transaction, and rolls
 * everything back.
 */
const withoutChanges = (world: World, work: (admin: pg.Client) => Promise<void>): Promise<void> =>
  takenBack(world, async (admin) => {
    await admin.query('delete from public.identity_changes');
    await work(admin);
  });

async function become(client: pg.Client, role: string): Promise<void> {
  await client.query(`select set_config('role', $1, true)`, [role]);
}

/** Runs one SQL statement as the role taxclaims_api and returns the first row of the result. */
async function asApi(admin: pg.Client, sql: string, values: unknown[] = []): Promise<unknown[]> {
  await become(admin, 'taxclaims_api');
  const { rows } = await admin.query<unknown[]>({ text: sql, values, rowMode: 'array' });
  await become(admin, 'none');
  return rows[0] ?? [];
}

/**
 * Changes a user’s role directly in the database, as a DBA would. Then runs the triggers that Postgres would otherwise
 * run at the commit.
 */
async function change(admin: pg.Client, role: string): Promise<void> {
  await admin.query('update public.users set role = $2 where id = $1', [USER, role]);
  await admin.query('set constraints all immediate; set constraints all deferred');
}

const CLAIM = `select c.user_id, c.claim, c.subject, c.role from app.claim_identity_changes(9, '1 minute') as c`;
const SETTLE = 'select app.settle_identity_change($1, $2, $3, $4)';

async function states(admin: pg.Client): Promise<unknown[]> {
  const { rows } = await admin.query<{ state: string }>(
    'select state from public.identity_changes order by created_at, id',
  );
  return rows.map(({ state }) => state);
}

async function isHeld(admin: pg.Client): Promise<unknown> {
  const { rows } = await admin.query<{ held: boolean }>(
    `select access_changed_at = 'infinity' as held from public.users where id = $1`,
    [USER],
  );
  return rows[0]?.held;
}

export const identityChangeChecks: readonly Check[] = [
  {
    title:
      'identity_changes: the database stores a change of rights for the identity provider only after an instance of the service began to send',
    run: async (world) => {
      await withoutChanges(world, async (admin) => {
        await change(admin, 'CLIENT');
        deepEqual([await states(admin), await isHeld(admin)], [[], false]);
        await asApi(admin, 'select app.begin_identity_management()');
        await change(admin, 'TAX_SPECIALIST');
        deepEqual([await states(admin), await isHeld(admin)], [['WAITING'], true]);
      });
    },
  },
  {
    title:
      'identity_changes: only one instance at a time sends a change of rights, and the database tells an instance whose turn to send has ended',
    run: async (world) => {
      await withoutChanges(world, async (admin) => {
        await asApi(admin, 'select app.begin_identity_management()');
        await change(admin, 'CLIENT');
        const [user, claim, subject, role] = await asApi(admin, CLAIM);
        deepEqual([user, subject, role], [USER, 'subject-a', 'CLIENT']);
        deepEqual(await asApi(admin, CLAIM), []);
        const [waiting] = await asApi(admin, 'select u.changes from app.undelivered_identity_changes(null) as u');
        equal(Number(waiting), 1);
        await asApi(admin, 'select app.release_identity_changes(array[$1]::uuid[], $2)', [claim, '0']);
        const [, again] = await asApi(admin, CLAIM);
        deepEqual(await asApi(admin, SETTLE, [user, again, 'it failed', '0']), [true]);
        deepEqual([await states(admin), await isHeld(admin)], [['FAILING'], true]);
        await admin.query('update public.identity_changes set next_attempt_at = now()');
        const [, third] = await asApi(admin, CLAIM);
        deepEqual(await asApi(admin, SETTLE, [user, third, null, null]), [true]);
        deepEqual([await states(admin), await isHeld(admin)], [['DELIVERED'], false]);
        deepEqual(await asApi(admin, CLAIM), []);
        // The number of the first reservation no longer counts after a second reservation. The function therefore
        // returns false, and the service sends the rights to the identity provider again.
        deepEqual(await asApi(admin, SETTLE, [user, claim, null, null]), [false]);
        deepEqual([await states(admin), await isHeld(admin)], [['WAITING'], true]);
      });
    },
  },
  {
    title:
      'identity_changes: app.send_identity stores a change for one user alone, and the user’s older tokens are refused',
    run: async (world) => {
      await withoutChanges(world, async (admin) => {
        await asApi(admin, 'select app.begin_identity_management()');
        await asApi(admin, 'select app.send_identity($1)', [USER]);
        deepEqual([await states(admin), await isHeld(admin)], [['WAITING'], true]);
      });
    },
  },
  {
    title: 'identity_changes: only the owner of the tables may list the users whom the identity provider knows',
    run: async (world) => {
      const page = 'select u.user_id, u.subject from app.users_of_provider($1, 1) as u';
      await withoutChanges(world, async (admin) => {
        await become(admin, 'taxclaims_owner');
        const [first] = (await admin.query<{ user_id: string }>(page, [null])).rows;
        const [next] = (await admin.query<{ user_id: string }>(page, [first?.user_id])).rows;
        equal(String(first?.user_id) < String(next?.user_id), true);
        await become(admin, 'none');
      });
      await deniedToAll(world, 'select u.subject from app.users_of_provider(null, 1) as u');
    },
  },
  {
    title:
      'identity_changes: the service deletes only changes that it delivered 90 days ago, and only a DBA ends the sending of changes',
    run: async (world) => {
      await withoutChanges(world, async (admin) => {
        await asApi(admin, 'select app.begin_identity_management()');
        await change(admin, 'CLIENT');
        const deliver = (days: string) =>
          admin.query(`update public.identity_changes set delivered_at = now() - interval '${days} days'`);
        const forget = 'select app.forget_identity_changes(9)';
        await admin.query(`update public.identity_changes set created_at = now() - interval '1 year'`);
        deepEqual(await asApi(admin, forget), [0]);
        await deliver('89');
        deepEqual(await asApi(admin, forget), [0]);
        await deliver('91');
        deepEqual([await asApi(admin, forget), await states(admin)], [[1], []]);
        // The function’s owner, taxclaims_definer, must not delete a change of rights before the identity provider has
        // received it.
        await change(admin, 'TAX_SPECIALIST');
        await become(admin, 'taxclaims_definer');
        equal((await admin.query('delete from public.identity_changes')).rowCount, 0);
        await become(admin, 'taxclaims_owner');
        const { rows } = await admin.query<{ dropped: number }>('select app.end_identity_management() as dropped');
        await become(admin, 'none');
        deepEqual([rows[0]?.dropped, await states(admin), await isHeld(admin)], [1, [], false]);
        await change(admin, 'CLIENT');
        deepEqual([await states(admin), await isHeld(admin)], [[], false]);
      });
    },
  },
  {
    title: 'identity_changes: a function of taxclaims_definer cannot create a change as already delivered',
    run: async (world) => {
      await withoutChanges(world, async (admin) => {
        await become(admin, 'taxclaims_definer');
        await admin.query('savepoint tried');
        const forged = `insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, delivered_at)
          values ($1, 'x', 'ADMIN', '{}', true, false, now())`;
        await refusedWith('42501', admin.query(forged, [USER]));
        await admin.query('rollback to savepoint tried');
      });
    },
  },
  {
    title:
      'identity_changes: an ADMIN with a client list reads only changes of users and rights whose clients are all in the list',
    run: async (world) => {
      const visibleCount = async (setup: string, access: string): Promise<unknown> => {
        let count: unknown;
        await withoutChanges(world, async (admin) => {
          await admin.query(
            `insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens)
             values ($1, 'x', 'CLIENT', array[$2]::uuid[], true, false)`,
            [USER, CLIENT],
          );
          await admin.query(setup);
          await admin.query(
            `select set_config('app.client_access', $1, true), set_config('role', 'taxclaims_scoped_admin', true)`,
            [access],
          );
          count = (await admin.query('select id from public.identity_changes')).rowCount;
        });
        return count;
      };
      const other = idOf('b', 'clients');
      equal(await visibleCount('select 1', `{${CLIENT}}`), 1);
      equal(await visibleCount('select 1', `{${other}}`), 0);
      const shared = `update public.users set client_access = array['${CLIENT}', '${other}']::uuid[] where id = '${USER}'`;
      equal(await visibleCount(shared, `{${CLIENT}}`), 0);
      const once = `update public.identity_changes set client_access = array['${CLIENT}', '${other}']::uuid[]`;
      equal(await visibleCount(once, `{${CLIENT}}`), 0);
      equal(
        await visibleCount(`update public.identity_changes set role = 'ADMIN', client_access = '{}'`, `{${CLIENT}}`),
        0,
      );
      equal(await visibleCount(shared + '; ' + once, `{${CLIENT},${other}}`), 1);
    },
  },
  {
    title:
      'identity_management: no request role, API login, reporting login or auditor can read or change app.identity_management',
    run: async (world) => {
      for (const sql of [
        'select managed_since from app.identity_management',
        'update app.identity_management set managed_since = null',
        'select app.end_identity_management()',
      ])
        await deniedToAll(world, sql);
    },
  },
];
