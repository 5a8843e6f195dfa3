import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { createServiceProcess } from '../faults/service-process.ts';
import { withAdmin } from '../support/database.ts';
import { ask } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { rowOf } from '../support/rows.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { createTestLogger } from '../support/test-logger.ts';
import { until } from '../support/upload.ts';
import { accepting } from '../support/world.ts';
import { HOME_NAMES, openHome, type Home } from './homes.ts';

/* These tests deploy to each kind of bought Postgres, as its administrator, who is no superuser. */

const NOTHING_APPLIED = 'the database already matches this release: nothing was applied';
const OPEN_FUNCTIONS =
  /a revoke did not take: \d+ functions of Postgres stay open to PUBLIC, which only a superuser can close/;

/** Deploys, and returns what the deploy logs. */
async function deploy(adminUrl: string, options: { acceptedHome?: string; strict?: boolean } = {}): Promise<string> {
  const { log, loggedText } = createTestLogger();
  await migrate({ adminUrl, log, ...options });
  return loggedText();
}

async function valueOf(url: string, sql: string): Promise<unknown> {
  return withAdmin(
    url,
    async (client) => Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0],
  );
}

describe.each(HOME_NAMES)('a deploy to the home %s', (name) => {
  const [own, foreign] = [newTenant(), newTenant()];
  let home: Home;
  let first: string;

  beforeAll(async () => {
    home = await openHome(name);
    first = await deploy(home.adminUrl, { strict: true, acceptedHome: 'bought from this provider' });
    await withAdmin(home.providerUrl, (provider) =>
      provider.query(tenantSql(own, 'Own') + tenantSql(foreign, 'Foreign') + rowOf('users', own)),
    );
  });

  afterAll(() => home.close());

  test('after the first deploy with --strict --accept-home, the audit has neither a finding that a DBA could mend nor drift', async () => {
    const findings = `select coalesce(array_agg(finding || ' ' || object), '{}') from audit.findings where level = 'error'`;
    expect(await valueOf(home.adminUrl, findings)).toEqual([]);
    const drift = `select coalesce(array_agg(kind || ' ' || object), '{}') from audit.drift`;
    expect(await valueOf(home.adminUrl, drift)).toEqual([]);
    const accepted = `select array_agg(what || ': ' || reason) from audit.acceptances where withdrawn_at is null`;
    expect(await valueOf(home.adminUrl, accepted)).toEqual(['home: bought from this provider']);
  });

  test('a deploy says which functions of Postgres it could not close', () => {
    expect(first).toMatch(OPEN_FUNCTIONS);
  });

  test('a deploy names the grantor of a right of PUBLIC that the deploy could not revoke, and names no other', () => {
    const stays = /PUBLIC keeps CONNECT on the database defaultdb, which ovh_services granted/;
    if (name === 'ovh') expect(first).toMatch(stays);
    else expect(first).not.toContain('PUBLIC keeps');
  });

  test('the login that deploys reads no password hash without SET ROLE', async () => {
    await withAdmin(home.adminUrl, async (admin) => {
      const { rowCount } = await admin.query('select password_hash from public.users');
      // Neon, Supabase and OVH give their administrator BYPASSRLS.
      expect(rowCount).toBe(home.canDump === true ? 1 : 0);
      const { rows } = await admin.query(
        `select r.rolname as role, pg_has_role(r.oid, 'USAGE') as inherits, pg_has_role(r.oid, 'SET') as becomes
         from pg_roles as r where r.rolname in ('taxclaims_definer', 'taxclaims_housekeeper') order by 1`,
      );
      expect(rows).toEqual(
        ['taxclaims_definer', 'taxclaims_housekeeper'].map((role) => ({ role, inherits: false, becomes: true })),
      );
    });
  });

  test('the service starts on the hosted database, is healthy, and shows a user of one client no claim of another client', async () => {
    const login = await home.createLogin('api_production', 'in role taxclaims_api');
    if (home.mark !== undefined) await valueOf(home.providerUrl, `grant ${home.mark} to api_production`);
    const identity = await startTestIdentity();
    const folder = await createScratchFolder();
    const service = await createServiceProcess(folder, { DATABASE_URL: login.url, ...accepting(identity) });
    try {
      await service.start();
      // While the machine is busy, Postgres may take longer than a health check waits.
      await until(async () => (await ask(service.port, 'GET /health')).status === 200);
      const token = await identity.token({ sub: 'idp|own', role: 'CLIENT', client_access: [own.clients] });
      const { status, json } = await ask(service.port, 'GET /api/reclamations', { token });
      expect([status, (json as { id: string }[]).map(({ id }) => id)]).toEqual([200, [own.reclamations]]);
      const refused = await ask(service.port, `GET /api/reclamations/${foreign.reclamations}`, { token });
      expect(refused.status).toBe(403);
      expect(await valueOf(home.providerUrl, 'select count(*)::integer from public.reclamations')).toBe(2);
    } finally {
      service.signal('SIGTERM');
      await service.ended();
      await identity.stop();
      await rm(folder, { recursive: true });
    }
  });

  test('the administrator grants a client to a BI login, which then reads the rows of this client alone', async () => {
    const bi = await home.createLogin('bi_own', 'in role taxclaims_reporting');
    const read = `select coalesce(array_agg(id), '{}') from reporting.clients`;
    expect(await valueOf(bi.url, read)).toEqual([]);
    await withAdmin(home.adminUrl, (admin) =>
      admin.query('select reporting.grant_client($1, $2)', ['bi_own', own.clients]),
    );
    expect(await valueOf(bi.url, read)).toEqual([own.clients]);
    expect(await valueOf(home.adminUrl, 'select objection from reporting.granted')).toBeNull();
  });

  test('a second deploy applies nothing, also with --strict', async () => {
    expect(await deploy(home.adminUrl)).toContain(NOTHING_APPLIED);
    expect(await deploy(home.adminUrl, { strict: true })).toContain(NOTHING_APPLIED);
  });

  test('a deploy with --strict --accept-home changes nothing while the database has a table that no deploy removes', async () => {
    const limit = `select rolconnlimit from pg_roles where rolname = 'taxclaims_client'`;
    await withAdmin(home.adminUrl, (admin) =>
      admin.query(
        'alter role taxclaims_client connection limit 3; set role taxclaims_owner; create table public.by_hand ()',
      ),
    );
    await expect(deploy(home.adminUrl, { strict: true, acceptedHome: 'bought again' })).rejects.toThrow(
      /^a deploy does not undo this drift: .*added table public\.by_hand/,
    );
    expect(await valueOf(home.adminUrl, limit)).toBe(3);
    await withAdmin(home.adminUrl, (admin) => admin.query('set role taxclaims_owner; drop table public.by_hand'));
    await deploy(home.adminUrl, { strict: true, acceptedHome: 'bought again' });
    expect(await valueOf(home.adminUrl, limit)).toBe(-1);
  });

  test('a deploy undoes a policy that was added after a deploy with --accept-home', async () => {
    await withAdmin(home.adminUrl, (admin) =>
      admin.query('set role taxclaims_owner; create policy by_hand on public.sites using (true)'),
    );
    expect(await deploy(home.adminUrl, { strict: true })).toContain('undone: added policy by_hand on public.sites');
    expect(await deploy(home.adminUrl)).toContain(NOTHING_APPLIED);
  });

  test('an upgrade from a release that knows no rights left to the provider does not say that it undid these rights', async () => {
    await withAdmin(home.adminUrl, (admin) =>
      admin.query(
        `set role taxclaims_owner;
         create or replace function audit.rights_left_open() returns table (object text) language sql
             stable set search_path = '' begin atomic select null::text where false; end`,
      ),
    );
    const said = await deploy(home.adminUrl);
    expect(said).toMatch(/no longer drift: \w+ grant function pg_\S+ to PUBLIC/);
    expect(said).not.toMatch(/undone: \w+ grant/);
  });

  test('a deploy takes the inherited rights of the definer from a login to which an earlier release gave them', async () => {
    const inherits = `select pg_has_role('taxclaims_definer', 'USAGE')`;
    await valueOf(home.adminUrl, 'grant taxclaims_definer to current_user with inherit true');
    expect(await valueOf(home.adminUrl, inherits)).toBe(true);
    await withAdmin(home.adminUrl, (admin) =>
      admin.query(`set role taxclaims_owner; comment on table public.sites is null`),
    );
    await deploy(home.adminUrl);
    expect(await valueOf(home.adminUrl, inherits)).toBe(false);
  });

  test('a second administrator deploys once the first has let it become the roles that the refusal names', async () => {
    const owner = await valueOf(
      home.adminUrl,
      `select quote_ident(pg_get_userbyid(datdba)) from pg_database where datname = current_database()`,
    );
    // An administrator who makes the login is its member, and then nobody can make the login a member of the administrator.
    const second = await home.createLogin('second_administrator', 'createrole', home.providerUrl);
    await valueOf(home.adminUrl, `grant connect on database ${home.database} to second_administrator`);
    const refusal = async (): Promise<string> =>
      deploy(second.url).then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    expect(await refusal()).toMatch(
      new RegExp(`^second_administrator cannot deploy here: it needs the rights of ${String(owner)}, the owner`),
    );
    // Only the provider lets a login into the role that owns the database, or into another login.
    await valueOf(home.providerUrl, `grant ${String(owner)} to second_administrator`);
    if (owner !== home.administrator) {
      const [, grants = ''] = /these roles \((.*)\)$/.exec(await refusal()) ?? [];
      expect(grants).toMatch(/^grant taxclaims_owner to second_administrator; grant .* with inherit false$/);
      await withAdmin(home.adminUrl, (admin) => admin.query(grants));
    }
    await withAdmin(home.adminUrl, (admin) =>
      admin.query('set role taxclaims_owner; comment on table public.sites is null'),
    );
    expect(await deploy(second.url)).toContain('the database is migrated and its policies are applied');
    expect(await deploy(second.url)).toContain(NOTHING_APPLIED);
    const found = `select coalesce(array_agg(finding || ': ' || remedy), '{}') from audit.findings where object = 'second_administrator'`;
    // The audit knows the second administrator: no remedy takes away what a deploy needs.
    for (const each of (await valueOf(home.adminUrl, found)) as string[])
      expect(each).toMatch(/^login_reaches_privilege: [^;]*$/);
  });
});
