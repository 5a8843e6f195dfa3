/**
 * `node test/audit/invented.ts [SUBJECT…]`: does what a hostile or careless DBA might do, and says what
 * `audit.findings` and `audit.drift` say of it. The actions were written without a look at what the audit asks.
 * `--rows` prints every row that an action added. Exits with 1 when the SQL of an action is refused.
 */
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { listed, sqlFor } from '../support/listed.ts';
import { parseProcessArguments } from '../../src/commands/run-command.ts';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { LOGINS, MAKE_LOGINS, MAKE_ROWS } from './invented/fixture.ts';

export interface Result {
  readonly subject: string;
  readonly action: Action;
  /** What the audit says after the action and did not say before; or why the action could not be tried. */
  readonly outcome: 'seen' | 'not seen' | 'audit fails' | 'refused' | 'skipped';
  readonly rows: readonly string[];
}

/** One thing that a DBA did by hand, as it would be typed in psql. */
interface Action {
  readonly title: string;
  readonly make: string;
  /** What takes it back where it cannot be in a transaction, which is rolled back otherwise; each line is sent by itself. */
  readonly undo: string | undefined;
  readonly by: string;
  /** The first release of Postgres that has it, and the extension that it takes. */
  readonly since: number;
  readonly needs: string | undefined;
}

/** Every action of a subject, which is a file; those of `ordinary` weaken nothing: ideally the audit stays quiet. */
function actionsOf(subject: string): readonly Action[] {
  return listed(`audit/invented/${subject}.sql`).map(({ head: [title = '', , ...more], sql, parts: { undo } }) => {
    const said = (what: string): string | undefined =>
      more.find((one) => one.startsWith(`${what} `))?.slice(what.length + 1);
    const { by, since } = { by: said('by') ?? 'superuser', since: Number(said('since') ?? 0) };
    return { title, make: sql, undo: undo?.sql, by, since, needs: said('needs') };
  });
}

interface Server {
  readonly major: number;
  readonly extensions: ReadonlySet<string>;
}

/** What it is done to. */
const SUBJECTS = readdirSync(new URL('invented', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.replace('.sql', ''));

/** Tries the actions of these subjects one after the other in a database of their own; of all where none is named. */
async function tryActions(subjects: readonly string[], tell: (result: Result) => void): Promise<void> {
  const database = await createTestDatabase();
  try {
    await withAdmin(database.adminUrl, (admin) => admin.query(MAKE_LOGINS + MAKE_ROWS));
    const server = await describe(database);
    const base = await withAdmin(database.adminUrl, askAudit);
    if (base.length > 0) console.log(`Before anything is done:\n${base.map((row) => `  ${row}`).join('\n')}`);
    for (const subject of SUBJECTS) {
      if (subjects.length > 0 && !subjects.includes(subject)) continue;
      for (const action of actionsOf(subject)) {
        tell({ subject, action, ...(await tryAction(database, server, base, action)) });
      }
    }
  } finally {
    await database.close();
    await withAdmin(database.adminUrl.replace(database.name, 'postgres'), (admin) =>
      admin.query(`drop role if exists ${LOGINS.join(', ')}`),
    );
  }
}

async function tryAction(
  database: TestDatabase,
  server: Server,
  base: readonly string[],
  action: Action,
): Promise<Omit<Result, 'subject' | 'action'>> {
  if (server.major < action.since) {
    return { outcome: 'skipped', rows: [`since Postgres ${action.since}`] };
  }
  if (action.needs !== undefined && !server.extensions.has(action.needs)) {
    return { outcome: 'skipped', rows: [`no extension ${action.needs} here`] };
  }
  return withAdmin(database.adminUrl, async (admin) => {
    const result =
      action.undo === undefined
        ? await inTransaction(admin, database, action)
        : await undone(admin, database, action, action.undo);
    if (action.undo !== undefined) await expectTakenBack(database, base, action);
    if (typeof result === 'string') return { outcome: 'refused', rows: [result] };
    const [first] = result;
    if (first?.startsWith(FAILS) === true) return { outcome: 'audit fails', rows: result };
    const rows = added(base, result);
    return { outcome: rows.length > 0 ? 'seen' : 'not seen', rows };
  });
}

/** A rollback takes everything back; an undo is looked after. */
async function expectTakenBack(database: TestDatabase, base: readonly string[], action: Action): Promise<void> {
  const left = added(base, await withAdmin(database.adminUrl, askAudit));
  if (left.length > 0) throw new Error(`Not taken back: ${action.title}\n${left.join('\n')}`);
}

/** What the audit says of an action; the message where the action itself is refused. */
async function inTransaction(
  admin: pg.Client,
  database: TestDatabase,
  action: Action,
): Promise<readonly string[] | string> {
  await admin.query('begin');
  try {
    if (action.by === 'owner') await admin.query('set local role taxclaims_owner');
    await admin.query(sqlFor(database, action.make));
    await admin.query('reset role');
    return await askAudit(admin).catch((error: unknown) => [`${FAILS}: ${String(error)}`]);
  } catch (error) {
    return String(error);
  } finally {
    await admin.query('rollback');
  }
}

/** The same for what cannot be in a transaction: sessions that begin afterwards are asked. */
async function undone(
  admin: pg.Client,
  database: TestDatabase,
  action: Action,
  undo: string,
): Promise<readonly string[] | string> {
  try {
    if (action.by === 'owner') await admin.query('set role taxclaims_owner');
    for (const statement of statements(action.make, database)) await run(admin, database, statement);
    return await withAdmin(database.adminUrl, askAudit).catch((error: unknown) => [`${FAILS}: ${String(error)}`]);
  } catch (error) {
    return String(error);
  } finally {
    await admin.query('reset role');
    for (const statement of statements(undo, database)) await run(admin, database, statement);
  }
}

async function run(admin: pg.Client, database: TestDatabase, statement: string): Promise<void> {
  const before = await loadTime(database);
  await admin.query(statement);
  // New sessions have the new configuration only once the server has read it.
  if (statement.includes('pg_reload_conf')) while ((await loadTime(database)) === before);
}

function loadTime(database: TestDatabase): Promise<string> {
  return withAdmin(database.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ loaded: string }>('select pg_conf_load_time()::text as loaded');
    return String(rows[0]?.loaded);
  });
}

const FAILS = 'the audit fails';

/** Every row of the audit, as text. */
async function askAudit(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ said: string }>(
    `select 'findings: ' || to_jsonb(f)::text as said from audit.findings as f
      union all
     select 'drift: ' || to_jsonb(d)::text from audit.drift as d`,
  );
  return rows.map((row) => row.said);
}

function added(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before);
  return after.filter((row) => !known.has(row));
}

/** Each statement of lines that end with a semicolon. */
function statements(sql: string, database: TestDatabase): string[] {
  return sqlFor(database, sql)
    .split(/;$/m)
    .filter((statement) => statement.trim() !== '');
}

async function describe(database: TestDatabase): Promise<Server> {
  return withAdmin(database.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ major: number; extensions: string[] }>(
      `select current_setting('server_version_num')::integer / 10000 as major,
              array(select name::text from pg_available_extensions) as extensions`,
    );
    return { major: rows[0]?.major ?? 0, extensions: new Set(rows[0]?.extensions) };
  });
}

/** The shortest way to say what was seen: which view, and the words that tell one row from another. */
function brief(row: string): string {
  return row.replaceAll(/[{}"]/g, '').slice(0, 110);
}

async function main(): Promise<void> {
  const { values, positionals: subjects } = parseProcessArguments({
    usage: 'usage: npm run proofs -- breakages -- [--rows] [SUBJECT…]\n  --help, --version',
    allowPositionals: true,
    options: { rows: { type: 'boolean' } },
  });
  const results: Result[] = [];
  await setUp();
  try {
    await tryActions(subjects, (result) => {
      results.push(result);
      const { subject, action, outcome, rows } = result;
      console.log(`${outcome.toUpperCase().padEnd(11)} ${subject}: ${action.title}`);
      const shown = values.rows === true ? rows : rows.slice(0, 1).map(brief);
      for (const row of shown) console.log(`            ${row}`);
    });
  } finally {
    await tearDown();
  }
  for (const quiet of [false, true]) {
    const those = results.filter(({ subject }) => (subject === 'ordinary') === quiet);
    const count = (outcome: Result['outcome']): number => those.filter((one) => one.outcome === outcome).length;
    console.log(
      `${quiet ? 'Ordinary' : 'Breakages'}: ${those.length}, seen ${count('seen')}, not seen ${count('not seen')}, ` +
        `audit fails ${count('audit fails')}, refused ${count('refused')}, skipped ${count('skipped')}`,
    );
  }
  if (results.some(({ outcome }) => outcome === 'refused')) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
