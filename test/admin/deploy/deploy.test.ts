import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import {
  findMigrationsBeforehand,
  runInOwnTransaction,
  runMigrations,
} from '../../../src/admin/deploy/run-migrations.ts';
import { migrationsOf, readSqlFiles } from '../../../src/admin/deploy/sql-files.ts';
import { sqlFolder } from '../../../src/db/sql-folder.ts';
import { connected, createEmptyDatabase, createTestDatabase, withAdmin } from '../../support/database.ts';
import { createTestLogger } from '../../support/test-logger.ts';
import { createDatabaseBefore, createDatabaseToDeploy } from '../../support/release-before.ts';
import { rightsIn } from '../../support/rights.ts';
import { openForTest } from './databases.ts';

const log = pino({ level: 'silent' });
const opened = openForTest();

/**
 * Matches the creation of a table in a migration, if the migration also forces row-level security for the table. GET
 * /health of the earlier release requires this.
 */
const FORCED = /^create table (\S+)(?=[^]*^alter table \1 enable row level.*\nalter table \1 force row level)/m;

describe('long-running migrations of a deploy', () => {
  test('a deploy runs a long migration before its main transaction, unless an earlier migration of the same deploy creates a database object', () => {
    const long = '-- In a transaction of its own: reads all documents.\nalter table x validate constraint y;';
    const texts = { '1': long, '2': long, '3': 'create table x ();', '4': long };
    const files = new Map(Object.entries(texts).map(([name, text]) => [`migrations/${name}.sql`, text]));
    expect(findMigrationsBeforehand(files, ['1', '2', '3', '4'])).toEqual(['1', '2']);
    expect(findMigrationsBeforehand(files, ['2', '4'])).toEqual(['2', '4']);
  });

  test('a migration that a deploy runs in a separate transaction creates no database object on which a request needs a right', async () => {
    const files = await readSqlFiles();
    for (const [name, text] of migrationsOf(files)) {
      if (findMigrationsBeforehand(files, [name]).length === 0) continue;
      // A request to the API needs no right on three kinds of objects: an index, a column default that is a constant or
      // the present time, and a policy of the owner.
      const made = text
        .replace(FORCED, '')
        .replaceAll(/^(?:drop|alter) index .*;$/gm, '')
        .replaceAll(/^create policy \w+ on [\w.]+ for \w+ to taxclaims_owner\b/gm, '')
        .replaceAll(/ default (?:'\w+'|pg_catalog\.now\(\))/g, '');
      expect([name, /\b(?:create (?!(?:unique )?index)|drop|rename|generated|default)\b/i.exec(made)]).toEqual([
        name,
        null,
      ]);
    }
    expect(findMigrationsBeforehand(files, [...migrationsOf(files).keys()])).toEqual([]);
  });
});

describe('the migrations in the transaction of a deploy', () => {
  test('all migrations of a deploy run in one transaction and print nothing, and a rollback undoes all of them', async () => {
    const { adminUrl } = await opened(createDatabaseBefore('0010'));
    const files = await readSqlFiles();
    const written = (['log', 'info', 'warn', 'error'] as const).map((level) => jest.spyOn(console, level));
    await withAdmin(adminUrl, async (admin) => {
      const asked = async (sql: string): Promise<unknown> => Object.values((await admin.query(sql)).rows[0] as object);
      const before = await asked('select count(*)::integer from app.migrations');
      await admin.query('begin; set local role taxclaims_owner');
      const transaction = await asked('select pg_current_xact_id(), current_user');
      await runMigrations(admin, files);
      expect(await asked('select pg_current_xact_id(), current_user')).toEqual(transaction);
      expect(await asked('select count(*)::integer from app.migrations')).toEqual([migrationsOf(files).size]);
      await admin.query('rollback');
      expect(await asked('select count(*)::integer from app.migrations')).toEqual(before);
    });
    expect(written.flatMap(({ mock }) => mock.calls)).toEqual([]);
    for (const spy of written) spy.mockRestore();
  });

  test.each([
    { where: 'in the transaction of a deploy', single: undefined },
    { where: 'in a transaction of its own', single: '9999_fails' },
  ])('a migration that fails $where changes nothing, and its error names the file and the line', async ({ single }) => {
    const { adminUrl } = await opened(createTestDatabase());
    const files = new Map(await readSqlFiles()).set(
      'migrations/9999_fails.sql',
      `create table public.fails ();\n\nselect nothing;`,
    );
    await withAdmin(adminUrl, async (admin) => {
      const migrating =
        single === undefined
          ? admin.query('begin; set local role taxclaims_owner').then(() => runMigrations(admin, files))
          : runInOwnTransaction(admin, files, single);
      await expect(migrating).rejects.toThrow(
        /^db\/migrations\/9999_fails\.sql, line 3: column "nothing" does not exist$/,
      );
      await admin.query('rollback');
      const left = `select to_regclass('public.fails') as made, current_user::text as role, max(name) as latest from app.migrations`;
      expect((await admin.query(left)).rows).toEqual([
        { made: null, role: 'postgres', latest: [...migrationsOf(files).keys()].at(-2) },
      ]);
    });
  });
});

async function fill(admin: pg.Client, site: string, grounds: readonly string[]): Promise<void> {
  await admin.query(`
    insert into public.clients (id, company_name, contact_email)
    values ('00000000-0000-4000-8000-000000000001', 'Logistique', 'a@b.example');
    insert into public.sites (id, client_id, site_name)
    values ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', '${site}');
    create policy reclamations_select_definer on public.reclamations for select to taxclaims_definer using (true)`);
  for (const text of grounds) await claim(admin, text);
}

function claim(admin: pg.Client, grounds: string): Promise<unknown> {
  return admin.query(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, grounds)
     values ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'TF', 1, $1)`,
    [grounds],
  );
}

/**
 * The characters that separate words in a search text. Migration 0036 was published in two forms, which differ in these
 * characters.
 */
const SECOND_FORM = '\\u00d7\\u00f7\\u2000-\\u2bff\\u3000-\\u3020';
const FORMS = { first: '\\u2000-\\u206f', second: SECOND_FORM };

describe('the stored search words of claims', () => {
  test('claims have correct search words even if the earlier release changes claims between the two parts of migration 0036', async () => {
    const { adminUrl } = await opened(createDatabaseBefore('0036'));
    await withAdmin(adminUrl, async (admin) => {
      await fill(admin, 'Siège', ['stays', 'changes', 'goes']);
      await runInOwnTransaction(admin, await readSqlFiles(), '0036_search_words_1_filled');
      expect((await admin.query('select from app.claim_words')).rowCount).toBe(3);
      await claim(admin, 'comes');
      await admin.query(`
        update public.reclamations set grounds = 'is another' where grounds = 'changes';
        delete from public.reclamations where grounds = 'goes'`);
    });
    await migrate({ adminUrl, log });
    await withAdmin(adminUrl, async (admin) => {
      await admin.query(`update public.reclamations set grounds = 'surface' where grounds = 'stays'`);
      const { rows } = await admin.query<{ words: string }>(
        `select w.words::text as words from app.claim_words as w full join public.reclamations as r using (id) order by 1`,
      );
      expect(rows.map(({ words }) => words)).toEqual([`'another' 'is'`, `'comes'`, `'surface'`]);
    });
  });

  test.each([
    ['first', [`${'x'.repeat(2100)}→tail`, 'price€low', 'smile😀more', 'wide×high']],
    ['second', ['smile😀more']],
  ] as const)(
    'if an earlier deploy applied the %s published form of migration 0036, a deploy corrects the stored search words of claims',
    async (form, refilled) => {
      const { adminUrl } = await opened(createDatabaseBefore('0036'));
      await withAdmin(adminUrl, async (admin) => {
        const grounds = ['as it-was', 'price€low', 'smile😀more', 'wide×high', `${'x'.repeat(2100)}→tail`];
        await fill(admin, 'North→South', grounds);
        for (const name of ['0036_search_words_1_filled', '0036_search_words_2_kept']) {
          const text = await readFile(sqlFolder(`migrations/${name}.sql`), 'utf8');
          const published = text.replaceAll(SECOND_FORM, FORMS[form]);
          const digest = createHash('sha256').update(published).digest('hex');
          await admin.query(`
          begin;
          set local role taxclaims_owner;
          ${published}
          insert into app.migrations (name, run_on, digest) values ('${name}', now(), '${digest}');
          commit`);
        }
        const written = async (): Promise<Map<string, string>> => {
          const { rows } = await admin.query<{ grounds: string; xmin: string }>(
            'select r.grounds, w.xmin from app.claim_words as w join public.reclamations as r using (id) order by 1',
          );
          return new Map(rows.map(({ grounds, xmin }) => [grounds, xmin]));
        };
        const before = await written();
        await migrate({ adminUrl, log });
        const after = await written();
        expect([...after.keys()].filter((text) => after.get(text) !== before.get(text)).sort()).toEqual(
          [...refilled].sort(),
        );
        const { rows } = await admin.query<{ words: string }>(
          'select words::text as words from app.claim_words order by 1',
        );
        expect(rows.map(({ words }) => words)).toEqual([
          `'as' 'it' 'was'`,
          `'high' 'wide'`,
          `'low' 'price'`,
          `'more' 'smile'`,
          `'tail' '${'x'.repeat(200)}'`,
        ]);
        await admin.query('set enable_seqscan = off');
        const south = `from public.sites where app.words(split_part(search_text, chr(31), 1)) @@ 'south'::tsquery`;
        expect((await admin.query(`select ${south}`)).rowCount).toBe(1);
      });
    },
  );
});

describe('db:migrate beside other runs and changes by hand', () => {
  test.each([
    ['nothing', 'select', 0],
    ['a policy', 'create policy by_hand on public.clients using (true)', 1],
    [
      'a policy that is also entered into audit.applied',
      `create policy by_hand on public.clients using (true);
       insert into audit.applied select s.kind, s.object, s.definition from audit.state() as s where s.object ~ '^by_hand '`,
      1,
    ],
    [
      'a policy, and the view of changes by hand so that it reports nothing',
      `create policy by_hand on public.clients using (true);
       create or replace view audit.drift_before_acceptance with (security_invoker) as
           select null::text as kind, null::text as object, null::text as change, null::text as applied,
               null::text as present, null::text as as_it_stands
           where false`,
      1,
    ],
    ['the declared state in audit.applied', `delete from audit.applied where kind = 'policy'`, 1],
    ['a comment', `comment on table public.clients is 'by hand'`, 1],
    ['the comment that names the deployed release', 'comment on table audit.applied is null', 1],
  ])(
    'db:migrate applies all SQL files again if and only if somebody changed something in the database by hand: %s',
    async (_what, change, applied) => {
      const { adminUrl } = await opened(createTestDatabase());
      const before = await rightsIn(adminUrl);
      await withAdmin(adminUrl, (admin) => admin.query(change));
      const query = jest.spyOn(pg.Client.prototype, 'query');
      const wholeRuns = async (): Promise<number> => {
        query.mockClear();
        await migrate({ adminUrl, log });
        return query.mock.calls.filter(([text]) => text.includes('do $reset$')).length / 3;
      };
      try {
        expect([await wholeRuns(), await wholeRuns()]).toEqual([applied, 0]);
      } finally {
        query.mockRestore();
      }
      expect(await rightsIn(adminUrl)).toBe(before);
    },
  );

  test('an upgrade to a release that describes an unchanged extension in other words reports no drift', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    await withAdmin(adminUrl, (admin) =>
      admin.query(
        `update audit.applied set definition = 'the words of the earlier release' where (kind, object) = ('extension', 'plpgsql');
         create or replace view audit.drift_before_acceptance with (security_invoker) as
             select null::text as kind, null::text as object, null::text as change, null::text as applied,
                 null::text as present, null::text as as_it_stands
             where false`,
      ),
    );
    await migrate({ adminUrl, log, strict: true });
    await withAdmin(adminUrl, async (admin) => {
      expect((await admin.query('select kind, object, change from audit.drift')).rows).toEqual([]);
    });
  });

  test('an upgrade still reports a changed extension that the audit of the earlier release reported', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    await withAdmin(adminUrl, (admin) =>
      admin.query(
        `update audit.applied set definition = 'before a change' where (kind, object) = ('extension', 'plpgsql')`,
      ),
    );
    const { log: logger, loggedText } = createTestLogger();
    await migrate({ adminUrl, log: logger });
    expect(loggedText()).toContain('still drift: changed extension plpgsql');
    await withAdmin(adminUrl, async (admin) => {
      expect((await admin.query('select kind, object, applied from audit.drift')).rows).toEqual([
        { kind: 'extension', object: 'plpgsql', applied: 'before a change' },
      ]);
    });
  });

  test('two simultaneous db:migrate runs on an empty database both succeed, and the result is that of one run', async () => {
    const { adminUrl } = await opened(createEmptyDatabase());
    const one = await opened(createTestDatabase());
    await Promise.all([migrate({ adminUrl, log }), migrate({ adminUrl, log })]);
    expect(await rightsIn(adminUrl)).toBe(await rightsIn(one.adminUrl));
  });

  test('db:migrate replaces two functions of release 1.0.0 that have other return types today', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    const before = await rightsIn(adminUrl);
    await withAdmin(adminUrl, (admin) =>
      admin.query(
        `drop function app.record_login, app.users_who_see cascade;
         create function app.record_login(email text, name text, issued_at timestamptz) returns json
             language sql return '{}'::json;
         create function app.users_who_see(client uuid) returns table (email text, role text, reason text)
             language sql as $$ select '', '', '' $$;
         alter function app.record_login owner to taxclaims_definer;
         alter function app.users_who_see owner to taxclaims_definer;`,
      ),
    );
    await migrate({ adminUrl, log });
    expect(await rightsIn(adminUrl)).toBe(before);
  });

  test('db:migrate waits for a transaction that reads a table, and blocks no other reader meanwhile', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    const reader = await connected(adminUrl);
    reader.on('error', () => undefined);
    await reader.query('begin; select from public.clients');
    const { log: listening, logged } = createTestLogger();
    const migrating = migrate({ adminUrl, log: listening });
    migrating.catch(() => undefined);
    await logged('waiting for a lock');
    // While db:migrate waits for another transaction, it holds no lock, so other sessions can read the table.
    await withAdmin(adminUrl, (admin) => admin.query('select from public.clients'));
    await reader.query('commit');
    await migrating;
    await reader.end();
    expect(await rightsIn(adminUrl)).toContain('clients_select_tenant');
  });

  test('when db:migrate and a request block each other, db:migrate gives way and the request succeeds', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    const writer = await connected(adminUrl);
    writer.on('error', () => undefined);
    // Postgres looks for a deadlock of the writer after db:migrate has given way, and before it looks for one of db:migrate.
    await writer.query(`set deadlock_timeout = '750ms'; begin; update public.documents set filename = filename`);
    const migrating = migrate({ adminUrl, log });
    migrating.catch(() => undefined);
    await withAdmin(adminUrl, async (admin) => {
      const waits = `select from pg_locks where not granted and relation = 'public.documents'::regclass`;
      while ((await admin.query(waits)).rowCount === 0);
    });
    // db:migrate has locked public.clients and waits for public.documents, while the writer has locked public.documents
    // and waits for public.clients: a deadlock.
    await writer.query(`update public.clients set address = 'Lyon'`);
    await writer.query('commit');
    await migrating;
    await writer.end();
  });

  test('an attempt of db:migrate to lock the tables ends after half of deadlock_timeout, so that requests wait no longer', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    const query = jest.spyOn(pg.Client.prototype, 'query');
    try {
      await migrate({ adminUrl, log });
      const said = query.mock.calls.map(([text]) => text);
      const most = await withAdmin(adminUrl, async (admin) => {
        const asked = `select extract(epoch from current_setting('deadlock_timeout')::interval)::float8 * 500 as most`;
        return (await admin.query<{ most: number }>(asked)).rows[0]?.most ?? 0;
      });
      const attempts = said.filter((text) => text.includes('in access exclusive mode'));
      const limits = attempts.map((text) => Number(/set local lock_timeout = (\d+);/.exec(text)?.[1]));
      expect(limits.length).toBeGreaterThan(20);
      expect(limits.filter((limit) => !(limit >= 1 && limit <= most))).toEqual([]);
    } finally {
      query.mockRestore();
    }
  });

  test('if another db:migrate holds the lock for too long, db:migrate fails and names the other run', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    await withAdmin(`${adminUrl}?application_name=the-holder`, async (holder) => {
      await holder.query('begin; lock table app.deploy_lock in share update exclusive mode');
      await expect(migrate({ adminUrl, log, maxWaitMs: 1_000 })).rejects.toThrow(
        /^another deploy or archive is running on this database: pid \d+ \(login postgres, application "the-holder", since 2\S+ \S+Z, holds ShareUpdateExclusiveLock on app\.deploy_lock\)$/,
      );
    });
    await migrate({ adminUrl, log });
  });

  test('db:migrate waits up to two minutes for another db:migrate by default', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const said = jest.spyOn(pg.Client.prototype, 'query');
    try {
      await migrate({ adminUrl, log });
      expect(said.mock.calls).toContainEqual([expect.stringContaining('set local lock_timeout = 120000')]);
    } finally {
      said.mockRestore();
    }
  });

  test.each([
    { when: 'only after its commit', strict: false, before: 0 },
    { when: 'also before its commit with --strict', strict: true, before: 1 },
  ])('db:migrate looks for manual changes of the database $when', async ({ strict, before }) => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    const query = jest.spyOn(pg.Client.prototype, 'query');
    try {
      await migrate({ adminUrl, log, strict });
      const said = query.mock.calls.map(([text]) => text);
      const held = said.findIndex((text) => text.includes('in access exclusive mode'));
      const committed = said.lastIndexOf('commit');
      const looks = (texts: readonly string[]): number => texts.filter((text) => text.includes('as of_table')).length;
      expect(held).toBeGreaterThan(-1);
      expect(looks(said.slice(held, committed))).toBe(before);
      expect(looks(said.slice(committed))).toBe(1);
    } finally {
      query.mockRestore();
    }
  });

  test('if somebody allowed a role of the project to log in, db:migrate stops and names the role', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    const { applyRoles } = await import('../../../src/admin/deploy/apply.ts');
    await withAdmin(adminUrl, async (admin) => {
      // The test rolls its change of a database role back, because roles belong to the whole Postgres server, which
      // other tests use too.
      await admin.query('begin; alter role taxclaims_client login');
      await expect(applyRoles(admin, await readSqlFiles())).rejects.toThrow(
        /role taxclaims_client may log in or is privileged/,
      );
    });
  });
});
