import { afterEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { openHome, type Home, type HomeName } from '../../homes/homes.ts';
import { connected } from '../../support/database.ts';
import { rowOf } from '../../support/rows.ts';
import { forSuite } from '../../support/suite.ts';
import { newTenant } from '../../support/tenant.ts';
import { audit } from '../command.ts';

/*
 * Tests what the audit says on a bought Postgres, where only the provider is a superuser. Each home is a server of its
 * own, because roles belong to a whole server.
 */

interface Finding {
  readonly who: string;
  readonly finding: string;
  readonly object: string;
  readonly remedy: string;
}

interface DeployedHome {
  readonly home: Home;
  readonly admin: pg.Client;
  readonly provider: pg.Client;
  readonly close: () => Promise<void>;
}

const log = pino({ level: 'silent' });

async function deployTo(name: HomeName): Promise<DeployedHome> {
  const home = await openHome(name);
  await migrate({ adminUrl: home.adminUrl, log });
  const admin = await connected(home.adminUrl, '-c jit=off');
  const provider = await connected(home.providerUrl, '-c jit=off');
  return {
    ...{ home, admin, provider },
    close: async () => {
      await admin.end();
      await provider.end();
      await home.close();
    },
  };
}

const cloudsql = await forSuite(deployTo('cloudsql'));
const supabase = await forSuite(deployTo('supabase'));
const ovh = await forSuite(deployTo('ovh'));

async function findings(client: pg.Client): Promise<readonly Finding[]> {
  return (await client.query<Finding>('select who, finding, object, remedy from audit.findings')).rows;
}

async function ofDba(client: pg.Client): Promise<readonly Finding[]> {
  return (await findings(client)).filter(({ who }) => who === 'dba');
}

async function drift(client: pg.Client): Promise<readonly unknown[]> {
  return (await client.query<object>('select change, kind, object from audit.drift order by kind, object')).rows;
}

/** Runs SQL and a test of its effects in one transaction of the client, and rolls it back. */
async function within<T>(client: pg.Client, sql: string, work: () => Promise<T>): Promise<T> {
  try {
    await client.query(`begin; ${sql}`);
    return await work();
  } finally {
    await client.query('rollback');
  }
}

describe.each([
  ['Cloud SQL', cloudsql],
  ['Supabase', supabase],
  ['OVH', ovh],
])('on %s', (_name, { home, admin, provider }) => {
  test('after a first deploy db:audit lists only findings that the provider alone can mend, without SQL, and exits with 0', async () => {
    const found = await findings(admin);
    expect(found.length).toBeGreaterThan(1);
    expect(found.filter(({ who, remedy }) => who !== 'provider' || remedy.includes(';'))).toEqual([]);
    expect(await drift(admin)).toEqual([]);
    const { code, out } = await audit(home.adminUrl);
    expect({ code, heading: /^Findings that only the provider of the server can mend \(\d+\)/m.test(out) }).toEqual({
      ...{ code: 0, heading: true },
    });
    expect(out).toContain('No finding.');
  });

  test('the view audit.findings lists the functions that only a superuser can close as one finding', async () => {
    const open = (await findings(admin)).filter(({ finding }) => finding === 'server_function_open');
    expect(open).toEqual([expect.objectContaining({ who: 'provider', object: 'functions of pg_catalog' })]);
  });

  test('an auditor reads the same findings as the administrator', async () => {
    const login = await home.createLogin('auditor_jane', 'in role taxclaims_auditor');
    const auditor = await connected(login.url, '-c jit=off');
    try {
      expect(await findings(auditor)).toEqual(await findings(admin));
    } finally {
      await auditor.end();
      await admin.query('drop role auditor_jane');
    }
  });

  test('a superuser reads every finding as one that the DBA can mend', async () => {
    const found = await findings(provider);
    expect(found.length).toBeGreaterThan(1);
    expect(found.filter(({ who }) => who !== 'dba')).toEqual([]);
    expect(found.filter(({ finding }) => finding === 'server_function_open')).toHaveLength(3);
    const { code, out } = await audit(home.providerUrl);
    expect(code).toBe(1);
    // The files declare that PUBLIC has no right to this function, so the right was added.
    expect(out).toMatch(/^ {2}added grant: function pg_advisory_lock\(bigint\) to PUBLIC\n {4}\+ EXECUTE$/m);
  });

  test('db:audit exits with 1 if a table does not force row-level security, and offers the administrator the SQL', async () => {
    await admin.query('set role taxclaims_owner; alter table public.sites no force row level security; reset role');
    try {
      expect(await ofDba(admin)).toEqual([
        expect.objectContaining({ finding: 'rls_not_forced', remedy: expect.stringMatching(/;$/) }),
      ]);
      expect((await audit(home.adminUrl)).code).toBe(1);
    } finally {
      await admin.query('set role taxclaims_owner; alter table public.sites force row level security; reset role');
    }
  });

  test('a finding about a login that the administrator created after the first deploy is the administrator’s to mend, and its SQL runs', async () => {
    await within(admin, `create role helper login in role pg_monitor, taxclaims_reporting`, async () => {
      const [finding, ...more] = await ofDba(admin);
      expect([finding?.object, finding?.finding, more]).toEqual(['helper', 'login_reaches_privilege', []]);
      await admin.query(finding?.remedy ?? '');
      expect(await ofDba(admin)).toEqual([]);
    });
  });

  test('the administrator accepts all findings that only the provider can mend by one call, and reads them again once there is another one', async () => {
    const before = await findings(admin);
    await within(admin, '', async () => {
      const { rows } = await admin.query<{ said: string }>(`select audit.accept_home('we bought it') as said`);
      expect(rows[0]?.said.split('\n')).toHaveLength(before.length);
      expect(rows[0]?.said).toContain('server_function_open functions of pg_catalog: everybody may run');
      expect(await findings(admin)).toEqual([]);
      const again = await admin.query<{ said: string }>(`select audit.accept_home('a second time') as said`);
      expect(again.rows).toEqual(rows);
      const { rows: kept } = await admin.query('select what, reason, still_stands from audit.accepted');
      expect(kept).toEqual([{ what: 'home', reason: 'we bought it', still_stands: true }]);
      await admin.query(`select audit.withdraw('home', 'what only the provider can mend')`);
      expect(await findings(admin)).toEqual(before);
    });
    await admin.query(`select audit.accept_home('we bought it')`);
    await provider.query('create role provider_job login replication');
    const changed = await findings(admin);
    await provider.query('drop role provider_job');
    const restored = await findings(admin);
    await admin.query(`select audit.withdraw('home', 'what only the provider can mend')`);
    expect(changed).toHaveLength(before.length + 1);
    expect(restored).toEqual([]);
  });

  test.each([['null'], [`''`], [`E' \\n\\t'`]])('audit.accept_home refuses the reason %s', async (reason) => {
    await expect(admin.query(`select audit.accept_home(${reason})`)).rejects.toThrow('the reason is missing');
  });

  test('audit.accept_home refuses a superuser, for whom no finding is the provider’s', async () => {
    await expect(provider.query(`select audit.accept_home('x')`)).rejects.toThrow(/provider's alone to mend/);
  });
});

test('an auditor cannot run audit.accept_home', async () => {
  const login = await cloudsql.home.createLogin('auditor_joe', 'in role taxclaims_auditor');
  const auditor = await connected(login.url);
  try {
    await expect(auditor.query(`select audit.accept_home('x')`)).rejects.toThrow(/permission denied/);
  } finally {
    await auditor.end();
    await cloudsql.admin.query('drop role auditor_joe');
  }
});

describe('surroundings', () => {
  const { admin, provider } = supabase;

  test.each([
    ['a publication', 'create publication since', { change: 'added', kind: 'publication', object: 'since' }],
    [
      'default privileges',
      'alter default privileges in schema extensions grant select on tables to anon; alter default privileges for role anon grant select on tables to authenticated',
      { change: 'added', kind: 'default privileges', object: 'r of anon in every schema' },
    ],
  ])('the view audit.drift lists %s that was added after the first deploy', async (_what, sql, expected) => {
    expect(await drift(admin)).toEqual([]);
    await within(admin, sql, async () => {
      expect(await drift(admin)).toEqual([expected]);
    });
  });

  test('the views audit.drift and audit.findings list an event trigger that was added after the first deploy', async () => {
    const sql = 'create event trigger since on sql_drop execute function extensions.grant_pg_cron_access()';
    await provider.query(sql);
    const [seen, found] = [await drift(admin), await findings(admin)];
    await provider.query('drop event trigger since');
    expect(seen).toEqual([{ change: 'added', kind: 'event trigger', object: 'since' }]);
    expect(found).toContainEqual(expect.objectContaining({ finding: 'event_trigger', object: 'since' }));
  });

  test('a new membership of a role from before the first deploy is a finding for the DBA, without SQL against that role', async () => {
    await within(admin, 'grant pg_monitor to pgbouncer', async () => {
      expect(await ofDba(admin)).toEqual([
        {
          ...{ who: 'dba', finding: 'login_reaches_privilege', object: 'pgbouncer' },
          remedy: expect.stringMatching(/^[^;]*\(pgbouncer was there before the first deploy\)$/),
        },
      ]);
    });
  });

  test('a new right of a role from before the first deploy is a finding for the DBA', async () => {
    const sql = 'set local role taxclaims_owner; grant select (site_name) on public.sites to pgbouncer; reset role';
    await within(admin, sql, async () => {
      expect(await ofDba(admin)).toEqual([
        {
          ...{ who: 'dba', finding: 'rights_outside_house', object: 'pgbouncer' },
          remedy: expect.not.stringContaining(';'),
        },
      ]);
    });
  });

  test('only the first deploy records the provider’s roles, and without that record every finding about a role is for the DBA', async () => {
    const kept = `delete from audit.applied where kind like 'earlier %' returning kind, object, definition`;
    const { rows } = await provider.query(kept);
    try {
      await migrate({ adminUrl: supabase.home.adminUrl, log });
      const { rows: recorded } = await provider.query(`select from audit.applied where kind like 'earlier %'`);
      expect(recorded).toEqual([]);
      const found = await ofDba(admin);
      expect(found).toContainEqual(expect.objectContaining({ finding: 'rights_outside_house', object: 'pgbouncer' }));
      expect(found.filter(({ remedy }) => remedy.includes(';'))).toEqual([]);
    } finally {
      await provider.query(
        `insert into audit.applied (kind, object, definition)
         select kind, object, definition from jsonb_to_recordset($1) as f (kind text, object text, definition text)`,
        [JSON.stringify(rows)],
      );
    }
    expect(await ofDba(admin)).toEqual([]);
  });
});

describe('a role with which the provider marks logins', () => {
  const { admin, provider, home } = cloudsql;
  const tenant = newTenant();

  afterEach(async () => {
    await provider.query(`drop owned by iam; drop role iam, cloudsqliamtest`).catch(() => undefined);
  });

  /** Creates a login with the given rights that the provider marks, and returns its address. */
  async function markedLogin(rights: string, attributes = ''): Promise<string> {
    await provider.query(`create role cloudsqliamtest ${attributes}`);
    const { url } = await home.createLogin('iam', rights);
    await provider.query('grant cloudsqliamtest to iam');
    return url;
  }

  test('an API login serves although the provider marked it with a role', async () => {
    const login = await connected(await markedLogin('in role taxclaims_api'));
    const { rows } = await login.query(`select app.objections('{}') as said`);
    await login.end();
    expect(rows).toEqual([]);
    expect(await ofDba(admin)).toEqual([]);
  });

  test.each([
    ['a power', 'createrole', ''],
    ['a right', '', 'grant usage on schema reporting to cloudsqliamtest'],
    ['a role of its own', '', 'grant pg_monitor to cloudsqliamtest'],
    ['a login of its own', 'login', ''],
  ])('the API login is refused if the provider marked it with a role that has %s', async (_what, attributes, sql) => {
    await markedLogin('in role taxclaims_api', attributes);
    await provider.query(sql);
    const { rows } = await provider.query(`select app.list_login_refusal_reasons('iam') as said`);
    expect(rows).toContainEqual({ said: 'the login iam is a member of cloudsqliamtest' });
    const marks = await provider.query(`select app.is_mark('cloudsqliamtest'::regrole) as is_mark`);
    expect(marks.rows).toEqual([{ is_mark: false }]);
    await provider.query('drop owned by cloudsqliamtest');
  });

  test('a BI login gets a client although the provider marked the login with a role', async () => {
    await markedLogin('in role taxclaims_reporting');
    await within(provider, rowOf('clients', tenant), async () => {
      await provider.query(`select reporting.grant_client('iam', '${tenant.clients}')`);
      const { rows } = await provider.query('select login, objection from reporting.granted');
      expect(rows).toEqual([{ login: 'iam', objection: null }]);
    });
  });
});
