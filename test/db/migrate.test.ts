import { rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/embedded/postgres/server.ts';
import { migrate } from '../../src/db/migrate.ts';
import {
  asDatabase,
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
  withAdmin,
} from '../support/database.ts';
import { createScratchFolder } from '../support/scratch.ts';

const log = pino({ level: 'silent' });
const open: TestDatabase[] = [];

async function opened(made: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await made;
  open.push(database);
  return database;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.close()));
});

/** Everything that says who may do what, as one text. */
async function rightsIn(adminUrl: string): Promise<string> {
  return withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ line: string }>(
      `select format('%s %s %s %s', oid::regclass, relrowsecurity, relforcerowsecurity,
           array(select x::text from unnest(coalesce(relacl, acldefault('r', relowner))) as x order by 1)) as line
       from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'app'::regnamespace, 'reporting'::regnamespace)
       union all
       select format('%s.%s %s', attrelid::regclass, attname, array(select x::text from unnest(attacl) as x order by 1)) from pg_attribute where attacl is not null
       union all
       select format('%s %s %s %s %s', polname, polrelid::regclass, polroles::regrole[],
           pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) from pg_policy
       union all
       select format('%s %s %s', oid::regprocedure, prosrc,
           array(select x::text from unnest(coalesce(proacl, acldefault('f', proowner))) as x order by 1)) from pg_proc
       where pronamespace in ('app'::regnamespace)
       order by 1`,
    );
    return rows.map((row) => row.line).join('\n');
  });
}

/** A logger that tells when it says something. */
function hearing(message: string): { log: pino.Logger; heard: Promise<void> } {
  const { promise: heard, resolve } = Promise.withResolvers<undefined>();
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.toString().includes(message)) resolve(undefined);
      done();
    },
  });
  return { log: pino({ level: 'warn' }, stream), heard };
}

describe('db:migrate', () => {
  test('a second run changes nothing', async () => {
    const { adminUrl } = await opened(createEmptyDatabase());
    await migrate({ adminUrl, log });
    const first = await rightsIn(adminUrl);
    await migrate({ adminUrl, log });
    expect(await rightsIn(adminUrl)).toBe(first);
    expect(first).toContain('clients_select_tenant');
  });

  test('two runs at once on an empty database both succeed, and give what one gives', async () => {
    const { adminUrl } = await opened(createEmptyDatabase());
    const one = await opened(createTestDatabase());
    await Promise.all([migrate({ adminUrl, log }), migrate({ adminUrl, log })]);
    expect(await rightsIn(adminUrl)).toBe(await rightsIn(one.adminUrl));
  });

  test('a run takes back every right and every policy that was added by hand', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const before = await rightsIn(adminUrl);
    await withAdmin(adminUrl, (admin) =>
      admin.query(
        `create policy by_hand on public.clients to public using (true);
         grant all on public.clients to public;
         grant select (password_hash) on public.users to taxclaims_client;
         grant execute on function app.locate(text, uuid) to public, taxclaims_reporting;
         grant execute on function app.client_access() to taxclaims_reporting;
         drop policy sites_select_tenant on public.sites;`,
      ),
    );
    expect(await rightsIn(adminUrl)).not.toBe(before);
    await migrate({ adminUrl, log });
    expect(await rightsIn(adminUrl)).toBe(before);
  });

  test('a run waits for a reader that holds a table, and gives way to it meanwhile', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const reader = new pg.Client({ connectionString: adminUrl });
    await reader.connect();
    await reader.query('begin; select from public.clients');
    const { log: listening, heard } = hearing('waiting for a lock');
    const migrating = migrate({ adminUrl, log: listening });
    await heard;
    // The run has let go of every lock while it waits: others go on reading.
    await withAdmin(adminUrl, (admin) => admin.query('select from public.clients'));
    await reader.query('commit');
    await migrating;
    await reader.end();
    expect(await rightsIn(adminUrl)).toContain('clients_select_tenant');
  });

  test('a run that meets a request in a deadlock gives way, and the request goes on', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const writer = new pg.Client({ connectionString: adminUrl });
    await writer.connect();
    await writer.query('begin; update public.documents set filename = filename');
    const migrating = migrate({ adminUrl, log });
    await withAdmin(adminUrl, async (admin) => {
      const waits = `select from pg_locks where not granted and relation = 'public.documents'::regclass`;
      while ((await admin.query(waits)).rowCount === 0);
    });
    // The run holds the clients and waits for the documents; now the writer waits for the clients.
    await writer.query(`update public.clients set address = 'Lyon'`);
    await writer.query('commit');
    await migrating;
    await writer.end();
  });

  test('a run that finds the lock held says by whom, and does not hang', async () => {
    const { adminUrl, apiUrl } = await opened(createTestDatabase());
    const holder = new pg.Client({ connectionString: apiUrl, application_name: 'the-holder' });
    await holder.connect();
    await holder.query('select pg_advisory_lock(7202611)');
    await expect(migrate({ adminUrl, log, longestWaitMs: 50 })).rejects.toThrow(
      /another session holds the migration lock: pid \d+, login \w+, application 'the-holder'/,
    );
    await holder.end();
    await migrate({ adminUrl, log, longestWaitMs: 10_000 });
  });

  test('a run that is told nothing else waits two minutes for another', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const said = jest.spyOn(pg.Client.prototype, 'query');
    try {
      await migrate({ adminUrl, log });
      expect(said.mock.calls).toContainEqual([
        expect.stringContaining("'lock_timeout', $1, false"),
        [120_000],
      ]);
    } finally {
      said.mockRestore();
    }
  });

  test('an administrator who is no superuser can migrate a database of its own', async () => {
    const dataDir = await createScratchFolder();
    const server = await startEmbeddedServer({ dataDir, log });
    try {
      await withAdmin(server.adminUrl, async (admin) => {
        await admin.query(`create role boss login createrole password 'boss'`);
        await admin.query('create database of_boss owner boss');
      });
      const adminUrl = asDatabase(server.adminUrl, 'of_boss', { name: 'boss', password: 'boss' });
      await migrate({ adminUrl, log });
      await migrate({ adminUrl, log });
      expect(await rightsIn(adminUrl)).toContain('clients_select_tenant');
    } finally {
      await server.stop();
      await rm(dataDir, { recursive: true });
    }
  });

  test('a role of the house that may log in stops the run with its name', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const { applyRoles } = await import('../../src/db/apply.ts');
    await withAdmin(adminUrl, async (admin) => {
      // Roles belong to the whole server, where other tests run: the change is never committed.
      await admin.query('begin; alter role taxclaims_client login');
      await expect(applyRoles(admin)).rejects.toThrow(/role taxclaims_client may log in or is privileged/);
    });
  });
});
