import type pg from 'pg';
import type { Logger } from 'pino';
import { readDeclared, type Fact } from '../audit/declared.ts';
import { serverRelease } from '../audit/state.ts';
import { adminServer, openAdminConnection } from './admin-connection.ts';
import type { AdminConnection } from './admin-connection.ts';
import {
  applyPolicies,
  applyRoles,
  makeAuditTables,
  makeMigrationLock,
  readSqlFiles,
  shortPatience,
  tendAuditLog,
} from './apply.ts';
import { isContention, retryingOnContention } from './contention.ts';
import { readDrift, readDriftBefore, refuseWhatIsGone, refuseWhatStays, tellDrift } from './drift.ts';
import { DEPLOY_PATIENCE_MS, DEPLOY_SAY_MS } from '../../limits.ts';
import { DeployHeldUp, MigrationError } from './migration-error.ts';
import {
  pendingMigrations,
  readMigrationFiles,
  recordDigests,
  refuseWithoutList,
  restoreList,
} from './migration-list.ts';
import { ownerHas, takeMigrationLock } from './migration-lock.ts';
import { namingOwner } from './refused.ts';
import { asOwner, divide, runAlone, runMigration } from './run-migrations.ts';
import { stands } from './standing.ts';
import { createWatch } from './watch.ts';

const OLDEST_SERVER = 150_000;
const APPLICATION = 'taxclaims-migrate';

export interface MigrateOptions {
  /** Who may create roles and objects in the database; of several servers the one that takes writes. */
  readonly adminUrl: string;
  readonly log: Logger;
  /** How long each step waits for others: another run, or whoever holds a table. Two minutes when absent. */
  readonly patienceMs?: number | undefined;
  /** After how long a wait those who are in the way are named; five seconds when absent. */
  readonly sayAfterMs?: number | undefined;
  /** Whether sessions that do nothing but report are ended where they are in the way for longer than that. */
  readonly evict?: boolean | undefined;
  /** Whether the deploy is refused where something drifted that it does not take back, and nobody accepted it. */
  readonly strict?: boolean | undefined;
}

/**
 * Brings a database to the present: roles, migrations, then functions, triggers, policies and grants whole; where it is
 * there already, nothing is applied.
 * Safe to repeat, to run twice at once, under load, and after a run that was killed at whatever moment.
 * @throws DeployHeldUp naming who was in the way for too long; MigrationError naming the file and what Postgres said,
 * or why this code must not migrate this database.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const server = await adminServer(options.adminUrl);
  const worker = await openAdminConnection(server, APPLICATION);
  try {
    await worker.answered((client) => refuseUnfit(client, options.evict ?? false));
    const keeper = await openAdminConnection(server, APPLICATION);
    try {
      await deploy(worker, keeper, options);
    } catch (error) {
      throw await worker.answered((client) => namingOwner(client, error));
    } finally {
      await keeper.close();
    }
  } finally {
    await worker.close();
  }
}

/** The worker does it; the keeper holds the lock meanwhile, and sees who is in the worker's way. */
async function deploy(
  worker: AdminConnection,
  keeper: AdminConnection,
  {
    log,
    patienceMs = DEPLOY_PATIENCE_MS,
    sayAfterMs = DEPLOY_SAY_MS,
    evict = false,
    strict = false,
  }: MigrateOptions,
): Promise<void> {
  const { client } = worker;
  const everyMs = Math.ceil((await worker.answered(shortPatience)) / 3);
  const watch = createWatch({ log, sayAfterMs, evict, everyMs });
  const step = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    watch.during(what, worker, keeper, async () => {
      try {
        return await retryingOnContention(log, patienceMs, work);
      } catch (error) {
        if (!isContention(error)) throw error;
        const seconds = Math.round(patienceMs / 1_000);
        throw new DeployHeldUp(`${what} was held up for ${seconds} s by ${watch.lastSeen()}`, {
          cause: error,
        });
      }
    });

  const [migrations, files] = await Promise.all([readMigrationFiles(), readSqlFiles()]);
  const owned = (table: 'deploy_lock' | 'migrations'): Promise<boolean> =>
    step('a look at the catalog', () => ownerHas(client, table));
  const readList = (): Promise<string[]> =>
    step('the list of migrations', () => asOwner(client, () => pendingMigrations(client, migrations)));
  // Newer code is let alone before anything is made, and again once no other run can be at work.
  if (await owned('migrations')) await readList();
  else await step('a look at the catalog', () => refuseWithoutList(client));
  if (!(await owned('deploy_lock'))) {
    await step('db/roles.sql', () => applyRoles(client, files));
    await step('db/deploy-lock.sql', () => makeMigrationLock(client, files));
  }
  await watch.during('the lock of the deploy', keeper, worker, () =>
    takeMigrationLock(keeper.client, patienceMs, watch.lastSeen),
  );
  const pending = await readList();
  const release = { files, migrations, declared: await declaredFor(client, log) };
  if (
    pending.length === 0 &&
    (await step('a look at what stands', () => asOwner(client, () => stands(client, release))))
  ) {
    await step('the months of the audit log', () => tendAuditLog(client, files));
    log.info('the database is as this release declares it: nothing was applied');
    return;
  }
  const before = await step('a look at what drifted', () =>
    asOwner(client, () => readDriftBefore(client, log)),
  );
  if (strict) refuseWhatStays(before);
  await step('the list of migrations', () => asOwner(client, () => restoreList(client, log)));
  await step('db/roles.sql', () => applyRoles(client, files));
  const { beforehand, withRights } = await divide(pending);
  for (const name of beforehand) {
    log.info(`applying db/migrations/${name}.sql`);
    await step(`db/migrations/${name}.sql`, () => runAlone(client, name));
  }
  const applyPending = async (): Promise<void> => {
    for (const name of withRights) {
      log.info(`applying db/migrations/${name}.sql`);
      await runMigration(client, name);
    }
    await recordDigests(client, migrations);
    await refuseWhatIsGone(client, before, release.declared);
    await makeAuditTables(client, log);
  };
  await step('the deploy of the rights', () => applyPolicies(client, release, strict, applyPending));
  const after = await step('a look at what drifts', () => asOwner(client, () => readDrift(client)));
  tellDrift(log, before, after);
  log.info('the database is migrated and its policies are applied');
}

/** What the repository declares of a database on this server. */
async function declaredFor(client: pg.Client, log: Logger): Promise<readonly Fact[]> {
  const release = await serverRelease(client);
  const declared = await readDeclared(release);
  if (declared.release !== release) {
    log.warn(
      `the repository declares nothing for Postgres ${String(release)}: audit.drift compares with what holds on ${String(declared.release)}`,
    );
  }
  return declared.facts;
}

async function refuseUnfit(client: pg.Client, evict: boolean): Promise<void> {
  const { rows } = await client.query<{ version: number; standby: boolean; login: string; may_end: boolean }>(
    `select
        current_setting('server_version_num')::integer as version,
        pg_is_in_recovery() as standby,
        current_user as login,
        pg_has_role('pg_signal_backend', 'USAGE') as may_end`,
  );
  const { version = 0, standby = false, login = '', may_end: mayEnd = false } = rows[0] ?? {};
  if (version < OLDEST_SERVER) {
    throw new MigrationError(
      `the server is Postgres ${String(Math.floor(version / 10_000))}; 15 or newer is needed`,
    );
  }
  if (standby) throw new MigrationError('the server is a standby: DATABASE_ADMIN_URL must name the primary');
  if (evict && !mayEnd) {
    throw new MigrationError(
      `--evict needs the right to end sessions: grant pg_signal_backend to ${login}, or leave it out`,
    );
  }
}
