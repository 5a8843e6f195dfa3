import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { withAdmin } from '../support/database.ts';
import { ask } from '../support/http.ts';
import { check, fill, fixtureOf } from './account.ts';
import type { Violation } from './account.ts';
import type { Cluster } from './cluster.ts';
import type { Fault } from './fault.ts';
import { HEALTH } from './journal.ts';
import type { Entry } from './journal.ts';
import { startLoad } from './load-process.ts';
import type { LoadProcess } from './load-process.ts';
import { OPERATIONS } from './load/operations.ts';
import { CHANGE_RIGHTS, USE_RIGHTS } from './load/rights.ts';
import type { Plan } from './load/people.ts';
import { hurryMails, untilClockMeasured, untilDelivered } from './parts.ts';
import { serving } from './serving.ts';
import { openWorld } from './world.ts';
import type { World } from './world.ts';

export interface Outcome {
  readonly fault: string;
  readonly entries: readonly Entry[];
  readonly violations: readonly Violation[];
  /** When the failure began and when it was repaired, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The output of the service if a check failed after the load test; empty if all checks succeeded. */
  readonly output: string;
}

const BEFORE_MS = 1_200;
const AFTER_MS = 1_800;

/**
 * If a failure breaks database sessions of the service, the service must have ended them after this time, in
 * milliseconds.
 */
const SETTLED_MS = 20_000;

/** Runs a load test, causes a failure in the middle of it, and then checks the database. */
export async function tryFault(cluster: Cluster, fault: Fault, seed: number): Promise<Outcome> {
  const world = await openWorld(cluster, fault.world);
  try {
    const { pid, port } = world.service;
    const fixture = await withAdmin(world.adminUrl, fixtureOf);
    await untilClockMeasured(world.admin);
    // A load balancer asks for the health of an instance before it sends requests to it.
    await ask(port, 'GET /health').catch(() => undefined);
    const load = await startLoad(world.folder, {
      ...{ port, seed, people: world.people, without: fault.without ?? [], ...rightsIn(world) },
    });
    await delay(BEFORE_MS);
    const from = Date.now();
    const found = await go(world, load, fault);
    const to = Date.now();
    await delay(AFTER_MS);
    const entries = await load.finish();
    await settle(world, entries);
    await settleParts(world);
    const { spares = () => false } = fault;
    const spared = [...OPERATIONS.map(({ name }) => name), HEALTH, CHANGE_RIGHTS, USE_RIGHTS].filter(spares);
    // If the service is killed, unfinished uploads stay in the folder of documents. The next process of the service
    // removes them only after an hour.
    const halfWritten = fault.endsService === true ? [] : await world.halfWritten();
    const ledger = {
      fixture,
      entries,
      contents: [...(await world.contents()), ...halfWritten],
      spared,
      parts: world.parts,
      troubles: [{ from, to }],
    };
    const wrong = await withAdmin(world.adminUrl, async (admin) => {
      await fill(admin, ledger);
      return [...(await check(admin)), ...(await unmet(admin, fault.meets ?? {}))];
    });
    found.push(...wrong, ...(await serving(world, { pid, endsService: fault.endsService === true })));
    const output = found.length > 0 ? world.service.output : '';
    return { fault: fault.name, entries, violations: found, from, to, output };
  } finally {
    await world.close();
  }
}

/** Returns the users whose rights the load test changes, and the ports of all instances of the service. */
export function rightsIn({ parts, service, peer }: World): Pick<Plan, 'rights' | 'ports'> {
  return { rights: parts.rights, ports: [service, peer].flatMap((one) => (one === undefined ? [] : [one.port])) };
}

/**
 * Starts a further instance of the service, and waits until all rights and mails have arrived. A new instance sends due
 * mails at once, while a running instance looks for them only every minute.
 */
export async function settleParts({ admin, peer }: World): Promise<void> {
  if (peer !== undefined) {
    if (peer.isRunning) peer.signal('SIGTERM');
    await peer.ended();
    await hurryMails(admin);
    await peer.start();
  }
  await untilDelivered(admin);
}

/** Returns a violation for each kind of request that the failure was meant to hit and did not hit. */
async function unmet(admin: Client, meets: NonNullable<Fault['meets']>): Promise<Violation[]> {
  const found = await Promise.all(Object.values(meets).map((sql) => admin.query(sql)));
  return Object.keys(meets)
    .filter((_, index) => found[index]?.rows.length === 0)
    .map((detail) => ({ check: 'the fault affects the requests that it is meant to affect', detail }));
}

/**
 * Causes a failure and repairs it. If this throws an unexpected error, the error becomes a violation, and the checks of
 * the database still run.
 */
async function go(world: World, load: LoadProcess, fault: Fault): Promise<Violation[]> {
  try {
    const mend = await fault.begin(world, load);
    await delay(fault.holdMs);
    await mend();
    return [];
  } catch (error) {
    return [{ check: fault.must, detail: error instanceof Error ? error.message : String(error) }];
  }
}

/**
 * Waits for a limited time until the service is idle: it has recorded every refusal that it kept on the disk, and none
 * of its database sessions works. The checks of the database need this state.
 */
export async function settle(
  { admin, database }: Pick<World, 'admin' | 'database'>,
  entries: readonly Entry[],
): Promise<void> {
  const refused = entries.filter(({ status }) => status === 401 || status === 403).length;
  const atRest = `
    select (select count(*) from public.audit_logs where not success) >= $2
        and not exists (
            select
            from pg_stat_activity
            where datname = $1 and application_name like 'taxclaims%' and xact_start is not null
        ) as is_so`;
  const end = Date.now() + SETTLED_MS;
  while (Date.now() < end) {
    const [{ is_so: isSo } = {}] = await admin(atRest, [database, refused]);
    if (isSo === true) return;
    await delay(100);
  }
}
