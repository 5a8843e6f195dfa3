import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Logger } from 'pino';
import { makeFolder } from '../../make-folder.ts';
import { openAdminConnection } from '../deploy/admin-connection.ts';
import { readLockTimeoutMs } from '../deploy/locks.ts';
import { isContention, isTableOwnedByServiceOwner, retryOnContention, takeMigrationLock } from '../deploy/locks.ts';
import { DeployHeldUp, MigrationError } from '../deploy/migration-error.ts';
import { NO_DIGEST, verifyArchive, writeArchive } from './file.ts';
import { AUDIT_ARCHIVE_PAGE_ROWS, DEPLOY_LOCK_WAIT_MS } from '../../limits.ts';
import {
  startOfMonth,
  type LatestArchive,
  monthAfter,
  type Partition,
  readLatestArchives,
  readPartitions,
} from './partitions.ts';

const APPLICATION_NAME = 'taxclaims-archive';

/** The owner role may read the list of archives; only the housekeeper role may read the audit records. */
type ArchiveRole = 'taxclaims_owner' | 'taxclaims_housekeeper';

interface ArchiveOptions {
  readonly adminUrl: string;
  readonly before: string;
  readonly keep: number;
  readonly folder: string;
  readonly remove: boolean;
  readonly log: Logger;
  readonly maxWaitMs?: number;
}

/**
 * Archives the months of the audit log that precede `before`, each in its own file. Without `before`, archives the
 * months older than the retention period. Skips the months that an earlier run of the command has already archived.
 * @throws MigrationError, BrokenArchive
 */
export async function archiveAuditLog({
  retentionMonths = 0,
  ...asked
}: Omit<ArchiveOptions, 'before'> & {
  before?: string | undefined;
  retentionMonths?: number;
}): Promise<void> {
  const { adminUrl, maxWaitMs = DEPLOY_LOCK_WAIT_MS } = asked;
  await using worker = await openAdminConnection(adminUrl, APPLICATION_NAME);
  await using lockHolder = await openAdminConnection(adminUrl, APPLICATION_NAME);
  const { client } = worker;
  if (!(await worker.answered((asked) => isTableOwnedByServiceOwner(asked, 'deploy_lock'))))
    throw new MigrationError('the database is not migrated, or its administrator is somebody else');
  await takeMigrationLock(lockHolder.client, maxWaitMs, () => 'a deploy, or another archive');
  const archiveOptions = {
    ...asked,
    before: asked.before ?? (await readMonthBeforeNow(client, retentionMonths)),
  };
  await refuseRecentMonths(client, archiveOptions);
  await makeFolder(archiveOptions.folder);
  const partitions = await runAsRole(client, 'taxclaims_housekeeper', () => readPartitions(client));
  for (const partition of partitions) await archivePartition(client, partition, archiveOptions);
  if (!archiveOptions.remove) return;
  for (const partition of partitions.filter(({ months }) => months.length > 0)) {
    const { name, to, months } = partition;
    if (to <= archiveOptions.before) await removePartition(client, partition, { ...archiveOptions, maxWaitMs });
    else if (months.some((month) => month < archiveOptions.before))
      archiveOptions.log.warn(
        `${name} is not removed, because it has records up to ${to}: use --before ${to} or later`,
      );
  }
}

async function refuseRecentMonths(client: pg.Client, { before, keep }: ArchiveOptions): Promise<void> {
  const firstKeptMonth = await readMonthBeforeNow(client, keep);
  if (before > firstKeptMonth)
    throw new MigrationError(
      `with --keep ${String(keep)} nothing of ${firstKeptMonth} or later is archived: --before ${firstKeptMonth}`,
    );
}

async function readMonthBeforeNow(client: pg.Client, months: number): Promise<string> {
  const { rows } = await client.query<{ month: string }>(
    `select to_char(date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1), 'YYYY-MM') as month`,
    [months],
  );
  return rows[0]?.month ?? '';
}

async function archivePartition(client: pg.Client, partition: Partition, options: ArchiveOptions): Promise<void> {
  for (const month of partition.months.filter((one) => one < options.before)) {
    const latestArchives = await runAsRole(client, 'taxclaims_owner', () => readLatestArchives(client));
    const databaseRecordCount = await runAsRole(client, 'taxclaims_housekeeper', () =>
      countRecordsBetween(client, startOfMonth(month), monthAfter(month)),
    );
    const latestArchiveOfMonth = latestArchives.find((one) => one.month === month);
    // Archives a month again if more audit records arrived, such as refusals that were kept on disk during an outage.
    if (
      latestArchiveOfMonth !== undefined &&
      databaseRecordCount === (latestArchiveOfMonth.isRemoved ? 0 : latestArchiveOfMonth.records)
    )
      continue;
    await archiveMonth(client, month, latestArchives, options);
  }
}

async function archiveMonth(
  client: pg.Client,
  month: string,
  latest: readonly LatestArchive[],
  { folder, log }: ArchiveOptions,
): Promise<void> {
  const previousArchive = latest.toSorted((a, b) => a.number - b.number).at(-1);
  const number = (previousArchive?.number ?? 0) + 1;
  const archiveFileName = `audit-${month}.${String(number).padStart(4, '0')}.ndjson.gz`;
  const newArchivePosition = { number, month, previous: previousArchive?.digest ?? NO_DIGEST };
  const writtenMonth = await runAsRole(client, 'taxclaims_housekeeper', () =>
    writeArchive(join(folder, archiveFileName), newArchivePosition, readRecordLines(client, month)),
  );
  const verifiedMonth = await verifyArchive(join(folder, archiveFileName));
  if (!isDeepStrictEqual(verifiedMonth, writtenMonth))
    throw new MigrationError(`${archiveFileName} is not what was written to it`);
  await runAsRole(client, 'taxclaims_owner', () =>
    client.query(
      `insert into audit.archives (number, month, records, previous_digest, digest, file)
       values ($1, $2, $3, $4, $5, $6)`,
      [number, `${month}-01`, writtenMonth.records, writtenMonth.previous, writtenMonth.digest, archiveFileName],
    ),
  );
  log.info(`${month}: ${String(writtenMonth.records)} records in ${archiveFileName}, digest ${writtenMonth.digest}`);
}

async function* readRecordLines(client: pg.Client, month: string): AsyncGenerator<string> {
  // Writing the month into the SQL text is safe, because PARTITIONS_QUERY formats every month as YYYY-MM.
  await client.query(
    `declare records no scroll cursor for
     select json_build_object(
         'id', id, 'created_at', created_at, 'user_id', user_id, 'actor', actor, 'action', action,
         'resource_type', resource_type, 'resource_id', resource_id, 'client_context', client_context,
         'success', success, 'error_message', error_message, 'ip_address', ip_address, 'user_agent', user_agent,
         'request_id', request_id, 'oldest_writer', oldest_writer::text, 'changed', changed,
         'writer', writer::text, 'kind', kind, 'internal', internal
     )::text as record
     from public.audit_logs
     where created_at >= '${startOfMonth(month)}' and created_at < '${startOfMonth(monthAfter(month))}'
     order by created_at, id`,
  );
  for (;;) {
    const { rows } = await client.query<{ record: string }>(`fetch ${AUDIT_ARCHIVE_PAGE_ROWS} from records`);
    for (const { record } of rows) yield record;
    if (rows.length < AUDIT_ARCHIVE_PAGE_ROWS) return;
  }
}

async function removePartition(
  client: pg.Client,
  partition: Partition,
  { folder, log, maxWaitMs }: ArchiveOptions & { readonly maxWaitMs: number },
): Promise<void> {
  const partitionArchives = (await runAsRole(client, 'taxclaims_owner', () => readLatestArchives(client))).filter(
    ({ month, isRemoved }) => !isRemoved && partition.months.includes(month),
  );
  for (const { file, digest } of partitionArchives) {
    if ((await verifyArchive(join(folder, file))).digest !== digest)
      throw new MigrationError(`${file} is not the file that was archived: its digest is another`);
  }
  const archivedRecordCount = partitionArchives.reduce((sum, { records }) => sum + records, 0);
  const lockAndRemovePartition = () =>
    runAsRole(client, 'taxclaims_housekeeper', async () => {
      await client.query(`set local lock_timeout = ${String(await readLockTimeoutMs(client))}`);
      await client.query(`lock table ${partition.name} in share mode`);
      const partitionStartTime = partition.isOpen ? '-infinity' : startOfMonth(partition.months[0] ?? '');
      if ((await countRecordsBetween(client, partitionStartTime, partition.to)) !== archivedRecordCount)
        throw new MigrationError(`${partition.name} holds other records than its files: run it again`);
      await client.query('select audit_log.remove_part($1)', [partition.name]);
      await client.query(`set local role taxclaims_owner`);
      await client.query(
        'update audit.archives set removed_at = now() where month = any ($1::date[]) and removed_at is null',
        [partition.months.map((month) => `${month}-01`)],
      );
    });
  await retryOnContention(log, maxWaitMs, lockAndRemovePartition).catch((cause: unknown) => {
    if (!isContention(cause)) throw cause;
    const removalBlockedText = `others were in the way of removing ${partition.name} for too long; run it again`;
    throw new DeployHeldUp(removalBlockedText, { cause });
  });
  log.info(`removed ${partition.name}: ${String(archivedRecordCount)} records of ${partition.months.join(', ')}`);
}

async function countRecordsBetween(client: pg.Client, first: string, monthAfterLast: string): Promise<number> {
  const { rows } = await client.query<{ records: number }>(
    `select count(*)::integer as records from public.audit_logs where created_at >= $1 and created_at < $2`,
    [first, startOfMonth(monthAfterLast)],
  );
  return rows[0]?.records ?? 0;
}

async function runAsRole<T>(client: pg.Client, role: ArchiveRole, callback: () => Promise<T>): Promise<T> {
  await client.query(`begin; set local role ${role}; set local timezone = 'UTC'; set local datestyle = 'ISO'`);
  try {
    const callbackResult = await callback();
    await client.query('commit');
    return callbackResult;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
