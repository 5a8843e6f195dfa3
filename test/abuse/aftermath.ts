import { readFile } from 'node:fs/promises';
import { postmasterPid } from '../support/embedded.ts';
import type { World } from './world.ts';

/** The state of the service and its database, which a test reads before and after each group of attacks. */
export interface State {
  readonly ended: boolean;
  readonly postmaster: number;
  readonly foreignRows: string;
  readonly auditRecords: number;
  readonly megabytes: number;
}

/** How many megabytes more memory the service is allowed to use after a group of attacks. */
const MAY_GROW_MB = 256;
const TIMEOUT_MS = 10_000;

export async function stateOf(world: World): Promise<State> {
  const [row] = await world.admin('select count(*)::integer as count from public.audit_logs');
  return {
    ended: await Promise.race([world.started.ended.then(() => true), Promise.resolve(false)]),
    postmaster: await postmasterPid(world.adminUrl),
    foreignRows: await world.foreignRows(),
    auditRecords: Number(row?.['count']),
    megabytes: await residentMegabytes(world.started.pid),
  };
}

/** Finds damage that a group of attacks has done to the service or its database. */
export async function damagesBetween(
  world: World,
  before: State,
  refusals: readonly string[],
  mayGrowMb = MAY_GROW_MB,
): Promise<string[]> {
  const damages = [await unrecorded(world, refusals), await leftOpen(world), await unsound(world)];
  const after = await stateOf(world);
  if (after.ended) damages.push('the service has ended');
  if (after.postmaster !== before.postmaster) damages.push('Postgres has restarted');
  if (after.foreignRows !== before.foreignRows) damages.push('rows of another tenant have changed');
  if (after.auditRecords < before.auditRecords) damages.push('audit records are missing');
  if (after.megabytes > before.megabytes + mayGrowMb)
    damages.push(`the service’s memory grew from ${before.megabytes} to ${after.megabytes} MB`);
  return damages.filter((damage) => damage !== undefined);
}

/**
 * Waits until each refused request has exactly one audit record. If the database is busy, the service at first keeps
 * such a record on its disk.
 */
async function unrecorded(world: World, refusals: readonly string[]): Promise<string | undefined> {
  return becomes(async () => {
    const rows = await world.admin(
      `select r.id, count(a.id)::integer as records
         from unnest($1::text[]) as r (id)
         left join public.audit_logs as a on a.request_id = r.id
        group by r.id
       having count(a.id) <> 1 or r.id = ''`,
      [refusals],
    );
    return rows.length === 0
      ? undefined
      : `${rows.length} refusals do not have exactly one audit record each: ${JSON.stringify(rows[0])}`;
  });
}

async function leftOpen(world: World): Promise<string | undefined> {
  return becomes(async () => {
    const rows = await world.admin(
      `select usename, state, query from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    return rows.length === 0
      ? undefined
      : `a database connection is still busy or in a transaction: ${JSON.stringify(rows[0])}`;
  });
}

/** Checks that the audit views of the database report nothing, for example no changed right and no unknown object. */
async function unsound(world: World): Promise<string | undefined> {
  const rows = await world.admin(
    `select finding as what, object::text from audit.findings union all select change, object::text from audit.drift`,
  );
  return rows.length === 0 ? undefined : `the audit has findings: ${JSON.stringify(rows)}`;
}

/** Repeats a check until it finds no damage. Returns the damage that it still finds after TIMEOUT_MS. */
async function becomes(wrong: () => Promise<string | undefined>): Promise<string | undefined> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const damage = await wrong();
    if (damage === undefined || performance.now() > end) return damage;
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024);
}
