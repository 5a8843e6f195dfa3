import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { asDatabase, createTestDatabase, type TestDatabase, withAdmin } from '../../support/database.ts';
import { findingsBeside } from '../../support/durability.ts';
import type { Found } from '../../support/durability.ts';
import { blockOf } from '../../support/pages.ts';

interface Acceptance {
  readonly what: string;
  readonly object: string;
  readonly as_it_stood: string;
  readonly reason: string;
  readonly accepted_by: string;
}

const OPEN = 'alter table public.sites no force row level security';
const CLOSED = 'alter table public.sites force row level security';
const ACCEPT = `select * from audit.accept('rls_not_forced', 'public.sites', 'a copy is made')`;
const WITHDRAW = `select * from audit.withdraw('rls_not_forced', 'public.sites')`;

describe('audit.accept and audit.withdraw', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let dba: pg.Client;
  let auditor: pg.Client;
  const names = { dba: '', auditor: '' };

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const password = randomBytes(24).toString('base64url');
    names.dba = `${database.name}_dba`;
    names.auditor = `${database.name}_auditor`;
    await admin.query(
      blockOf('db/README.md', 'create role dba_jane', {
        dba_jane: names.dba,
        '…': password,
        ' taxclaims ': ` ${database.name} `,
      }),
    );
    await admin.query(
      blockOf('db/README.md', 'create role auditor_jane', { auditor_jane: names.auditor, '…': password }),
    );
    const connect = async (name: string): Promise<pg.Client> => {
      const client = new pg.Client({
        connectionString: asDatabase(database.adminUrl, database.name, { name, password }),
      });
      await client.connect();
      return client;
    };
    dba = await connect(names.dba);
    auditor = await connect(names.auditor);
  });

  afterAll(async () => {
    await Promise.all([admin.end(), dba.end(), auditor.end()]);
    await database.close();
    await withAdmin(database.adminUrl.replace(/\/[^/]*$/, '/postgres'), (client) =>
      client.query(`drop role ${names.dba}, ${names.auditor}`),
    );
  });

  const findings = async (client = admin): Promise<readonly Found[]> =>
    findingsBeside(client, (await client.query<Found>('select finding, object from audit.findings')).rows);
  const drift = async (): Promise<readonly { kind: string; object: string }[]> =>
    (await admin.query<{ kind: string; object: string }>('select kind, object from audit.drift order by kind, object'))
      .rows;
  const FOUND = [{ finding: 'rls_not_forced', object: 'public.sites' }];

  /**
   * Runs `work`. Afterwards undoes its changes by the given SQL, and withdraws the acceptance of each problem that
   * `work` has accepted.
   */
  async function afterwards(sql: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      await admin.query('rollback');
      await admin.query(sql);
      await admin.query(
        `select audit.withdraw(a.what, a.object) from (select distinct what, object from audit.accepted) as a`,
      );
    }
  }

  /** Waits until a connection’s SQL statement needs a lock that another session holds. */
  async function untilItWaits(client: pg.Client): Promise<void> {
    const { processID } = client as pg.Client & { readonly processID: number };
    const waits = `select from pg_locks where not granted and pid = ${String(processID)}`;
    while ((await auditor.query(waits)).rowCount === 0);
  }

  test('the audit reports nothing about a DBA’s login that was created as db/README.md says', async () => {
    expect(await findings()).toEqual([]);
    expect(await drift()).toEqual([]);
    const { rows } = await auditor.query('select name::text from audit.logins where is_dba');
    expect(rows).toEqual([{ name: names.dba }]);
  });

  test.each([
    ['may grant taxclaims_owner to others', `grant taxclaims_owner to DBA with admin option`],
    ['is also in taxclaims_auditor', `grant taxclaims_auditor to DBA`],
    [
      'may grant its right to connect to others',
      `do $$ begin execute format('grant connect on database %I to DBA with grant option', current_database()); end $$`,
    ],
    [
      'may make temporary tables',
      `do $$ begin execute format('grant temporary on database %I to DBA', current_database()); end $$`,
    ],
  ])('the view audit.findings reports the rights of a DBA’s login as unsafe if the login %s', async (_what, sql) => {
    await admin.query('begin');
    await admin.query(sql.replace('DBA', names.dba));
    expect(await findings()).not.toEqual([]);
    await admin.query('rollback');
  });

  test('if a DBA accepts a problem that the view audit.findings reports, and gives a reason, the view no longer lists this problem', async () => {
    await admin.query(OPEN);
    await afterwards(CLOSED, async () => {
      expect(await findings(dba)).toEqual(FOUND);
      const { rows } = await dba.query<Acceptance>(ACCEPT);
      expect(rows).toEqual([
        expect.objectContaining({
          what: 'rls_not_forced',
          object: 'public.sites',
          as_it_stood: 'error: row-level security does not hold the owner, taxclaims_owner',
          reason: 'a copy is made',
          accepted_by: names.dba,
          withdrawn_by: null,
        }),
      ]);
      expect(await findings(dba)).toEqual([]);
      const accepted = await auditor.query('select what, accepted_by::text, still_stands from audit.accepted');
      expect(accepted.rows).toEqual([{ what: 'rls_not_forced', accepted_by: names.dba, still_stands: true }]);
    });
  });

  test('if a DBA accepts a manual change of a database object, the view audit.drift lists the object again only after another change', async () => {
    await admin.query(`create function public.by_hand() returns integer language sql set search_path = '' return 1`);
    await afterwards('drop function public.by_hand()', async () => {
      const kinds = (await drift()).filter(({ object }) => object.includes('by_hand'));
      expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['function', 'function body']));
      for (const { kind, object } of kinds) {
        await dba.query('select audit.accept($1, $2, $3)', [kind, object, 'a report of ours']);
      }
      expect(await drift()).toEqual([]);
      await admin.query(
        `create or replace function public.by_hand() returns integer language sql set search_path = '' return 2`,
      );
      expect(await drift()).toEqual([{ kind: 'function body', object: 'public.by_hand()' }]);
      const { rows } = await admin.query('select what from audit.accepted where not still_stands');
      expect(rows).toEqual([{ what: 'function body' }]);
    });
  });

  test('after a DBA accepted a problem, the view audit.findings omits the problem only as long as the database object stays the same', async () => {
    await admin.query('drop index public.sites_client_id_idx');
    await afterwards(
      'create index sites_client_id_idx on public.sites (client_id, created_at desc, id desc)',
      async () => {
        const { rows } = await dba.query(
          `select * from audit.accept('policy_column_without_index', 'public.sites.client_id', 'it is made anew')`,
        );
        expect(rows).toHaveLength(1);
        expect(await findings()).toEqual([]);
        await admin.query('alter policy sites_select_tenant on public.sites rename to sites_select_others');
        expect(await findings()).toEqual([
          { finding: 'policy_column_without_index', object: 'public.sites.client_id' },
        ]);
        await admin.query('alter policy sites_select_others on public.sites rename to sites_select_tenant');
        expect(await findings()).toEqual([]);
      },
    );
  });

  test('after a DBA withdraws the acceptance of a problem, the view audit.findings lists the problem again, and the database keeps who accepted and who withdrew', async () => {
    await admin.query(OPEN);
    await afterwards(CLOSED, async () => {
      await dba.query(ACCEPT);
      const { rows } = await admin.query(WITHDRAW);
      expect(rows).toHaveLength(1);
      expect(await findings()).toEqual(FOUND);
      const { rows: history } = await auditor.query(
        `select accepted_by::text, withdrawn_by::text, withdrawn_at >= accepted_at as later
         from audit.acceptances where what = 'rls_not_forced' order by id desc limit 1`,
      );
      expect(history).toEqual([{ accepted_by: names.dba, withdrawn_by: 'postgres', later: true }]);
      await dba.query(ACCEPT);
      expect(await findings()).toEqual([]);
    });
  });

  test('a DBA can accept all reported problems of a database object by one call, and the view audit.findings still reports a later problem of this object', async () => {
    await admin.query('grant truncate, references on public.sites to taxclaims_admin');
    await afterwards('revoke truncate, references, trigger on public.sites from taxclaims_admin', async () => {
      const { rows } = await dba.query<Acceptance>(
        `select * from audit.accept('privilege_beyond_policies', 'public.sites', 'until the import is done')`,
      );
      expect(rows.map((row) => row.as_it_stood).sort()).toEqual([
        'error: REFERENCES is granted to taxclaims_admin',
        'error: TRUNCATE is granted to taxclaims_admin',
      ]);
      expect(await findings()).toEqual([]);
      await admin.query('grant trigger on public.sites to taxclaims_admin');
      const { rows: told } = await admin.query(`select detail from audit.findings where object = 'public.sites'`);
      expect(told).toEqual([{ detail: 'TRIGGER is granted to taxclaims_admin' }]);
    });
  });

  test('if a DBA accepted that Postgres publishes a table for replication, the view audit.findings reports the publication again once it includes the audit log', async () => {
    await admin.query('create publication widened for table public.sites');
    await afterwards('drop publication widened', async () => {
      await dba.query(`select audit.accept('published_table', 'widened', 'the warehouse reads it')`);
      expect(await findings()).toEqual([]);
      await admin.query('alter publication widened add table public.audit_logs');
      expect(await findings()).toEqual([expect.objectContaining({ finding: 'published_table' })]);
    });
  });

  test('if a DBA accepted a foreign table, the view audit.findings reports it again once it shows another file', async () => {
    await admin.query(`create foreign data wrapper files; create server disk foreign data wrapper files;
      create foreign table public.rates (id integer) server disk options (filename 'a.csv');
      grant select on public.rates to taxclaims_reporting`);
    await afterwards('drop foreign data wrapper files cascade', async () => {
      const reported = async () => (await findings()).filter(({ finding }) => finding === 'outside_within_reach');
      await dba.query(
        `select audit.accept('outside_within_reach', 'foreign table public.rates', 'rates of the state')`,
      );
      expect(await reported()).toEqual([]);
      await admin.query(`alter foreign table public.rates options (set filename 'b.csv')`);
      expect(await reported()).toEqual([{ finding: 'outside_within_reach', object: 'foreign table public.rates' }]);
    });
  });

  test('if a DBA accepted an event trigger, the view audit.findings reports it again once its function does something else or runs with the rights of its owner', async () => {
    const WATCH = 'create or replace function aside.watch() returns event_trigger language plpgsql';
    await admin.query(`create schema aside; ${WATCH} as 'begin end';
      create event trigger watching on ddl_command_end execute function aside.watch()`);
    await afterwards('drop event trigger watching; drop schema aside cascade', async () => {
      for (const next of [
        `${WATCH} as 'begin raise notice ''x''; end'`,
        'alter function aside.watch() security definer',
      ]) {
        await dba.query(`select audit.accept('event_trigger', 'watching', 'tells who changes the schema')`);
        expect(await findings()).toEqual([]);
        await admin.query(next);
        expect(await findings()).toEqual([{ finding: 'event_trigger', object: 'watching' }]);
      }
    });
  });

  test('a problem that a DBA accepted in the view audit.findings stays accepted after a deploy', async () => {
    await admin.query('create publication kept for table public.sites');
    await afterwards('drop publication kept', async () => {
      await dba.query(`select audit.accept('published_table', 'kept', 'the warehouse reads it')`);
      await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
      expect(await findings()).toEqual([]);
      const { rows } = await admin.query('select what, reason, still_stands from audit.accepted');
      expect(rows).toEqual([{ what: 'published_table', reason: 'the warehouse reads it', still_stands: true }]);
    });
  });

  test('if two DBAs call audit.accept for the same problem at the same time, the database stores one acceptance', async () => {
    await admin.query(OPEN);
    await afterwards(CLOSED, async () => {
      await admin.query('begin');
      const first = await admin.query<Acceptance>(ACCEPT);
      const second = dba.query<Acceptance>(ACCEPT);
      await untilItWaits(dba);
      await admin.query('commit');
      expect((await second).rows).toEqual(first.rows);
      const { rows } = await admin.query('select accepted_by::text from audit.accepted');
      expect(rows).toEqual([{ accepted_by: 'postgres' }]);
    });
  });

  test('if a DBA accepts a problem while another DBA withdraws an earlier acceptance of it, the database stores a new acceptance', async () => {
    await admin.query(OPEN);
    await afterwards(CLOSED, async () => {
      await admin.query(ACCEPT);
      await admin.query('begin');
      await admin.query(WITHDRAW);
      const second = dba.query<Acceptance>(ACCEPT);
      await untilItWaits(dba);
      await admin.query('commit');
      expect((await second).rows).toEqual([expect.objectContaining({ accepted_by: names.dba })]);
    });
  });

  test.each([
    [
      'a name that no finding has',
      `select audit.accept('rls_not_force', 'public.sites', 'x')`,
      /no finding or drift of this name and object: rls_not_force, public\.sites/,
      /^Nearest: audit\.accept\('rls_not_forced', 'public\.sites', …\)/,
    ],
    [
      'an object without this finding',
      `select audit.accept('rls_not_forced', 'sites', 'x')`,
      /no finding or drift/,
      /audit\.accept\('rls_not_forced', 'public\.sites', …\)/,
    ],
    [
      'null as the name and the object',
      `select audit.accept(null, null, 'x')`,
      /no finding or drift of this name and object: null, null/,
      /Nearest/,
    ],
    [
      'a blank reason',
      `select audit.accept('rls_not_forced', 'public.sites', E' \\n\\t')`,
      /the reason is missing/,
      undefined,
    ],
    [
      'a reason that is null',
      `select audit.accept('rls_not_forced', 'public.sites', null)`,
      /the reason is missing/,
      undefined,
    ],
    [
      'a withdrawal of a finding that nobody accepted',
      WITHDRAW,
      /no acceptance of this name and object: rls_not_forced, public\.sites/,
      /^There is no acceptance\.$/,
    ],
  ])(
    'the audit’s functions audit.accept and audit.withdraw refuse %s, and say what is wrong',
    async (_what, sql, message, hint) => {
      await admin.query('begin');
      await admin.query(OPEN);
      const refused: unknown = await admin.query(sql).catch((error: unknown) => error);
      await admin.query('rollback');
      expect(refused).toMatchObject({ message: expect.stringMatching(message) });
      if (hint !== undefined) expect(refused).toMatchObject({ hint: expect.stringMatching(hint) });
    },
  );

  test('audit.withdraw refuses a misspelt object name, and names the accepted object with the nearest name', async () => {
    await admin.query('begin');
    await admin.query(`${OPEN}; ${ACCEPT}`);
    await expect(admin.query(`select audit.withdraw('rls_not_forced', 'public.site')`)).rejects.toMatchObject({
      hint: `Nearest: audit.withdraw('rls_not_forced', 'public.sites')`,
    });
    await admin.query('rollback');
  });

  test.each([
    ['accept a finding', ACCEPT],
    ['withdraw an acceptance', WITHDRAW],
    [
      'insert an acceptance',
      `insert into audit.acceptances (what, object, as_it_stood, reason) values ('a', 'b', 'c', 'd')`,
    ],
    ['change an acceptance', `update audit.acceptances set withdrawn_at = now()`],
    ['delete an acceptance', `delete from audit.acceptances`],
  ])('an auditor can read which problems of the database a DBA accepted, and cannot %s', async (_what, sql) => {
    await auditor.query(
      'select id, what, object, as_it_stood, reason, withdrawn_by, withdrawn_at from audit.acceptances',
    );
    await expect(auditor.query(sql)).rejects.toThrow(/permission denied/);
  });

  test('if a DBA accepts a problem under a false name or time, the database stores the real name and the present time', async () => {
    await dba.query('begin');
    const { rows: accepted } = await dba.query(
      `insert into audit.acceptances (what, object, as_it_stood, reason, accepted_by, accepted_at)
       values ('a', 'b', 'c', 'd', 'somebody', '2000-01-01') returning accepted_by::text, accepted_at > '2020-01-01' as now`,
    );
    expect(accepted).toEqual([{ accepted_by: names.dba, now: true }]);
    const { rows } = await dba.query(
      `update audit.acceptances set reason = 'another', withdrawn_at = '2000-01-01', withdrawn_by = 'somebody'
       where what = 'a' returning reason, withdrawn_by::text, withdrawn_at > '2020-01-01' as now`,
    );
    expect(rows).toEqual([{ reason: 'd', withdrawn_by: names.dba, now: true }]);
    await dba.query('rollback');
  });

  test.each([
    { who: 'a DBA', sql: 'update audit.acceptances set withdrawn_at = null, withdrawn_by = null', changed: 0 },
    { who: 'a DBA', sql: 'delete from audit.acceptances', changed: 0 },
    { who: 'a DBA', sql: 'truncate audit.acceptances' },
    { who: 'a superuser', sql: 'update audit.acceptances set withdrawn_at = null, withdrawn_by = null' },
  ])(
    '$who cannot change or delete the record of a withdrawn acceptance, for example by: $sql',
    async ({ who, sql, changed }) => {
      const client = who === 'a DBA' ? dba : admin;
      await admin.query(OPEN);
      await afterwards(CLOSED, async () => {
        await admin.query(ACCEPT);
        await admin.query(WITHDRAW);
        const { rows: before } = await admin.query('table audit.acceptances');
        await client.query('begin');
        const done = client.query(sql);
        if (changed === undefined) await expect(done).rejects.toThrow(/cannot be changed or deleted/);
        else expect((await done).rowCount).toBe(changed);
        await client.query('rollback');
        expect(before.length).toBeGreaterThan(0);
        expect((await admin.query('table audit.acceptances')).rows).toEqual(before);
      });
    },
  );
});
