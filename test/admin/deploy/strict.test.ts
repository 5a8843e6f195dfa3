import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { createTestDatabase, type TestDatabase, withAdmin } from '../../support/database.ts';
import { startDeploy } from '../../support/deploy-process.ts';
import { rightsIn } from '../../support/rights.ts';
import { createDatabaseBefore, FORGET_APPLIED } from '../../support/release-before.ts';

const log = pino({ level: 'silent' });
const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function databaseWith(sql: string, making = createTestDatabase()): Promise<TestDatabase> {
  const database = await making;
  cleanUp.push(() => database.close());
  await withAdmin(database.adminUrl, (admin) => admin.query(sql));
  return database;
}

async function driftIn(adminUrl: string): Promise<unknown[]> {
  return withAdmin(
    adminUrl,
    async (admin) =>
      (await admin.query<Record<string, string>>('select kind, object, change from audit.drift order by 1, 2')).rows,
  );
}

/**
 * SQL that creates a function by hand, and a view outside the project that depends on this function. A deploy can
 * therefore not drop the function.
 */
const STAYS = `create schema elsewhere;
  create function app.by_hand() returns integer language sql return 1;
  create view elsewhere.needs_it as select app.by_hand()`;
const TABLE = 'create table public.by_hand (id integer)';

describe('npm run db:migrate in a database that was changed by hand', () => {
  test('db:migrate logs one line for each manual change of the database that it does not undo', async () => {
    // The test creates the table public.by_hand, which belongs to no file of the project, and lets everybody read it.
    // No file creates event triggers either: the audit compares them with those at the first deploy.
    const { adminUrl } = await databaseWith(
      `${STAYS}; ${TABLE}; grant select on public.by_hand to public; alter table public.by_hand add updated_at timestamptz;
       create unique index added on public.sites (id, site_name);
       create function elsewhere.watch() returns event_trigger language plpgsql as 'begin end';
       create event trigger by_hand on sql_drop execute function elsewhere.watch()`,
    );
    for (let run = 1; run <= 2; run += 1) {
      const { code, out } = await startDeploy(adminUrl).ended;
      expect(code).toBe(0);
      const left = ['function app.by_hand()', 'table public.by_hand', 'index public.added', 'event trigger by_hand'];
      for (const object of left) expect(out).toContain(`still drift: added ${object}`);
      expect(await driftIn(adminUrl)).toContainEqual({ kind: 'table', object: 'public.by_hand', change: 'added' });
    }
  });

  test('db:migrate --strict changes nothing while the database has a manual change that a deploy does not undo and nobody has accepted', async () => {
    const { adminUrl } = await databaseWith(TABLE, createDatabaseBefore('0018'));
    // In a database of the earlier release nobody can accept a manual change, so the first deploy only reports the
    // change.
    expect((await startDeploy(adminUrl).ended).code).toBe(0);
    await withAdmin(adminUrl, (admin) => admin.query(TABLE.replace('by_hand', 'by_hand_too')));
    await withAdmin(adminUrl, (admin) =>
      admin.query(`${FORGET_APPLIED} create policy by_hand on public.sites using (false)`),
    );
    // The test deletes the row of the latest migration from app.migrations. A deploy that ran this migration again
    // would fail.
    const pending = `
      delete from app.migrations where name = (select max(name) from app.migrations) returning name, digest`;
    const { rows } = await withAdmin(adminUrl, (admin) => admin.query<{ name: string; digest: string }>(pending));
    const before = await rightsIn(adminUrl);
    const refused = await startDeploy(adminUrl, '--strict').ended;
    expect(refused.code).toBe(1);
    expect(refused.out).toBe('');
    expect(refused.err).toMatch(
      /^a deploy does not undo this drift: .*added table public\.by_hand; added table public\.by_hand_too\. .*audit\.accept.*\n$/,
    );
    expect(await rightsIn(adminUrl)).toBe(before);
    await withAdmin(adminUrl, async (admin) => {
      await admin.query(`insert into app.migrations (name, run_on, digest) values ($1, now(), $2)`, [
        rows[0]?.name,
        rows[0]?.digest,
      ]);
      await admin.query(
        `select audit.accept(kind, object, 'a list of ours') from audit.drift where object ~ '^public.by_hand'`,
      );
    });
    const accepted = await startDeploy(adminUrl, '--strict').ended;
    expect(accepted).toMatchObject({ code: 0, err: '' });
    expect(accepted.out).toContain('undone: added policy by_hand on public.sites');
    expect(accepted.out).not.toContain('still drift');
  });

  test('db:migrate --strict rolls its own changes back if a manual change of the database remains', async () => {
    const { adminUrl } = await databaseWith(`${STAYS}; create policy by_hand on public.sites using (false)`);
    const before = [await rightsIn(adminUrl), await driftIn(adminUrl)];
    const { code, err } = await startDeploy(adminUrl, '--strict').ended;
    expect(code).toBe(1);
    expect(err).toMatch(
      /^a deploy does not undo this drift: added function app\.by_hand\(\); added function body app\.by_hand\(\)/,
    );
    expect([await rightsIn(adminUrl), await driftIn(adminUrl)]).toEqual(before);
  });

  test('db:migrate --strict names at most twenty manual changes of the database', async () => {
    const tables = Array.from({ length: 23 }, (_, index) => `create table public.t${String(index)} ()`);
    const { adminUrl } = await databaseWith(tables.join(';'));
    const { code, err } = await startDeploy(adminUrl, '--strict').ended;
    expect(code).toBe(1);
    expect(err.match(/added table/g)).toHaveLength(20);
    expect(err).toContain('; and 3 more. ');
  });

  test('db:migrate --strict succeeds if nobody has changed the database by hand', async () => {
    const { adminUrl } = await databaseWith('select');
    expect(await startDeploy(adminUrl, '--strict').ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('a deploy that fails', () => {
  test.each([
    [
      'the project’s view that was changed by hand and the view outside the project that depends on it',
      `create or replace view reporting.clients as
         select id, company_name, contact_email, address, created_at, updated_at, siren, true as by_hand from public.clients;
       create schema elsewhere; create view elsewhere.needs_it as select by_hand from reporting.clients`,
      /^db\/reporting\/clients\.sql.*: cannot drop columns from view \(view reporting\.clients was changed by hand, and cannot be dropped: view elsewhere\.needs_it depends on view reporting\.clients\)$/,
    ],
    [
      'the function that belongs to another role, and how to change its owner',
      'alter function app.is_siret(text) owner to ROLE',
      /^db\/functions\/columns\.sql.*: must be owner of function is_siret \(if it belongs to none of the service’s roles: alter function is_siret owner to taxclaims_owner\)$/,
    ],
    [
      'the function that was created with other parameters',
      `alter table public.partners drop constraint partners_siret_valid;
       drop function app.is_siret(text);
       set role taxclaims_owner; create function app.is_siret(number text) returns boolean language sql immutable return true; reset role`,
      /^db\/functions\/columns\.sql: cannot change name of input parameter "number" \(Use DROP FUNCTION app\.is_siret\(text\) first\.\)$/,
    ],
    [
      'the table that belongs to another role',
      'alter table public.sites owner to ROLE',
      /^(?:db\/\S+: )?(?:must be owner of|permission denied for) (?:table|relation) sites \(if it belongs to none of the service’s roles: alter table sites owner to taxclaims_owner\)$/,
    ],
    [
      'the schema that belongs to another role',
      'alter schema app owner to ROLE',
      /^permission denied for schema app \(if it belongs to none of the service’s roles: alter schema app owner to taxclaims_owner\)$/,
    ],
  ])('a deploy that fails changes nothing, and its error names %s', async (_what, sql, message) => {
    const database = await createTestDatabase();
    const role = `${database.name}_stranger`;
    const { adminUrl } = database;
    await withAdmin(adminUrl, (admin) => admin.query(`create role ${role}; ${sql.replaceAll('ROLE', role)}`));
    cleanUp.push(async () => {
      await withAdmin(adminUrl, (admin) => admin.query(`drop owned by ${role} cascade; drop role ${role}`));
      await database.close();
    });
    const before = [await rightsIn(adminUrl), await driftIn(adminUrl)];
    const failed: unknown = await migrate({ adminUrl, log }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect((failed as Error).message).toMatch(new RegExp(message.source.replaceAll('ROLE', role)));
    expect([await rightsIn(adminUrl), await driftIn(adminUrl)]).toEqual(before);
  });
});
