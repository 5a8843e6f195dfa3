import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { output } from '../../bench/peers/commands.ts';
import { checkOutRelease } from '../../bench/peers/release.ts';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { createServiceProcess, type ServiceProcess } from '../faults/service-process.ts';
import { openHome } from '../homes/homes.ts';
import { asDatabase, withAdmin } from '../support/database.ts';
import { ask, type Answer, type Question } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { createTestLogger } from '../support/test-logger.ts';
import { accepting, UNLIMITED } from '../support/world.ts';

/*
 * These tests upgrade the database of an earlier release, with the data of its demonstration. The earlier release runs
 * its own code, with its own packages, and stores what this release could not make, such as texts of the audit.
 */

interface Upgrade {
  readonly version: string;
  readonly revision: string;
  readonly server: 'debian' | 'embedded';
  readonly administrator: 'superuser' | 'no superuser';
  readonly isUnderLoad: boolean;
}

const UPGRADES: readonly Upgrade[] = [
  { version: '1.0.0', revision: 'de84bf1', server: 'debian', administrator: 'superuser', isUnderLoad: false },
  { version: '1.0.0', revision: 'de84bf1', server: 'embedded', administrator: 'no superuser', isUnderLoad: false },
  { version: '2.0.0', revision: 'a9099d7', server: 'embedded', administrator: 'superuser', isUnderLoad: true },
  { version: '2.0.0', revision: 'a9099d7', server: 'debian', administrator: 'no superuser', isUnderLoad: true },
];

/** The tables of a release's rules, and the column to whose default an upgrade adds the new kinds of reminders. */
const CHANGED_BY_UPGRADES = { tables: /_transitions$/, column: 'reminder_kinds' };
const WRITERS = 2;
const WRITES_OF_EACH_STEP = 100;

interface Database {
  /** The address for the login that deploys. */
  readonly adminUrl: string;
  /** The address for a superuser, who reads every row. */
  readonly superuserUrl: string;
  close(): Promise<void>;
}

async function openDatabase({ server, administrator }: Upgrade): Promise<Database> {
  const home = await openHome('rds', server);
  const { adminUrl, providerUrl } = home;
  const close = (): Promise<void> => home.close();
  if (administrator === 'no superuser') return { adminUrl, superuserUrl: providerUrl, close };
  await withAdmin(asDatabase(providerUrl, 'postgres'), async (admin) => {
    await admin.query('create database firm');
    await admin.query(`alter role ${home.administrator} nologin nocreaterole nocreatedb`);
  });
  const superuserUrl = asDatabase(providerUrl, 'firm');
  return { adminUrl: superuserUrl, superuserUrl, close };
}

/** Returns a query for all rows of each table of an earlier release’s database, with the columns of that release. */
async function readsOfTables(superuserUrl: string): Promise<string[]> {
  return withAdmin(superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string; columns: string }>(
      `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
       from pg_class as c
       join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> $1
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       group by c.relname`,
      [CHANGED_BY_UPGRADES.column],
    );
    return rows
      .filter(({ name }) => !CHANGED_BY_UPGRADES.tables.test(name))
      .map(
        ({ name, columns }) =>
          `select '${name} ' || to_json(r)::text from (select ${columns} from public.${name}) as r`,
      );
  });
}

async function readRows(superuserUrl: string, queries: readonly string[]): Promise<string[]> {
  return withAdmin(superuserUrl, async (admin) => {
    const { rows } = await admin.query<string[]>({ text: queries.join(' union all '), rowMode: 'array' });
    return rows.flat();
  });
}

/** Two instances behind a proxy that repeats a request at the other one if an instance does not answer. */
async function openInstances(apiUrl: string, folder: string) {
  const identity = await startTestIdentity();
  const environment = {
    DATABASE_URL: apiUrl,
    DOCUMENT_STORE: join(folder, 'documents'),
    ...accepting(identity),
    ...UNLIMITED,
  };
  const instances: ServiceProcess[] = [];
  for (const name of ['first', 'second'])
    instances.push(await createServiceProcess(folder, { ...environment, DATA_DIR: join(folder, name) }));
  let turn = 0;
  return {
    identity,
    instances,
    async send(line: string, question: Question): Promise<Answer> {
      turn += 1;
      const [one, other] = turn % 2 === 0 ? instances : instances.toReversed();
      if (one === undefined || other === undefined) throw new Error('there are not two instances');
      const retried = { ...question, headers: { 'idempotency-key': randomUUID() } };
      return ask(one.port, line, retried).catch(() => ask(other.port, line, retried));
    },
    async replace(root?: string): Promise<void> {
      for (const instance of instances) {
        if (instance.isRunning) {
          instance.signal('SIGTERM');
          await instance.ended();
        }
        await instance.start(root);
      }
    },
    async close(): Promise<void> {
      for (const instance of instances.filter(({ isRunning }) => isRunning)) {
        instance.signal('SIGTERM');
        await instance.ended();
      }
      await identity.stop();
    },
  };
}

type Instances = Awaited<ReturnType<typeof openInstances>>;

/** Sends creations of sites until `stop`, and returns the ids that were answered and the answers that were no creation. */
function startWriters(instances: Instances, token: string, clientId: string) {
  const [created, refused]: [string[], string[]] = [[], []];
  const answers = new EventEmitter();
  let isStopped = false;
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; !isStopped; number += 1) {
      const body = { client_id: clientId, site_name: `Site ${writer}-${number}` };
      const { status, text, json } = await instances.send('POST /api/sites', { token, body });
      if (status === 201) created.push((json as { id: string }).id);
      else refused.push(`${status} ${text}`);
      answers.emit('one');
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    created,
    refused,
    /** Waits until further writes were answered. */
    async proceed(): Promise<void> {
      for (let left = WRITES_OF_EACH_STEP; left > 0; left -= 1) await once(answers, 'one');
    },
    async stop(): Promise<void> {
      isStopped = true;
      await writers;
    },
  };
}

async function upgradeUnderLoad(database: Database, folder: string, upgrade: () => Promise<void>): Promise<void> {
  const { superuserUrl, adminUrl } = database;
  const login = { name: 'api_login', password: randomUUID() };
  await withAdmin(adminUrl, (admin) =>
    admin.query(`create role ${login.name} login password '${login.password}' in role taxclaims_api`),
  );
  const scratch = await createScratchFolder();
  const instances = await openInstances(asDatabase(superuserUrl, new URL(adminUrl).pathname.slice(1), login), scratch);
  try {
    await instances.replace(folder);
    const [user] = await withAdmin(superuserUrl, async (admin) => {
      const { rows } = await admin.query<{ subject: string; client: string }>(
        `select u.subject, c.id as client from public.users as u, public.clients as c where u.role = 'ADMIN' limit 1`,
      );
      return rows;
    });
    const token = await instances.identity.token({ sub: user?.subject, role: 'ADMIN', client_access: [] });
    const writers = startWriters(instances, token, user?.client ?? '');
    try {
      await writers.proceed();
      await upgrade();
      await writers.proceed();
      await instances.replace();
      await writers.proceed();
    } finally {
      await writers.stop();
    }
    expect(writers.refused).toEqual([]);
    await withAdmin(superuserUrl, async (admin) => {
      const { rowCount } = await admin.query('select from public.sites where id = any ($1)', [writers.created]);
      expect(rowCount).toBe(writers.created.length);
    });
  } finally {
    await instances.close();
    await rm(scratch, { recursive: true });
  }
}

describe.each(UPGRADES)('an upgrade from $version on the $server Postgres by $administrator', (of) => {
  test(`loses and changes no row${of.isUnderLoad ? ', refuses no request' : ''}, and leaves no drift`, async () => {
    const { folder } = await checkOutRelease(of.revision);
    const database = await openDatabase(of);
    const { adminUrl, superuserUrl } = database;
    try {
      await output(process.execPath, ['src/commands/db-migrate.ts'], folder, { DATABASE_ADMIN_URL: adminUrl });
      const demonstration = await readFile(join(folder, 'db/demonstration/data.sql'), 'utf8');
      await withAdmin(superuserUrl, (admin) => admin.query(demonstration));
      const queries = await readsOfTables(superuserUrl);
      const before = await readRows(superuserUrl, queries);
      const acceptedHome = of.administrator === 'superuser' ? {} : { acceptedHome: 'bought' };
      const { log, loggedText } = createTestLogger();
      const upgrade = (): Promise<void> => migrate({ adminUrl, log, ...acceptedHome });
      await (of.isUnderLoad ? upgradeUnderLoad(database, folder, upgrade) : upgrade());
      const after = new Set(await readRows(superuserUrl, queries));
      expect(before.length).toBeGreaterThan(50);
      expect(before.filter((row) => !after.has(row))).toEqual([]);
      expect(loggedText()).not.toMatch(/still drift/);
      await withAdmin(adminUrl, async (admin) => {
        await admin.query('set role taxclaims_owner');
        expect((await admin.query('select kind, object, change from audit.drift')).rows).toEqual([]);
        const { rows } = await admin.query(
          `select finding, object from audit.findings where level = 'error' and who = 'dba'`,
        );
        expect(rows).toEqual([]);
      });
      await migrate({ adminUrl, log, strict: true });
      expect(loggedText()).toContain('nothing was applied');
    } finally {
      await database.close();
    }
  });
});
