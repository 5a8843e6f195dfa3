import { deepEqual, equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { type Command, idOf, statementFor, UNLINKED_PARTNER } from './fixture.ts';
import { RIGHTS, type Table, TABLES } from './rights.ts';
import type { World } from './world.ts';

const CLIENT = idOf('a', 'clients');
const OTHER = idOf('b', 'clients');
const USER = idOf('a', 'users');

/**
 * Runs SQL of a DBA and rolls it back. Returns the audit records that the SQL has caused, each as `table resource
 * client`.
 */
async function recordsOf({ admin }: World, ...statements: readonly string[]): Promise<string[]> {
  await admin.query(`begin; select set_config('app.actor', 'record checks', true)`);
  try {
    for (const statement of statements) await admin.query(statement);
    const { rows } = await admin.query<{ record: string }>(
      `select concat_ws(' ', resource_type, resource_id, coalesce(client_context::text, 'nobody''s')) as record
       from public.audit_logs
       where actor = 'record checks' and success
       order by created_at`,
    );
    return rows.map(({ record }) => record);
  } finally {
    await admin.query('rollback');
  }
}

/** Returns the ids of the rows that a statement of the function statementFor writes. */
function resourcesOf(table: Table, command: Command): readonly string[] {
  if (command === 'c') return [table === 'client_partners' ? UNLINKED_PARTNER : idOf('a', 'new')];
  if (table === 'client_partners') return [idOf('a', 'partners'), idOf('a', 'free_partner')];
  return [table === 'partners' ? idOf('a', 'free_partner') : idOf('a', table)];
}

function clientOf(table: Table, command: Command): string {
  if (table === 'partners') return `nobody's`;
  // The audit record of a new user names the user’s client. The audit record of a changed name names no client.
  if (table === 'users') return command === 'c' ? CLIENT : `nobody's`;
  return table === 'clients' && command === 'c' ? idOf('a', 'new') : CLIENT;
}

const list = (...clients: readonly string[]): string =>
  `update public.users set client_access = '{${clients.join(',')}}' where id = '${USER}'`;

const setting = async ({ admin }: World, name: string, value: string): Promise<unknown> => {
  const { rows } = await admin.query<{ read: unknown }>(
    `with s as materialized (select set_config('app.' || $1, $2, true) as value)
     select case $1 when 'user_id' then app.user_id()::text else app.client_access()::text end as read from s`,
    [name, value],
  );
  return rows[0]?.read;
};

export const recordChecks: readonly Check[] = [
  ...TABLES.flatMap((table) =>
    (['c', 'u', 'd'] as const)
      .filter((command) => RIGHTS[table].admin.includes(command))
      .map(
        (command): Check => ({
          title: `${{ c: 'an insert into', u: 'an update of', d: 'a deletion from' }[command]} ${table} writes one audit record with the client for each row`,
          run: async (world) => {
            deepEqual(
              (await recordsOf(world, statementFor(table, command, 'a'))).sort(),
              resourcesOf(table, command)
                .map((resource) => `${table} ${resource} ${clientOf(table, command)}`)
                .sort(),
            );
          },
        }),
      ),
  ),
  {
    title:
      'the audit record of a change of a user’s client list names the client only if the change adds or removes exactly one client',
    run: async (world) => {
      const records = await recordsOf(
        world,
        ...[list(CLIENT, OTHER), list(OTHER), list(CLIENT), list(CLIENT), list(), list(CLIENT, OTHER)],
      );
      // The fourth change gives the list that the user has, and leaves no record.
      const clients = [OTHER, CLIENT, `nobody's`, CLIENT, `nobody's`];
      deepEqual(
        records,
        clients.map((client) => `users ${USER} ${client}`),
      );
    },
  },
  {
    title:
      'the database accepts a user or client in a setting only if its text is a UUID in a form that Postgres accepts',
    run: async (world) => {
      const forms = [CLIENT, CLIENT.toUpperCase(), CLIENT.replaceAll('-', '')];
      for (const form of forms) {
        equal(await setting(world, 'user_id', form), CLIENT, form);
        equal(await setting(world, 'client_access', `{${form}}`), `{${CLIENT}}`, form);
      }
      const malformed = [CLIENT.replace('a', 'g'), CLIENT.replace('a', '"'), CLIENT.replace('a', '-'), `${CLIENT}0`];
      for (const form of malformed) {
        equal(await setting(world, 'user_id', form), null, form);
        equal(await setting(world, 'client_access', `{${form}}`), '{}', form);
      }
    },
  },
];
