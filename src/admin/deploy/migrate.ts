import type pg from 'pg';
import type { Logger } from 'pino';
import { readDeclaredFacts, type DatabaseFact } from '../audit/declared.ts';
import { readServerRelease } from '../audit/state.ts';
import { findAdminServerUrl, openAdminConnection, type AdminConnection } from './admin-connection.ts';
import { describeRightsLostByOthers, describeRightsThatStay, refuseWeakAdministrator } from './administrator.ts';
import * as apply from './apply.ts';
import {
  isContention,
  isTableOwnedByServiceOwner,
  readLockTimeoutMs,
  retryOnContention,
  takeMigrationLock,
} from './locks.ts';
import { isReleaseDeployed, type ReleaseContents } from './deployed-release.ts';
import {
  knowsHomes,
  logDrift,
  readDrift,
  readDriftBeforeDeploy,
  refuseDroppedTables,
  refuseRemainingDrift,
} from './drift.ts';
import { DEPLOY_LOCK_WAIT_MS, DEPLOY_LOG_BLOCKERS_MS } from '../../limits.ts';
import { DeployHeldUp, MigrationError } from './migration-error.ts';
import { findPendingMigrations, storeMigrationDigests, refuseMissingMigrationList } from './migration-list.ts';
import { addOwnerToError } from './refused.ts';
import { findMigrationsBeforehand, runAsOwner, runInOwnTransaction, runMigrations } from './run-migrations.ts';
import { readSqlFiles, type SqlFiles } from './sql-files.ts';
import { BlockerWatch } from './watch.ts';

const OLDEST_SERVER_VERSION = 150_000;
const APPLICATION_NAME = 'taxclaims-migrate';

export interface MigrateOptions {
  readonly adminUrl: string;
  readonly log: Logger;
  readonly maxWaitMs?: number | undefined;
  readonly reportAfterMs?: number | undefined;
  readonly evict?: boolean | undefined;
  readonly strict?: boolean | undefined;
  /** The reason for which the deploy accepts what only the provider of the server can change. */
  readonly acceptedHome?: string | undefined;
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
      log.info('the deploy was ended: Postgres rolls its unfinished step back, and the next deploy repeats the step');
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
    throw addOwnerToError(error);
  }
}

type RunStep = <T>(step: string, operation: () => Promise<T>) => Promise<T>;

/** `worker` is the connection that deploys; `lockHolder` has the deploy's lock and watches who blocks `worker`. */
async function deployRelease(
  worker: AdminConnection,
  lockHolder: AdminConnection,
  options: MigrateOptions,
): Promise<void> {
  const { client } = worker;
  const {
    log,
    maxWaitMs = DEPLOY_LOCK_WAIT_MS,
    reportAfterMs = DEPLOY_LOG_BLOCKERS_MS,
    evict = false,
    strict = false,
    acceptedHome,
  } = options;
  const pollMs = Math.ceil((await worker.answered(readLockTimeoutMs)) / 3);
  const watch = new BlockerWatch({ log, reportAfterMs, evict, pollMs });
  const run: RunStep = (step, operation) =>
    watch.during(step, worker, lockHolder, () =>
      retryOnContention(log, maxWaitMs, operation).catch((cause: unknown) => {
        if (!isContention(cause)) throw cause;
        const seconds = Math.round(maxWaitMs / 1_000);
        throw new DeployHeldUp(`${step} was blocked for ${seconds} s by ${watch.lastBlockers()}`, { cause });
      }),
    );
  const files = await readSqlFiles();
  await run('the check of the database catalog', () => refuseWeakAdministrator(client, files));
  await prepareLock(client, files, { log, run });
  await watch.during('the wait for the deploy lock', lockHolder, worker, () =>
    takeMigrationLock(lockHolder.client, maxWaitMs, () => watch.lastBlockers()),
  );
  const pending = await readPending(client, files, run);
  const release = { files, declared: await readDeclaredFactsOfServer(client, log) };
  if (
    pending.length === 0 &&
    (await run('the comparison with the last deploy', () =>
      runAsOwner(client, () => isReleaseDeployed(client, release)),
    ))
  ) {
    await run('the creation of audit log partitions', () => apply.maintainAuditLog(client, files));
    if (acceptedHome !== undefined) await apply.acceptHomeWithoutDeploy(client, acceptedHome);
    log.info('the database already matches this release: nothing was applied');
  } else await applyRelease(client, release, pending, { log, run, strict, acceptedHome });
}

function readPending(client: pg.Client, files: SqlFiles, run: RunStep): Promise<string[]> {
  return run('the list of migrations', () => runAsOwner(client, () => findPendingMigrations(client, files)));
}

/** Makes the table that a deploy locks. Fails if a newer release was deployed; the deploy looks again under its lock. */
async function prepareLock(
  client: pg.Client,
  files: SqlFiles,
  { log, run }: { readonly log: Logger; readonly run: RunStep },
): Promise<void> {
  const owned = (table: 'deploy_lock' | 'migrations'): Promise<boolean> =>
    run('the check of the database catalog', () => isTableOwnedByServiceOwner(client, table));
  if (await owned('migrations')) await readPending(client, files, run);
  else await run('the check of the database catalog', () => refuseMissingMigrationList(client));
  if (await owned('deploy_lock')) return;
  for (const loss of await describeRightsLostByOthers(client)) log.warn(loss);
  await run('db/roles.sql', () => apply.applyRoles(client, files));
  await run('db/deploy-lock.sql', () => apply.createMigrationLockTable(client, files));
}

async function applyRelease(
  client: pg.Client,
  release: ReleaseContents,
  pending: readonly string[],
  { log, run, ...acceptance }: apply.Acceptance & { readonly log: Logger; readonly run: RunStep },
): Promise<void> {
  const { files, declared } = release;
  const before = await run('the search for drift', () => runAsOwner(client, () => readDriftBeforeDeploy(client, log)));
  if (acceptance.strict && (acceptance.acceptedHome === undefined || (await knowsHomes(client))))
    refuseRemainingDrift(before ?? []);
  await run('db/roles.sql', () => apply.applyRoles(client, files));
  if (pending.length > 0)
    log.info({ migrations: pending }, `applying ${pending.length} migration${pending.length === 1 ? '' : 's'}`);
  for (const name of findMigrationsBeforehand(files, pending))
    await run(`db/migrations/${name}.sql`, () => runInOwnTransaction(client, files, name));
  await run('the deploy of the rights', () =>
    apply.applyPolicies(client, release, { ...acceptance, before }, async () => {
      await runMigrations(client, files);
      await storeMigrationDigests(client, files);
      await refuseDroppedTables(client, declared);
    }),
  );
  for (const right of await runAsOwner(client, () => describeRightsThatStay(client))) log.warn(right);
  const after = await run('the search for remaining drift', () => runAsOwner(client, () => readDrift(client)));
  await runAsOwner(client, () => logDrift(client, log, before ?? [], after));
  log.info('the database is migrated and its policies are applied');
}

async function readDeclaredFactsOfServer(client: pg.Client, log: Logger): Promise<readonly DatabaseFact[]> {
  const server = await readServerRelease(client);
  const { release, facts } = await readDeclaredFacts(server);
  if (release !== server)
    log.warn(
      `db/audit/declared has no file for Postgres ${server}: audit.drift compares with the file for Postgres ${release}`,
    );
  return facts;
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
