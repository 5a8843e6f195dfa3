import type pg from 'pg';
import type { Logger } from 'pino';
import { readDeclaredFacts, type DatabaseFact } from '../audit/declared.ts';
import { readServerRelease } from '../audit/state.ts';
import { findAdminServerUrl, openAdminConnection, type AdminConnection } from './admin-connection.ts';
import * as apply from './apply.ts';
import {
  isContention,
  isTableOwnedByServiceOwner,
  readLockTimeoutMs,
  retryOnContention,
  takeMigrationLock,
} from './locks.ts';
import { isReleaseDeployed } from './deployed-release.ts';
import { logDrift, readDrift, readDriftBeforeDeploy, refuseDroppedTables, refuseRemainingDrift } from './drift.ts';
import { DEPLOY_LOCK_WAIT_MS, DEPLOY_LOG_BLOCKERS_MS } from '../../limits.ts';
import { DeployHeldUp, MigrationError } from './migration-error.ts';
import {
  findPendingMigrations,
  storeMigrationDigests,
  refuseMissingMigrationList,
  restoreMigrationList,
} from './migration-list.ts';
import { addOwnerToError } from './refused.ts';
import { findMigrationsBeforehand, runAsOwner, runInOwnTransaction, runMigrations } from './run-migrations.ts';
import { readSqlFiles } from './sql-files.ts';
import { createBlockerWatch } from './watch.ts';

const OLDEST_SERVER_VERSION = 150_000;
const APPLICATION_NAME = 'taxclaims-migrate';

export interface MigrateOptions {
  readonly adminUrl: string;
  readonly log: Logger;
  readonly maxWaitMs?: number | undefined;
  readonly reportAfterMs?: number | undefined;
  readonly evict?: boolean | undefined;
  readonly strict?: boolean | undefined;
  /** Ends the deploy between two migrations: Postgres rolls back the migration that runs. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Deploys this release to a database. A deploy is safe to repeat, to run twice at once, and to run under load.
 * @throws DeployHeldUp naming the blocking sessions; MigrationError naming the file and the error of Postgres; the
 * reason of an aborted `ending`
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { log, ending } = options;
  try {
    await deployOverConnections(options);
  } catch (error) {
    if (ending?.aborted === true)
      log.info('the migration of the database was ended: no unfinished step stays, and the next migration repeats it');
    ending?.throwIfAborted();
    throw error;
  }
}

async function deployOverConnections(options: MigrateOptions): Promise<void> {
  const { adminUrl, ending, evict = false } = options;
  const serverUrl = await findAdminServerUrl(adminUrl);
  await using worker = await openAdminConnection(serverUrl, APPLICATION_NAME, ending);
  await worker.answered((client) => refuseUnsuitableServer(client, evict));
  await using lockHolder = await openAdminConnection(serverUrl, APPLICATION_NAME, ending);
  try {
    ending?.throwIfAborted();
    await deployRelease(worker, lockHolder, options);
  } catch (error) {
    throw await worker.answered((client) => addOwnerToError(client, error));
  }
}

/** `worker` is the connection that deploys; `lockHolder` has the deploy's lock and watches who blocks `worker`. */
async function deployRelease(
  worker: AdminConnection,
  lockHolder: AdminConnection,
  {
    log,
    maxWaitMs = DEPLOY_LOCK_WAIT_MS,
    reportAfterMs = DEPLOY_LOG_BLOCKERS_MS,
    evict = false,
    strict = false,
  }: MigrateOptions,
): Promise<void> {
  const { client } = worker;
  const pollMs = Math.ceil((await worker.answered(readLockTimeoutMs)) / 3);
  const blockerWatch = createBlockerWatch({ log, reportAfterMs, evict, pollMs });
  const runDeployStep = <T>(stepName: string, operation: () => Promise<T>): Promise<T> =>
    blockerWatch.whileWatching(stepName, worker, lockHolder, () =>
      retryOnContention(log, maxWaitMs, operation).catch((cause: unknown) => {
        if (!isContention(cause)) throw cause;
        const maxLockWaitSeconds = Math.round(maxWaitMs / 1_000);
        throw new DeployHeldUp(
          `${stepName} was held up for ${maxLockWaitSeconds} s by ${blockerWatch.lastBlockers()}`,
          {
            cause,
          },
        );
      }),
    );

  const files = await readSqlFiles();
  const isTableOwned = (table: 'deploy_lock' | 'migrations'): Promise<boolean> =>
    runDeployStep('a look at the catalog', () => isTableOwnedByServiceOwner(client, table));
  const readPendingMigrations = (): Promise<string[]> =>
    runDeployStep('the list of migrations', () => runAsOwner(client, () => findPendingMigrations(client, files)));
  // Fails early if a newer release was deployed; the deploy reads the list of migrations again under its lock.
  if (await isTableOwned('migrations')) await readPendingMigrations();
  else await runDeployStep('a look at the catalog', () => refuseMissingMigrationList(client));
  if (!(await isTableOwned('deploy_lock'))) {
    await runDeployStep('db/roles.sql', () => apply.applyRoles(client, files));
    await runDeployStep('db/deploy-lock.sql', () => apply.createMigrationLockTable(client, files));
  }
  await blockerWatch.whileWatching('the lock of the deploy', lockHolder, worker, () =>
    takeMigrationLock(lockHolder.client, maxWaitMs, blockerWatch.lastBlockers),
  );
  const pendingMigrationNames = await readPendingMigrations();
  const newRelease = { files, declared: await readDeclaredFactsOfServer(client, log) };
  if (
    pendingMigrationNames.length === 0 &&
    (await runDeployStep('a look at what stands', () =>
      runAsOwner(client, () => isReleaseDeployed(client, newRelease)),
    ))
  ) {
    await runDeployStep('the months of the audit log', () => apply.maintainAuditLog(client, files));
    log.info('the database is as this release declares it: nothing was applied');
    return;
  }
  const driftBeforeDeploy = await runDeployStep('the search for drift', () =>
    runAsOwner(client, () => readDriftBeforeDeploy(client, log)),
  );
  if (strict) refuseRemainingDrift(driftBeforeDeploy);
  await runDeployStep('the list of migrations', () => runAsOwner(client, () => restoreMigrationList(client, log)));
  await runDeployStep('db/roles.sql', () => apply.applyRoles(client, files));
  if (pendingMigrationNames.length > 0)
    log.info(
      { migrations: pendingMigrationNames },
      `applying ${pendingMigrationNames.length} migration${pendingMigrationNames.length === 1 ? '' : 's'}`,
    );
  for (const name of findMigrationsBeforehand(files, pendingMigrationNames)) {
    await runDeployStep(`db/migrations/${name}.sql`, () => runInOwnTransaction(client, files, name));
  }
  const applyPendingMigrations = async (): Promise<void> => {
    await runMigrations(client, files);
    await storeMigrationDigests(client, files);
    await refuseDroppedTables(client, driftBeforeDeploy, newRelease.declared);
    await apply.makeAuditTables(client, log);
  };
  await runDeployStep('the deploy of the rights', () =>
    apply.applyPolicies(client, newRelease, strict, applyPendingMigrations),
  );
  const driftAfterDeploy = await runDeployStep('a look at what drifts', () =>
    runAsOwner(client, () => readDrift(client)),
  );
  logDrift(log, driftBeforeDeploy, driftAfterDeploy);
  log.info('the database is migrated and its policies are applied');
}

async function readDeclaredFactsOfServer(client: pg.Client, log: Logger): Promise<readonly DatabaseFact[]> {
  const postgresServerRelease = await readServerRelease(client);
  const declaredRelease = await readDeclaredFacts(postgresServerRelease);
  if (declaredRelease.release !== postgresServerRelease) {
    log.warn(
      `the repository declares nothing for Postgres ${String(postgresServerRelease)}: audit.drift compares with what holds on ${String(declaredRelease.release)}`,
    );
  }
  return declaredRelease.facts;
}

async function refuseUnsuitableServer(client: pg.Client, evict: boolean): Promise<void> {
  const { rows } = await client.query<{ version: number; standby: boolean; login: string; may_end: boolean }>(
    `select
        current_setting('server_version_num')::integer as version,
        pg_is_in_recovery() as standby,
        current_user as login,
        pg_has_role('pg_signal_backend', 'USAGE') as may_end`,
  );
  const { version = 0, standby = false, login = '', may_end: mayEnd = false } = rows[0] ?? {};
  if (version < OLDEST_SERVER_VERSION) {
    throw new MigrationError(`the server is Postgres ${String(Math.floor(version / 10_000))}; 15 or newer is needed`);
  }
  if (standby) throw new MigrationError('the server is a standby: DATABASE_ADMIN_URL must name the primary');
  if (evict && !mayEnd) {
    throw new MigrationError(
      `--evict needs the right to end sessions: grant pg_signal_backend to ${login}, or leave it out`,
    );
  }
}
