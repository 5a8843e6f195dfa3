import { deepEqual, equal, rejects } from 'node:assert/strict';
import type pg from 'pg';
import type { Check } from './checks.ts';
import { idOf } from './fixture.ts';
import { deniedToAll, refusedWith, takenBack } from './session.ts';

const KEY = 'a'.repeat(64);
const REQUEST = 'b'.repeat(64);

/**
 * Changes the role and the settings of the open transaction. The next SQL then runs as a caller with the given database
 * role and token subject.
 */
async function become(client: pg.Client, role: string, actor: string): Promise<void> {
  await client.query(`select set_config('role', $1, true), set_config('app.actor', $2, true)`, [role, actor]);
}

async function claimKey(client: pg.Client, key = KEY, request = REQUEST): Promise<unknown> {
  const { rows } = await client.query<{ standing: string }>('select c.standing from app.claim_key($1, $2) as c', [
    key,
    request,
  ]);
  return rows[0]?.standing;
}

function keep(client: pg.Client, resource = idOf('a', 'sites')): Promise<unknown> {
  const text = `select app.keep_answer($1, $2, 'sites', $3, '{}', null, '/api/sites/x')`;
  return client.query(text, [KEY, REQUEST, resource]);
}

const MANAGER = 'taxclaims_account_manager';

export const keptAnswerChecks: readonly Check[] = [
  {
    title:
      'idempotency_keys: no request role, API login, reporting login or auditor can read the stored answer to a request',
    run: async (world) => {
      const sql = 'select body from app.idempotency_keys';
      await deniedToAll(world, sql);
      await takenBack(world, async (admin) => {
        await become(admin, MANAGER, 'somebody');
        await keep(admin);
        await become(admin, 'none', '');
        equal((await admin.query(sql)).rowCount, 1);
      });
    },
  },
  {
    title:
      'idempotency_keys: a repeated request gets the stored answer only with the user, the key and the request of the first call',
    run: async (world) => {
      await takenBack(world, async (admin) => {
        await become(admin, MANAGER, 'somebody');
        equal(await claimKey(admin), 'free');
        await keep(admin);
        equal(await claimKey(admin), 'kept');
        equal(await claimKey(admin, KEY, 'c'.repeat(64)), 'other');
        equal(await claimKey(admin, 'c'.repeat(64)), 'free');
        await become(admin, MANAGER, 'somebody else');
        equal(await claimKey(admin), 'free');
        await become(admin, MANAGER, '');
        equal(await claimKey(admin), 'free');
      });
    },
  },
  {
    title: 'idempotency_keys: the database stores no answer without a subject, and no second answer for the same key',
    run: async (world) => {
      await takenBack(world, async (admin) => {
        await become(admin, MANAGER, '');
        await admin.query('savepoint tried');
        await rejects(keep(admin));
        await admin.query('rollback to savepoint tried');
        await become(admin, MANAGER, 'somebody');
        await keep(admin);
        await refusedWith('23505', keep(admin));
      });
    },
  },
  {
    title:
      'idempotency_keys: a caller learns at once that another transaction uses the same key, and gets the key after that transaction’s rollback',
    run: async ({ api, unset }) => {
      const request = async (client: pg.Client): Promise<unknown> => {
        await client.query('begin');
        await become(client, MANAGER, 'somebody');
        return claimKey(client);
      };
      try {
        equal(await request(api), 'free');
        equal(await request(unset), 'under way');
        await api.query('rollback');
        equal(await claimKey(unset), 'free');
      } finally {
        await Promise.all([api.query('rollback'), unset.query('rollback')]);
      }
    },
  },
  {
    title:
      'idempotency_keys: a key older than a day counts as unused, and app.forget_answers deletes only keys older than a day',
    run: async (world) => {
      const age = (days: string) =>
        `update app.idempotency_keys set created_at = now() - interval '${days}' where subject = 'somebody'`;
      await takenBack(world, async (admin) => {
        const sweep = async () => {
          await become(admin, 'taxclaims_api', '');
          const { rows } = await admin.query<{ gone: number }>('select app.forget_answers(10) as gone');
          await become(admin, 'none', '');
          return rows[0]?.gone;
        };
        await become(admin, MANAGER, 'somebody');
        await keep(admin);
        await become(admin, 'none', '');
        await admin.query(age('23 hours 59 minutes'));
        deepEqual([await sweep(), await sweep()], [0, 0]);
        await become(admin, MANAGER, 'somebody');
        equal(await claimKey(admin), 'kept');
        await become(admin, 'none', '');
        await admin.query(age('24 hours 1 minute'));
        await admin.query('savepoint expired');
        deepEqual([await sweep(), await sweep()], [1, 0]);
        await admin.query('rollback to savepoint expired');
        await become(admin, MANAGER, 'somebody');
        equal(await claimKey(admin), 'free');
        await keep(admin);
        equal(await claimKey(admin), 'kept');
      });
    },
  },
  {
    title:
      'idempotency_keys: a function of taxclaims_definer reads and creates only the caller’s answers, and deletes only expired answers',
    run: async (world) => {
      await takenBack(world, async (admin) => {
        const rows = async (sql: string) => (await admin.query(sql)).rowCount;
        await become(admin, MANAGER, 'somebody');
        await keep(admin);
        await become(admin, 'taxclaims_definer', 'somebody');
        equal(await rows('select body from app.idempotency_keys'), 1);
        equal(await rows('delete from app.idempotency_keys'), 0);
        await become(admin, 'taxclaims_definer', 'somebody else');
        equal(await rows('select body from app.idempotency_keys'), 0);
        await admin.query('savepoint tried');
        const forged = `insert into app.idempotency_keys
            (subject, key_digest, request_digest, resource_type, resource_id, body, location)
            values ('another', $1, $1, 'sites', $2, '{}', '/')`;
        await refusedWith('42501', admin.query(forged, [KEY, idOf('a', 'sites')]));
        await admin.query('rollback to savepoint tried');
        await become(admin, 'none', '');
        await admin.query(`update app.idempotency_keys set created_at = now() - interval '25 hours'`);
        await become(admin, 'taxclaims_definer', '');
        equal(await rows('delete from app.idempotency_keys'), 1);
      });
    },
  },
  {
    title:
      'idempotency_keys: after a repeated creation of a client, is_gained is true only if the caller’s stored rights include the client',
    run: async (world) => {
      const client = idOf('a', 'clients');
      const claim = 'select c.is_gained from app.claim_key($1, $2) as c';
      await takenBack(world, async (admin) => {
        const gained = async (actor: string) => {
          await become(admin, MANAGER, actor);
          await admin.query(`select app.keep_answer($1, $2, 'clients', $3, '{}', null, '/api/clients/x')`, [
            KEY,
            REQUEST,
            client,
          ]);
          const { rows } = await admin.query<{ is_gained: boolean }>(claim, [KEY, REQUEST]);
          await become(admin, 'none', '');
          return rows[0]?.is_gained;
        };
        equal(await gained('subject-a'), true);
        equal(await gained('subject-b'), false);
        await admin.query(`insert into app.created_clients (subject, client_id) values ('nobody stored', $1)`, [
          client,
        ]);
        equal(await gained('nobody stored'), true);
      });
    },
  },
];
