import type pg from 'pg';
import type { Logger } from 'pino';
import { readDeclaredFacts, type DatabaseFact } from '../audit/declared.ts';
import { readServerRelease } from '../audit/state.ts';
import { findAdminServerUrl, openAdminConnection, type AdminConnection } from './admin-connection.ts';
import * as apply from './apply.ts';
import { isContention, ownerHasTable, retryOnContention, takeMigrationLock } from './locks.ts';
import { isReleaseDeployed } from './deployed-release.ts';
import {
  logDrift,
  readDrift,
  readDriftBeforeDeploy,
  refuseDroppedTables,
  refuseRemainingDrift,
} from './drift.ts';
import { DEPLOY_LOCK_WAIT_MS, DEPLOY_LOG_BLOCKERS_MS } from '../../limits.ts';
import { DeployHeldUp, MigrationError } from './migration-error.ts';
import {
  findPendingMigrations,
  readMigrationFiles,
  recordDigests,
  refuseMissingMigrationList,
  restoreMigrationList,
} from './migration-list.ts';
import { addOwnerToError } from './refused.ts';
import { runAsOwner, migrationsByPhase, runInOwnTransaction, runMigration } from './run-migrations.ts';
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
}

/**
 * Deploys this release to a database. A deploy is safe to repeat, to run twice at once, and to run under load.
 * @throws DeployHeldUp naming the blocking sessions; MigrationError naming the file and the error of Postgres
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const serverUrl = await findAdminServerUrl(options.adminUrl);
  await using worker = await openAdminConnection(serverUrl, APPLICATION_NAME);
  await worker.answered((client) => refuseUnsuitableServer(client, options.evict ?? false));
  await using lockHolder = await openAdminConnection(serverUrl, APPLICATION_NAME);
  try {
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
  const pollMs = Math.ceil((await worker.answered(apply.readLockTimeoutMs)) / 3);
  const blockerWatch = createBlockerWatch({ log, reportAfterMs, evict, pollMs });
  const runStep = <T>(stepName: string, operation: () => Promise<T>): Promise<T> =>
    blockerWatch.whileWatching(stepName, worker, lockHolder, () =>
      retryOnContention(log, maxWaitMs, operation).catch((cause: unknown) => {
        if (!isContention(cause)) throw cause;
        const maxWaitSeconds = Math.round(maxWaitMs / 1_000);
        throw new DeployHeldUp(
          `${stepName} was held up for ${maxWaitSeconds} s by ${blockerWatch.lastBlockers()}`,
          {
            cause,
          },
        );
      }),
    );

  const [migrations, files] = await Promise.all([readMigrationFiles(), apply.readSqlFiles()]);
  const ownsTable = (table: 'deploy_lock' | 'migrations'): Promise<boolean> =>
    runStep('a look at the catalog', () => ownerHasTable(client, table));
  const readPendingMigrations = (): Promise<string[]> =>
    runStep('the list of migrations', () =>
      runAsOwner(client, () => findPendingMigrations(client, migrations)),
    );
  // Fails early if a newer release was deployed; the deploy reads the list of migrations again under its lock.
  if (await ownsTable('migrations')) await readPendingMigrations();
  else await runStep('a look at the catalog', () => refuseMissingMigrationList(client));
  if (!(await ownsTable('deploy_lock'))) {
    await runStep('db/roles.sql', () => apply.applyRoles(client, files));
    await runStep('db/deploy-lock.sql', () => apply.createMigrationLockTable(client, files));
  }
  await blockerWatch.whileWatching('the lock of the deploy', lockHolder, worker, () =>
    takeMigrationLock(lockHolder.client, maxWaitMs, blockerWatch.lastBlockers),
  );
  const pendingMigrationNames = await readPendingMigrations();
  const releaseToDeploy = { files, migrations, declared: await declaredFactsFor(client, log) };
  if (
    pendingMigrationNames.length === 0 &&
    (await runStep('a look at what stands', () =>
      runAsOwner(client, () => isReleaseDeployed(client, releaseToDeploy)),
    ))
  ) {
    await runStep('the months of the audit log', () => apply.maintainAuditLog(client, files));
    log.info('the database is as this release declares it: nothing was applied');
    return;
  }
  const driftBeforeDeploy = await runStep('the search for drift', () =>
    runAsOwner(client, () => readDriftBeforeDeploy(client, log)),
  );
  if (strict) refuseRemainingDrift(driftBeforeDeploy);
  await runStep('the list of migrations', () => runAsOwner(client, () => restoreMigrationList(client, log)));
  await runStep('db/roles.sql', () => apply.applyRoles(client, files));
  const { beforehand, withRights } = await migrationsByPhase(pendingMigrationNames);
  if (pendingMigrationNames.length > 0)
    log.info(
      { migrations: pendingMigrationNames },
      `applying ${pendingMigrationNames.length} migration${pendingMigrationNames.length === 1 ? '' : 's'}`,
    );
  for (const name of beforehand) {
    await runStep(`db/migrations/${name}.sql`, () => runInOwnTransaction(client, name));
  }
  const applyPendingMigrations = async (): Promise<void> => {
    for (const name of withRights) {
      await runMigration(client, name);
    }
    await recordDigests(client, migrations);
    await refuseDroppedTables(client, driftBeforeDeploy, releaseToDeploy.declared);
    await apply.makeAuditTables(client, log);
  };
  await runStep('the deploy of the rights', () =>
    apply.applyPolicies(client, releaseToDeploy, strict, applyPendingMigrations),
  );
  const driftAfterDeploy = await runStep('a look at what drifts', () =>
    runAsOwner(client, () => readDrift(client)),
  );
  logDrift(log, driftBeforeDeploy, driftAfterDeploy);
  log.info('the database is migrated and its policies are applied');
}

async function declaredFactsFor(client: pg.Client, log: Logger): Promise<readonly DatabaseFact[]> {
  const serverRelease = await readServerRelease(client);
  const declaredRelease = await readDeclaredFacts(serverRelease);
  if (declaredRelease.release !== serverRelease) {
    log.warn(
      `the repository declares nothing for Postgres ${String(serverRelease)}: audit.drift compares with what holds on ${String(declaredRelease.release)}`,
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
