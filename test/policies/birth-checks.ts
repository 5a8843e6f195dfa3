import { deepEqual, equal, notDeepEqual } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { outcomeOf } from './session.ts';
import type { World } from './world.ts';

type Admin = World['admin'];

/** SQL that lists all database roles of the service except taxclaims_owner, which owns the tables. */
const HOUSE = `select name from audit.house_roles where name <> 'taxclaims_owner'`;

/**
 * These roles try to read and write a column that was just added to a table. There is one role of each kind: a role of
 * the API, a request role, a reporting role and an auditor.
 */
const TRIED = ['api', 'admin', 'client', 'reporting', 'auditor'];

async function column(admin: Admin, sql: string): Promise<string[]> {
  return (await admin.query<{ found: string }>(sql)).rows.map(({ found }) => found);
}

/** Adds a column to every table of the service, runs `look`, and rolls the new columns back. */
async function withAddedColumns({ admin }: World, look: (tables: string[]) => Promise<void>): Promise<void> {
  await admin.query('begin');
  try {
    const tables = await column(admin, 'select name as found from audit.house_tables order by 1');
    notDeepEqual(tables, []);
    await admin.query(tables.map((table) => `alter table ${table} add column added text`).join(';'));
    await look(tables);
  } finally {
    await admin.query('rollback');
  }
}

/**
 * Returns which roles have a right to the added columns, each as `table role privilege`. A role can have the right by a
 * grant on the column, on the table, or to PUBLIC.
 */
const holders = (admin: Admin, roles: string): Promise<string[]> =>
  column(
    admin,
    `select concat_ws(' ', a.attrelid::regclass, r.rolname, p.privilege) as found
     from pg_attribute as a
     join pg_class as c on c.oid = a.attrelid and c.relkind in ('r', 'p')
     cross join (select * from pg_roles where rolname ${roles}) as r
     cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('REFERENCES')) as p (privilege)
     where a.attname = 'added' and c.relnamespace::regnamespace::text in ('public', 'app', 'reporting', 'audit')
         and has_column_privilege(r.oid, a.attrelid, a.attnum, p.privilege)
     order by 1`,
  );

async function tried(admin: Admin, role: string, sql: string): Promise<string> {
  await admin.query('savepoint tried');
  try {
    await admin.query(`set local role taxclaims_${role}`);
    await admin.query(sql);
    return 'done';
  } catch (error) {
    return outcomeOf(error);
  } finally {
    await admin.query('rollback to savepoint tried');
  }
}

export const birthChecks: readonly Check[] = [
  {
    title: 'no role but the owner has a right to a column that is added to a table, and no view shows the column',
    run: async (world) => {
      const { admin } = world;
      await withAddedColumns(world, async (tables) => {
        deepEqual(await holders(admin, `in (${HOUSE})`), []);
        equal((await holders(admin, `= 'taxclaims_owner'`)).length, 4 * tables.length);
        deepEqual(
          await column(
            admin,
            `select attrelid::regclass::text as found from pg_attribute
             where attname = 'added' and attrelid in (select oid from pg_class where relkind in ('v', 'm'))`,
          ),
          [],
        );
      });
    },
  },
  {
    title: 'a caller with rights to a table cannot read or write a column that was just added to the table',
    run: async (world) => {
      const { admin } = world;
      await withAddedColumns(world, async (tables) => {
        for (const table of tables) {
          for (const role of TRIED) {
            for (const sql of [
              `select added from ${table}`,
              `select whole from ${table} as whole`,
              `insert into ${table} (added) values ('x')`,
              `update ${table} set added = 'x'`,
            ]) {
              equal(await tried(admin, role, sql), 'denied', `${role}: ${sql}`);
            }
          }
        }
        // The test now grants a whole table to taxclaims_client, which can then read the added column. Postgres thus
        // refused the column before only because the grant was missing.
        await admin.query('grant select on public.sites to taxclaims_client');
        equal(await tried(admin, 'client', 'select added from public.sites'), 'done');
        notDeepEqual(await holders(admin, `in (${HOUSE})`), []);
      });
    },
  },
];
