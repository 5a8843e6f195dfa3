import type pg from 'pg';
import type { Logger } from 'pino';
import { readDeclared, type Fact } from '../audit/declared.ts';
import { serverRelease } from '../audit/state.ts';
import { adminServer, openAdminConnection, type AdminConnection } from './admin-connection.ts';
import * as apply from './apply.ts';
import { isContention, ownerHas, retryingOnContention, takeMigrationLock } from './locks.ts';
import { isDeployed } from './deployed-release.ts';
import { logDrift, readDrift, readDriftBefore, refuseDroppedTables, refuseWhatStays } from './drift.ts';
import { DEPLOY_WAIT_MS, DEPLOY_SAY_MS } from '../../limits.ts';
import { DeployHeldUp, MigrationError } from './migration-error.ts';
import {
  pendingMigrations,
  readMigrationFiles,
  recordDigests,
  refuseWithoutList,
  restoreList,
} from './migration-list.ts';
import { namingOwner } from './refused.ts';
import { asOwner, migrationsByPhase, runAlone, runMigration } from './run-migrations.ts';
import { createWatch } from './watch.ts';

const OLDEST_SERVER = 150_000;
const APPLICATION = 'taxclaims-migrate';

export interface MigrateOptions {
  readonly adminUrl: string;
  readonly log: Logger;
  readonly maxWaitMs?: number | undefined;
  readonly sayAfterMs?: number | undefined;
  readonly evict?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

/**
 * Brings a database to this release. It may run again, twice at once, under load, and after a killed run.
 * @throws DeployHeldUp naming the blocking sessions; MigrationError naming the file and the error of Postgres
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const server = await adminServer(options.adminUrl);
  await using worker = await openAdminConnection(server, APPLICATION);
  await worker.answered((client) => refuseUnfit(client, options.evict ?? false));
  await using keeper = await openAdminConnection(server, APPLICATION);
  try {
    await deploy(worker, keeper, options);
  } catch (error) {
    throw await worker.answered((client) => namingOwner(client, error));
  }
}

/** The worker deploys; the keeper holds the deploy's lock and watches which sessions block the worker. */
async function deploy(
  worker: AdminConnection,
  keeper: AdminConnection,
  {
    log,
    maxWaitMs = DEPLOY_WAIT_MS,
    sayAfterMs = DEPLOY_SAY_MS,
    evict = false,
    strict = false,
  }: MigrateOptions,
): Promise<void> {
  const { client } = worker;
  const everyMs = Math.ceil((await worker.answered(apply.shortLockTimeout)) / 3);
  const watch = createWatch({ log, sayAfterMs, evict, everyMs });
  const step = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    watch.during(what, worker, keeper, () =>
      retryingOnContention(log, maxWaitMs, work).catch((cause: unknown) => {
        if (!isContention(cause)) throw cause;
        const seconds = Math.round(maxWaitMs / 1_000);
        throw new DeployHeldUp(`${what} was held up for ${seconds} s by ${watch.lastBlockers()}`, { cause });
      }),
    );

  const [migrations, files] = await Promise.all([readMigrationFiles(), apply.readSqlFiles()]);
  const owned = (table: 'deploy_lock' | 'migrations'): Promise<boolean> =>
    step('a look at the catalog', () => ownerHas(client, table));
  const readList = (): Promise<string[]> =>
    step('the list of migrations', () => asOwner(client, () => pendingMigrations(client, migrations)));
  // The list of migrations shows whether a newer release was deployed. It is read again below, under the lock.
  if (await owned('migrations')) await readList();
  else await step('a look at the catalog', () => refuseWithoutList(client));
  if (!(await owned('deploy_lock'))) {
    await step('db/roles.sql', () => apply.applyRoles(client, files));
    await step('db/deploy-lock.sql', () => apply.makeMigrationLock(client, files));
  }
  await watch.during('the lock of the deploy', keeper, worker, () =>
    takeMigrationLock(keeper.client, maxWaitMs, watch.lastBlockers),
  );
  const pending = await readList();
  const release = { files, migrations, declared: await declaredFor(client, log) };
  if (
    pending.length === 0 &&
    (await step('a look at what stands', () => asOwner(client, () => isDeployed(client, release))))
  ) {
    await step('the months of the audit log', () => apply.tendAuditLog(client, files));
    log.info('the database is as this release declares it: nothing was applied');
    return;
  }
  const before = await step('a look at what drifted', () =>
    asOwner(client, () => readDriftBefore(client, log)),
  );
  if (strict) refuseWhatStays(before);
  await step('the list of migrations', () => asOwner(client, () => restoreList(client, log)));
  await step('db/roles.sql', () => apply.applyRoles(client, files));
  const { beforehand, withRights } = await migrationsByPhase(pending);
  if (pending.length > 0) log.info({ migrations: pending }, `applying ${pending.length} migrations`);
  for (const name of beforehand) {
    await step(`db/migrations/${name}.sql`, () => runAlone(client, name));
  }
  const applyPending = async (): Promise<void> => {
    for (const name of withRights) {
      await runMigration(client, name);
    }
    await recordDigests(client, migrations);
    await refuseDroppedTables(client, before, release.declared);
    await apply.makeAuditTables(client, log);
  };
  await step('the deploy of the rights', () => apply.applyPolicies(client, release, strict, applyPending));
  const after = await step('a look at what drifts', () => asOwner(client, () => readDrift(client)));
  logDrift(log, before, after);
  log.info('the database is migrated and its policies are applied');
}

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
