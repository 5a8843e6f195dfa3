import { deepEqual, equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf } from './fixture.ts';
import { BELOW, REQUEST_ROLES, TABLES } from './rights.ts';
import { attempt } from './session.ts';
import type { World } from './world.ts';

const HOUSE = ['owner', 'definer', 'api', ...REQUEST_ROLES, 'reporting', 'reporting_all', 'reporting_few', 'auditor'];

const column = async (world: World, sql: string, values: unknown[] = []): Promise<string[]> =>
  (await world.admin.query<{ found: string }>(sql, values)).rows.map((row) => row.found);

/** Tests all roles and tables that are in Postgres’s catalogs. The superuser reads the catalogs. */
export const privilegeChecks: readonly Check[] = [
  {
    title: 'every table of every schema has row-level security enabled and forced',
    run: async (world) => {
      const open = await column(
        world,
        `select c.oid::regclass::text as found from pg_class as c
         where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ('public', 'app', 'reporting', 'audit')
             and not (c.relrowsecurity and c.relforcerowsecurity)`,
      );
      deepEqual(open, []);
    },
  },
  {
    title: 'a role other than the owner cannot truncate or maintain a table, reference it or create a trigger on it',
    run: async (world) => {
      const holders = await column(
        world,
        `select c.oid::regclass || ' ' || x.privilege_type || ' ' || x.grantee::regrole as found
         from pg_class as c cross join lateral aclexplode(c.relacl) as x
         where c.relnamespace::regnamespace::text in ('public', 'app', 'reporting', 'audit')
             and x.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN') and x.grantee <> c.relowner`,
      );
      deepEqual(holders, []);
    },
  },
  {
    title: 'the API’s login cannot read a table, and no role of the service may log in',
    run: async (world) => {
      for (const table of TABLES) {
        equal(await attempt(world.api, { sql: `select 1 from public.${table}` }), 'denied', table);
      }
      deepEqual(
        await column(
          world,
          `select rolname::text as found from pg_roles
           where rolname like 'taxclaims\\_%' and rolname = any ($1) and (rolcanlogin or rolsuper or rolbypassrls)`,
          [HOUSE.map((role) => `taxclaims_${role}`)],
        ),
        [],
      );
    },
  },
  {
    title: 'the owner of the tables reads no row of a table, although rows exist',
    run: async (world) => {
      for (const table of TABLES) {
        const sql = `select 1 from public.${table}`;
        equal(await attempt(world.admin, { role: 'owner', sql }), 'nothing', table);
        equal(await attempt(world.admin, { sql }), 'done', `${table} must have rows`);
      }
    },
  },
  {
    title: 'only the owner of the tables reads and updates the list of migrations',
    run: async (world) => {
      equal(await attempt(world.admin, { role: 'owner', sql: 'update app.migrations set run_on = run_on' }), 'done');
      for (const role of REQUEST_ROLES) {
        equal(await attempt(world.api, { role, sql: 'select 1 from app.migrations' }), 'denied', role);
      }
    },
  },
  {
    title: 'a superuser and every role are refused to change, delete or truncate an audit record',
    run: async (world) => {
      const record = `where id = '${idOf('a', 'audit_logs')}'`;
      equal(await attempt(world.admin, { sql: `select 1 from public.audit_logs ${record}` }), 'done');
      equal(await attempt(world.admin, { sql: `update public.audit_logs set action = 'x' ${record}` }), 'denied');
      equal(await attempt(world.admin, { sql: `delete from public.audit_logs ${record}` }), 'denied');
      equal(await attempt(world.admin, { sql: 'truncate public.audit_logs' }), 'denied');
    },
  },
  {
    title: 'a request role can become only request roles with fewer rights, and cannot create a table or schema',
    run: async (world) => {
      for (const role of REQUEST_ROLES) {
        deepEqual(
          await column(
            world,
            `select r.rolname::text as found from pg_roles as r
             where r.rolname <> $1 and pg_has_role($1, r.oid, 'MEMBER')
             order by 1`,
            [`taxclaims_${role}`],
          ),
          BELOW[role].map((below) => `taxclaims_${below}`),
          role,
        );
        equal(await attempt(world.api, { role, sql: 'create table public.own (id integer)' }), 'denied', role);
        equal(await attempt(world.api, { role, sql: 'create schema own' }), 'denied', role);
      }
    },
  },
];
