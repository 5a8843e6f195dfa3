import { join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { AUDIT_ARCHIVE_PAGE_ROWS, DEPLOY_LOCK_WAIT_MS } from '../../limits.ts';
import { makeFolder } from '../../make-folder.ts';
import { openAdminConnection } from '../deploy/admin-connection.ts';
import {
  isContention,
  isTableOwnedByServiceOwner,
  readLockTimeoutMs,
  retryOnContention,
  takeMigrationLock,
} from '../deploy/locks.ts';
import { DeployHeldUp, MigrationError } from '../deploy/migration-error.ts';
import { type ArchivedMonth, verifyArchive, writeArchive } from './file.ts';

const APPLICATION_NAME = 'taxclaims-archive';

/** The owner role may read the list of archives; only the housekeeper role may read the audit records. */
type ArchiveRole = 'taxclaims_owner' | 'taxclaims_housekeeper';

interface ArchiveOptions {
  readonly adminUrl: string;
  /** The first month to keep; absent: the first of the retention period. */
  readonly before: string | undefined;
  readonly retentionMonths: number;
  /** The number of whole months that stay in any case. */
  readonly keep: number;
  readonly folder: string;
  readonly remove: boolean;
  readonly log: Logger;
  readonly maxWaitMs?: number;
}

/**
 * Writes the months of the audit log that precede `before` to files, and removes them from the log if `remove` is true.
 * @throws MigrationError, BrokenArchive
 */
export async function archiveAuditLog(options: ArchiveOptions): Promise<void> {
  const { adminUrl, folder, remove, log, maxWaitMs = DEPLOY_LOCK_WAIT_MS } = options;
  await using worker = await openAdminConnection(adminUrl, APPLICATION_NAME);
  await using holder = await openAdminConnection(adminUrl, APPLICATION_NAME);
  const { client } = worker;
  if (!(await worker.answered((session) => isTableOwnedByServiceOwner(session, 'deploy_lock'))))
    throw new MigrationError('the database is not migrated, or another login administers it');
  await takeMigrationLock(holder.client, maxWaitMs, () => 'a deploy, or another archive');
  const before = options.before ?? (await readMonthBeforeNow(client, options.retentionMonths));
  const kept = await readMonthBeforeNow(client, options.keep);
  if (before > kept)
    throw new MigrationError(`--keep ${options.keep} keeps ${kept} and later months: use --before ${kept} or earlier`);
  await makeFolder(folder);
  for (const partition of await readPartitions(client, before)) {
    const archives: Archive[] = [];
    for (const [month, records] of Object.entries(partition.months))
      archives.push(await archiveMonth(client, month, records, options));
    const { name, end } = partition;
    if (remove && end <= before) await removePartition(client, partition, archives, { ...options, maxWaitMs });
    else if (remove)
      log.warn(`${name} is not removed, because it has records up to ${end}: use --before ${end} or later`);
  }
}

async function readMonthBeforeNow(client: pg.Client, months: number): Promise<string> {
  const { rows } = await client.query<{ month: string }>(
    `select to_char(date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1), 'YYYY-MM') as month`,
    [months],
  );
  return rows[0]?.month ?? '';
}

/** A partition of the audit log; months are in UTC, as YYYY-MM. */
interface Partition {
  readonly name: string;
  /** The first day, or -infinity for the oldest partition. */
  readonly begin: string;
  /** The month after the last month. */
  readonly end: string;
  /** The number of audit records of each month. */
  readonly months: Readonly<Record<string, number>>;
}

/** Reads which partitions of the audit log have months before `before`, oldest first. */
async function readPartitions(client: pg.Client, before: string): Promise<readonly Partition[]> {
  const { rows } = await runAsRole(client, 'taxclaims_housekeeper', () =>
    client.query<Partition>(
      `select
         p.part::text as name,
         p.begins::date::text as begin,
         to_char(p.ends, 'YYYY-MM') as "end",
         json_object_agg(to_char(coalesce(m.month, p.begins), 'YYYY-MM'), coalesce(m.records, 0) order by m.month) as months
       from audit_log.parts() as p
       left join (
         select date_trunc('month', created_at at time zone 'UTC') as month, count(*) as records
         from public.audit_logs
         where created_at < $1
         group by 1
       ) as m on m.month >= p.begins and m.month < p.ends
       where p.begins < $1::timestamptz at time zone 'UTC'
         and p.ends < 'infinity'
         and coalesce(m.month, p.begins) > '-infinity'
       group by p.part, p.begins, p.ends
       order by p.ends`,
      [`${before}-01`],
    ),
  );
  return rows;
}

type Archive = ArchivedMonth & { readonly file: string };

/**
 * Writes a month to a file, unless a file already has all records. Late records, such as refusals that were kept on disk
 * during an outage, make it write the month again.
 */
async function archiveMonth(
  client: pg.Client,
  month: string,
  records: number,
  { folder, log }: ArchiveOptions,
): Promise<Archive> {
  const { rows: archives } = await runAsRole(client, 'taxclaims_owner', () =>
    client.query<Archive & { number: number; isRemoved: boolean }>(
      `select number, to_char(month, 'YYYY-MM') as month, records::integer, digest, file, removed_at is not null as "isRemoved"
       from audit.archives
       order by number`,
    ),
  );
  const latest = archives.findLast((one) => one.month === month && !one.isRemoved);
  if (latest?.records === records) return latest;
  const number = (archives.at(-1)?.number ?? 0) + 1;
  const file = `audit-${month}.${String(number).padStart(4, '0')}.ndjson.gz`;
  const path = join(folder, file);
  await runAsRole(client, 'taxclaims_housekeeper', () => writeArchive(path, month, readRecords(client, month)));
  const archive = { ...(await verifyArchive(path)), file };
  await runAsRole(client, 'taxclaims_owner', () =>
    client.query(
      // Only the files of earlier releases have the digest of a previous file.
      `insert into audit.archives (number, month, records, previous_digest, digest, file)
       values ($1, $2, $3, repeat('0', 64), $4, $5)`,
      [number, `${month}-01`, archive.records, archive.digest, file],
    ),
  );
  log.info(`${month}: ${archive.records} records in ${file}, digest ${archive.digest}`);
  return archive;
}

async function* readRecords(client: pg.Client, month: string): AsyncGenerator<string> {
  await client.query(
    `declare records no scroll cursor for
     select row_to_json(a)::text as record
     from public.audit_logs as a
     where created_at >= $1 and created_at < $1::timestamptz + interval '1 month'
     order by created_at, id`,
    [`${month}-01`],
  );
  for (;;) {
    const { rows } = await client.query<{ record: string }>(`fetch ${AUDIT_ARCHIVE_PAGE_ROWS} from records`);
    for (const { record } of rows) yield record;
    if (rows.length < AUDIT_ARCHIVE_PAGE_ROWS) return;
  }
}

async function removePartition(
  client: pg.Client,
  { name, begin, end }: Partition,
  archives: readonly Archive[],
  { folder, log, maxWaitMs }: ArchiveOptions & { readonly maxWaitMs: number },
): Promise<void> {
  for (const { file, digest } of archives)
    if ((await verifyArchive(join(folder, file))).digest !== digest)
      throw new MigrationError(`${file} is not the file that was archived: its digest differs`);
  const total = archives.reduce((sum, { records }) => sum + records, 0);
  const months = archives.map(({ month }) => month);
  const remove = () =>
    runAsRole(client, 'taxclaims_housekeeper', async () => {
      await client.query(`set local lock_timeout = ${await readLockTimeoutMs(client)}`);
      await client.query(`lock table ${name} in share mode`);
      const { rows } = await client.query<{ records: number }>(
        'select count(*)::integer as records from public.audit_logs where created_at >= $1 and created_at < $2',
        [begin, `${end}-01`],
      );
      if (rows[0]?.records !== total)
        throw new MigrationError(`${name} has other records than its archive files: run the command again`);
      await client.query('select audit_log.remove_part($1)', [name]);
      await client.query('set local role taxclaims_owner');
      await client.query(
        'update audit.archives set removed_at = now() where month = any ($1::date[]) and removed_at is null',
        [months.map((month) => `${month}-01`)],
      );
    });
  await retryOnContention(log, maxWaitMs, remove).catch((cause: unknown) => {
    if (!isContention(cause)) throw cause;
    throw new DeployHeldUp(`other transactions blocked the removal of ${name} for too long: run the command again`, {
      cause,
    });
  });
  log.info(`removed ${name}: ${total} records of ${months.join(', ')}`);
}

async function runAsRole<T>(client: pg.Client, role: ArchiveRole, callback: () => Promise<T>): Promise<T> {
  await client.query(`begin; set local role ${role}; set local timezone = 'UTC'; set local datestyle = 'ISO'`);
  try {
    const result = await callback();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
