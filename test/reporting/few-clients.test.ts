import { beforeEach, describe, expect, test } from '@jest/globals';
import { FIXTURE, idOf } from '../policies/fixture.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createReportingLogin, withRole } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

const FEW = 100;
const A = idOf('a', 'clients');
const B = idOf('b', 'clients');

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
await withAdmin(database.adminUrl, (admin) => admin.query(FIXTURE));
const dba = await forSuite(connected(database.adminUrl));
const tool = await forSuite(connected(login.url));
const { rows } = await dba.query<{ id: string }>(
  `insert into public.clients (id, company_name, contact_email)
       select gen_random_uuid(), 'Company ' || n, 'c' || n || '@example.org' from generate_series(1, $1::integer) as n
       returning id`,
  [FEW],
);
const others = rows.map(({ id }) => id).sort();

describe('the role taxclaims_reporting_few, of reporting logins with at most a hundred clients', () => {
  beforeEach(async () => {
    await dba.query('delete from reporting.grants');
  });

  const grant = (clients: readonly string[]) =>
    dba.query('select reporting.grant_client($1, c) from unnest($2::uuid[]) as c', [login.name, clients]);
  const revoke = (client: string) => dba.query('select reporting.revoke_client($1, $2)', [login.name, client]);
  const hasRole = async (role = 'taxclaims_reporting_few'): Promise<boolean | undefined> =>
    (await dba.query<{ is_in: boolean }>('select pg_has_role($1, $2, $3) as is_in', [login.name, role, 'USAGE']))
      .rows[0]?.is_in;
  /** Reads the reporting login’s clients with a prepared statement, whose plan stays while the login’s roles change. */
  const visibleClients = async (): Promise<string[]> =>
    (await tool.query<{ id: string }>({ name: 'kept', text: 'select id from reporting.clients order by id' })).rows.map(
      ({ id }) => id,
    );

  test('a reporting login with at most a hundred clients has the role taxclaims_reporting_few, and with or without it reads exactly its clients', async () => {
    await grant(others);
    expect(await hasRole()).toBe(true);
    expect(await visibleClients()).toEqual(others);
    await grant([A]);
    expect(await hasRole()).toBe(false);
    expect(await visibleClients()).toEqual([...others, A].sort());
    await revoke(others[0] ?? '');
    expect(await hasRole()).toBe(true);
    expect(await visibleClients()).toEqual([...others.slice(1), A].sort());
  });

  test('a reporting login reads exactly its clients even after a superuser grants or revokes the role taxclaims_reporting_few by hand', async () => {
    await grant([A]);
    await dba.query(`revoke taxclaims_reporting_few from ${login.name} granted by taxclaims_definer`);
    expect(await hasRole()).toBe(false);
    expect(await visibleClients()).toEqual([A]);
    await dba.query('insert into reporting.grants (login, client_id) select $1, unnest($2::uuid[])', [
      login.name,
      others,
    ]);
    expect(await hasRole()).toBe(false);
    await dba.query(`grant taxclaims_reporting_few to ${login.name}`);
    expect(await visibleClients()).toEqual([...others, A].sort());
    await dba.query(`revoke taxclaims_reporting_few from ${login.name}`);
  });

  test('when a reporting login is granted all clients, it loses the role taxclaims_reporting_few, and gets the role back when the grant of all clients is revoked', async () => {
    await grant([A]);
    await dba.query('select reporting.grant_all_clients($1)', [login.name]);
    expect(await hasRole()).toBe(false);
    await grant([B]);
    expect(await hasRole()).toBe(false);
    expect(await visibleClients()).toHaveLength(FEW + 2);
    await dba.query('select reporting.revoke_all_clients($1)', [login.name]);
    expect(await hasRole()).toBe(true);
    expect(await visibleClients()).toEqual([A, B].sort());
  });

  test('a login that gets many clients from a member of taxclaims_owner loses the role taxclaims_reporting_few, although members cannot grant roles', async () => {
    const asOwner = (sql: string) =>
      dba.query(`begin; set local role taxclaims_owner; ${sql}; commit`).finally(() => dba.query('rollback'));
    await asOwner(`select reporting.grant_client('${login.name}', '${A}')`);
    expect(await hasRole()).toBe(true);
    await asOwner(
      `insert into reporting.grants (login, client_id) select '${login.name}', unnest('{${others.join()}}'::uuid[])`,
    );
    expect(await hasRole()).toBe(false);
  });

  test('if a client’s deletion leaves a login with few clients, reporting.set_login_role gives the login the role taxclaims_reporting_few', async () => {
    await grant([...others, A]);
    expect(await hasRole()).toBe(false);
    await dba.query('begin');
    await dba.query('set local role taxclaims_admin');
    await dba.query('delete from public.clients where id = $1', [others[0]]);
    await dba.query('reset role');
    const { rows } = await dba.query('select from reporting.grants');
    expect(rows).toHaveLength(FEW);
    expect(await hasRole()).toBe(false);
    await dba.query('select reporting.set_login_role($1)', [login.name]);
    expect(await hasRole()).toBe(true);
    await dba.query('rollback');
    expect(await hasRole()).toBe(false);
  });

  test('reporting.grant_client does not put a login of the API into the role taxclaims_reporting_few', async () => {
    await withRole(dba, 'login in role taxclaims_api', async (name) => {
      await dba.query('insert into reporting.grants (login, client_id) values ($1, $2)', [name, A]);
      const { rows } = await dba.query(`select pg_has_role($1, 'taxclaims_reporting_few', 'MEMBER') as is_in`, [name]);
      expect(rows).toEqual([{ is_in: false }]);
    });
  });
});
