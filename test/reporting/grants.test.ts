import { beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { FIXTURE, idOf } from '../policies/fixture.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { FORGET_RELEASE } from '../support/release-before.ts';
import { createReportingLogin, withRole } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

const A = idOf('a', 'clients');
const B = idOf('b', 'clients');
const NOBODY = '00000000-0000-4000-8000-000000000000';

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
await withAdmin(database.adminUrl, (admin) => admin.query(FIXTURE));
const dba = await forSuite(connected(database.adminUrl));
const tool = await forSuite(connected(login.url));

describe('granting a client to a reporting login', () => {
  beforeEach(async () => {
    await dba.query('delete from reporting.grants');
  });

  const grant = (client: string, to = login.name) => dba.query('select reporting.grant_client($1, $2)', [to, client]);
  const revoke = (client: string, from = login.name) =>
    dba.query('select reporting.revoke_client($1, $2)', [from, client]);
  const visibleClients = async (): Promise<string[]> =>
    (await tool.query<{ id: string }>('select id from reporting.clients order by id')).rows.map(({ id }) => id);

  test('a connected reporting login reads a client from its first statement after the client’s grant until the revocation', async () => {
    expect(await visibleClients()).toEqual([]);
    await grant(A);
    expect(await visibleClients()).toEqual([A]);
    await grant(B);
    expect(await visibleClients()).toEqual([A, B]);
    await revoke(A);
    expect(await visibleClients()).toEqual([B]);
    await revoke(B);
    expect(await visibleClients()).toEqual([]);
  });

  test('one call of reporting.revoke_client revokes a client that a DBA granted twice', async () => {
    await grant(A);
    await grant(A);
    const { rows } = await dba.query(
      'select login, client_id, granted_by = session_user as by_me, objection from reporting.granted',
    );
    expect(rows).toEqual([{ login: login.name, client_id: A, by_me: true, objection: null }]);
    await revoke(A);
    await revoke(A);
    expect(await visibleClients()).toEqual([]);
  });

  test.each([
    `grant_client('nobody_at_all', '${A}')`,
    `revoke_client('nobody_at_all', '${A}')`,
    `grant_all_clients('nobody_at_all')`,
    `revoke_all_clients('nobody_at_all')`,
  ])('the function reporting.%s fails if the reporting login does not exist', async (call) => {
    await expect(dba.query(`select reporting.${call}`)).rejects.toThrow('login nobody_at_all does not exist');
  });

  test('a DBA cannot grant a reporting login a client that does not exist', async () => {
    await expect(grant(NOBODY)).rejects.toThrow(`there is no client ${NOBODY}`);
  });

  test.each([
    ['that may not log in', 'nologin in role taxclaims_reporting', 'may not log in'],
    ['that is not in taxclaims_reporting', 'login', 'is not in taxclaims_reporting'],
    ['that does not inherit', 'login noinherit in role taxclaims_reporting', 'does not inherit its rights'],
    ['that is a superuser', 'login superuser', 'is a superuser'],
    ['that bypasses row-level security', 'login bypassrls in role taxclaims_reporting', 'past the policies'],
    ['that may create roles', 'login createrole in role taxclaims_reporting', 'past the policies'],
    ['in taxclaims_api', 'login in role taxclaims_reporting, taxclaims_api', 'taxclaims_admin, taxclaims_api'],
    ['in a request role', 'login in role taxclaims_reporting, taxclaims_client', 'can become taxclaims_client'],
    ['in pg_read_all_data', 'login in role taxclaims_reporting, pg_read_all_data', 'become pg_read_all_data'],
    ['in pg_read_server_files', 'login in role taxclaims_reporting, pg_read_server_files', 'pg_read_server_files'],
    ['in taxclaims_auditor', 'login in role taxclaims_reporting, taxclaims_auditor', 'taxclaims_auditor'],
  ])(
    'a DBA can grant neither a client nor all clients to an unsuitable login, such as one %s',
    async (_what, attributes, reason) => {
      await withRole(dba, attributes, async (name) => {
        await expect(grant(A, name)).rejects.toThrow(reason);
        await expect(dba.query('select reporting.grant_all_clients($1)', [name])).rejects.toThrow(reason);
      });
      await withRole(dba, 'login in role taxclaims_reporting', async (name) => {
        await grant(A, name);
      });
    },
  );

  test('the view reporting.granted tells a DBA what is wrong with each login that has clients, and a DBA can revoke a dropped login’s grants', async () => {
    const name = `${database.name}_other`;
    const objections = async () =>
      (await dba.query('select login, objection from reporting.granted')).rows as unknown[];
    await withRole(dba, 'login in role taxclaims_reporting', async () => {
      await grant(A, name);
      await dba.query(`grant taxclaims_admin to ${name}`);
      expect(await objections()).toEqual([{ login: name, objection: 'can become taxclaims_admin' }]);
    });
    expect(await objections()).toEqual([{ login: name, objection: 'does not exist' }]);
    await revoke(A, name);
    expect(await objections()).toEqual([]);
  });

  test('a new login with the name of a dropped reporting login reads no client until a DBA assigns the old grants to it', async () => {
    const name = `${database.name}_other`;
    const attributes = `login password 'other' in role taxclaims_reporting`;
    const address = new URL(login.url);
    address.username = name;
    address.password = 'other';
    const read = () =>
      withAdmin(address.href, (it) => it.query('select id from reporting.clients')).then(
        ({ rows }) => rows as unknown[],
      );
    const granted = async () =>
      (await dba.query('select client_id, objection from reporting.granted order by client_id')).rows as unknown[];
    const another = 'is another login than the one that was granted this';
    await withRole(dba, attributes, async () => {
      await grant(A, name);
      await grant(B, name);
      expect(await read()).toHaveLength(2);
    });
    await withRole(dba, attributes, async () => {
      expect(await read()).toEqual([]);
      expect(await granted()).toEqual([
        { client_id: A, objection: another },
        { client_id: B, objection: another },
      ]);
      await grant(A, name);
      expect(await read()).toEqual([{ id: A }]);
      expect(await granted()).toEqual([
        { client_id: A, objection: null },
        { client_id: B, objection: another },
      ]);
      // After a restore from a backup every role has another oid, so a DBA assigns the grants to the present login.
      const adopt = () => dba.query('select reporting.adopt_grants($1)::integer as adopted', [name]);
      expect((await adopt()).rows).toEqual([{ adopted: 1 }]);
      expect((await adopt()).rows).toEqual([{ adopted: 0 }]);
      expect(await read()).toHaveLength(2);
      const { rows } = await dba.query(
        `select client_context from public.audit_logs where action = 'reporting.adopt_grants ' || $1 and success`,
        [name],
      );
      expect(rows).toEqual([{ client_context: B }]);
    });
    await expect(dba.query('select reporting.adopt_grants($1)', [name])).rejects.toThrow('does not exist');
  });

  test('a DBA’s UPDATE of a row of reporting.grants writes audit records of a grant and of a revocation', async () => {
    await grant(A);
    await dba.query('update reporting.grants set client_id = $2 where login = $1', [login.name, B]);
    const { rows } = await dba.query(
      `select action, client_context from public.audit_logs
       where resource_type = 'reporting.grants' order by created_at desc, action limit 2`,
    );
    expect(rows).toEqual([
      { action: `reporting.grant_client ${login.name}`, client_context: B },
      { action: `reporting.revoke_client ${login.name}`, client_context: A },
    ]);
    await revoke(B);
  });

  test('a renamed reporting login reads no client under its new name, and reads its clients again under its old name', async () => {
    await grant(A);
    const renamed = `${login.name}_renamed`;
    await dba.query(`alter role ${login.name} rename to ${renamed}`);
    try {
      expect(await visibleClients()).toEqual([]);
    } finally {
      await dba.query(`alter role ${renamed} rename to ${login.name}`);
    }
    expect(await visibleClients()).toEqual([A]);
  });

  test('db:migrate assigns a grant that an older release stored by login name to the login that has this name during the deploy', async () => {
    await grant(A);
    await grant(B);
    await dba.query(
      `update reporting.grants set login_oid = null, login = case client_id when $1 then login else 'gone' end`,
      [A],
    );
    await dba.query(FORGET_RELEASE);
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    expect(await visibleClients()).toEqual([A]);
    expect((await dba.query(`select login_oid from reporting.grants where login = 'gone'`)).rows).toEqual([
      { login_oid: 0 },
    ]);
  });

  test('a DBA who follows db/README.md creates a reporting login with its clients and with limits of time, connections and temporary files', async () => {
    const recipe = blockOf('db/README.md', 'create role bi_acme');
    const name = `${database.name}_recipe`;
    const [first = A, second = B] = new Set(recipe.match(/[0-9a-f-]{36}/g));
    const run = (sql: string) => dba.query(sql.replaceAll('bi_acme', name).replaceAll(first, A).replaceAll(second, B));
    await run(recipe);
    try {
      const { rows } = await dba.query<{ limits: string[] }>(
        `select rolconfig || ('connections=' || rolconnlimit) as limits from pg_roles where rolname = $1`,
        [name],
      );
      expect(rows[0]?.limits.sort()).toEqual([
        'connections=5',
        'default_transaction_read_only=on',
        'idle_in_transaction_session_timeout=5min',
        'search_path=reporting',
        'statement_timeout=2min',
        'temp_file_limit=2GB',
      ]);
      const granted = 'select client_id, objection from reporting.granted order by client_id';
      expect((await dba.query(granted)).rows).toEqual([
        { client_id: A, objection: null },
        { client_id: B, objection: null },
      ]);
      await run(blockOf('db/README.md', "select reporting.revoke_client('bi_acme'"));
      expect((await dba.query(granted)).rows).toEqual([{ client_id: A, objection: null }]);
    } finally {
      await dba.query(`drop role ${name}`);
    }
  });

  test('an auditor reads which clients are granted to which login, and cannot grant a client', async () => {
    await grant(A);
    await withRole(dba, 'login in role taxclaims_auditor', async (name) => {
      const as = (statement: string) => dba.query(`begin; set local session authorization ${name}; ${statement}`);
      const results = (await as('select login, objection from reporting.granted')) as unknown as pg.QueryResult[];
      expect(results.at(-1)?.rows).toEqual([{ login: login.name, objection: null }]);
      await dba.query('rollback');
      await expect(as(`select reporting.grant_client('${login.name}', '${B}')`)).rejects.toThrow('permission denied');
      await dba.query('rollback');
    });
  });
});
