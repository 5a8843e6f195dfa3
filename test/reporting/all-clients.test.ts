import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { FIXTURE, idOf } from '../policies/fixture.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createReportingLogin, withRole } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

const A = idOf('a', 'clients');
const B = idOf('b', 'clients');

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
await withAdmin(database.adminUrl, (admin) => admin.query(FIXTURE));
const superuser = await forSuite(connected(database.adminUrl));
const tool = await forSuite(connected(login.url));

describe('the grant of all clients to a reporting login', () => {
  const grant = (to = login.name) => superuser.query('select reporting.grant_all_clients($1)', [to]);
  const revoke = (from = login.name) => superuser.query('select reporting.revoke_all_clients($1)', [from]);
  const visibleClients = async (): Promise<string[]> =>
    (await tool.query<{ id: string }>('select id from reporting.clients order by id')).rows.map(({ id }) => id);
  const recorded = async (): Promise<string[]> =>
    (
      await superuser.query<{ action: string }>(
        `select action from public.audit_logs
         where resource_type = 'reporting.grants' and action like '%all_clients ' || $1 and success and actor = session_user
         order by created_at`,
        [login.name],
      )
    ).rows.map(({ action }) => action.replace(` ${login.name}`, ''));

  test('a reporting login with all clients reads every client, also clients created later, and after the revocation only its granted clients', async () => {
    await superuser.query('select reporting.grant_client($1, $2)', [login.name, A]);
    expect(await visibleClients()).toEqual([A]);
    await grant();
    await grant();
    expect(await visibleClients()).toEqual([A, B]);
    const tomorrow = randomUUID();
    await superuser.query(
      `insert into public.clients (id, company_name, contact_email) values ($1, 'Tomorrow', 't@example.org')`,
      [tomorrow],
    );
    expect(await visibleClients()).toEqual([A, B, tomorrow].sort());
    await superuser.query('delete from public.clients where id = $1', [tomorrow]);
    await revoke();
    await revoke();
    expect(await visibleClients()).toEqual([A]);
    await superuser.query('select reporting.revoke_client($1, $2)', [login.name, A]);
    expect(await visibleClients()).toEqual([]);
    expect(await recorded()).toEqual(['reporting.grant_all_clients', 'reporting.revoke_all_clients']);
  });

  test('Postgres plans the queries of a reporting login that was granted all clients without row-level security policies', async () => {
    const plan = async (): Promise<string> =>
      JSON.stringify((await tool.query('explain (costs off) select * from reporting.documents')).rows);
    expect(await plan()).toMatch(/InitPlan/);
    await grant();
    expect(await plan()).not.toMatch(/InitPlan|Filter|grants/);
    await revoke();
  });

  test('a new login does not get the right to all clients of a dropped reporting login of the same name', async () => {
    await withRole(superuser, 'login in role taxclaims_reporting', (name) => grant(name));
    await withRole(superuser, 'login in role taxclaims_reporting', async (name) => {
      const { rows } = await superuser.query('select has_all_clients from audit.logins where name = $1', [name]);
      expect(rows).toEqual([{ has_all_clients: false }]);
    });
  });

  test('only a member of taxclaims_owner can grant a reporting login all clients, and can also revoke such a grant of a superuser', async () => {
    await withRole(superuser, 'login', async (name) => {
      const as = (statement: string) =>
        superuser.query(`begin; set local session authorization ${name}; ${statement}; commit`);
      const call = (word: string) => `select reporting.${word}_all_clients('${login.name}')`;
      await expect(as(call('grant'))).rejects.toThrow('permission denied');
      await superuser.query('rollback');
      await superuser.query(`grant taxclaims_owner to ${name}`);
      await as(call('grant'));
      expect(await visibleClients()).toEqual([A, B]);
      await revoke();
      expect(await visibleClients()).toEqual([]);
      await grant();
      await as(call('revoke'));
      expect(await visibleClients()).toEqual([]);
      // A member of taxclaims_owner can call reporting.grant_all_clients, but cannot grant the role
      // taxclaims_reporting_all by SQL.
      await expect(as(`grant taxclaims_reporting_all to ${login.name}`)).rejects.toMatchObject({ code: '42501' });
      await superuser.query('rollback');
    });
  });

  test('an auditor reads in audit.who_can_see which reporting login was granted all clients', async () => {
    await grant();
    await withRole(superuser, 'login in role taxclaims_auditor', async (name) => {
      const results = (await superuser.query(
        `begin; set local session authorization ${name};
         select as_role, reason from audit.who_can_see('${B}') where name = '${login.name}'`,
      )) as unknown as pg.QueryResult[];
      await superuser.query('rollback');
      expect(results.at(-1)?.rows).toEqual([
        { as_role: 'taxclaims_reporting_all', reason: 'has all clients: reporting.grant_all_clients' },
      ]);
    });
    await revoke();
  });
});
