import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fixtureOf, UNTOUCHED } from '../../test/faults/account.ts';
import { startLoad } from '../../test/faults/load-process.ts';
import type { LoadProcess } from '../../test/faults/load-process.ts';
import { createServiceProcess } from '../../test/faults/service-process.ts';
import type { ServiceProcess } from '../../test/faults/service-process.ts';
import { filesBelow } from '../../test/faults/stored-contents.ts';
import { loadTenant, peopleOf, WORDS } from '../../test/faults/tenants.ts';
import { withAdmin } from '../../test/support/database.ts';
import { startTestIdentity } from '../../test/support/identity.ts';
import type { TestIdentity } from '../../test/support/identity.ts';
import { resultOf } from './accounts.ts';
import { untilCalm } from './calm.ts';
import { makeDatabase, makeLogin } from './database.ts';
import type { AdminUrl, ApiLogin } from './database.ts';
import { drawUp } from './drawn-up.ts';
import type { Books } from './drawn-up.ts';
import type { Result } from './fault.ts';
import type { Closable } from './world.ts';
import { UNLIMITED, accepting } from '../../test/support/world.ts';

export interface UnderLoad {
  adminUrl: AdminUrl;
  /**
   * The environment variables of each instance of the service: the URL of its database, and others that the test needs.
   */
  environment: (login: ApiLogin) => Readonly<Record<string, string>>;
  /** The folder of the release that runs at first and migrates the database; if absent, this checkout. */
  readonly release?: string;
  /** How many instances of the service run; 1 if absent. */
  readonly instances?: number;
  /**
   * Starts HAProxy in front of the instances of the service. If absent, the load test sends all requests to the first
   * instance.
   */
  readonly front?: (ports: readonly number[], folder: string) => Promise<Front>;
  /**
   * Breaks a part of the deployment during the load test. Returns a function that repairs the part, or undefined if the
   * part recovers by itself.
   */
  break: (running: Running) => Promise<(() => Promise<void>) | undefined>;
  /** The part of the deployment is broken for this number of milliseconds, and then repaired. */
  readonly holdMs?: number;
  /** The kinds of requests that the load test leaves out. */
  readonly without?: readonly string[];
}

export interface Front extends Closable {
  readonly port: number;
}

/** The processes that run when deploy:check breaks a part of the deployment. */
export interface Running {
  readonly services: readonly ServiceProcess[];
  readonly front: Front | undefined;
  readonly load: LoadProcess;
  readonly adminUrl: () => Promise<string>;
}

const BEFORE_MS = 2_000;

/**
 * Creates a database, tenants and instances of the service. Runs a load test, breaks a part of the deployment in the
 * middle of it, and then checks the database.
 */
export async function tryUnderLoad(folder: string, seed: number, options: UnderLoad): Promise<Result> {
  const endings: (() => Promise<unknown>)[] = [];
  try {
    await mkdir(join(folder, 'documents'), { recursive: true });
    const database = await makeDatabase(options.adminUrl, options.release);
    const login = await makeLogin(options.adminUrl, database);
    const identity = await startTestIdentity();
    endings.push(() => identity.stop());
    const tenants = WORDS.map(loadTenant);
    const adminUrl = (): Promise<string> => options.adminUrl(database);
    await makeTenants(await adminUrl(), tenants);
    const services: ServiceProcess[] = [];
    for (let index = 0; index < (options.instances ?? 1); index += 1) {
      const service = await createServiceProcess(folder, {
        ...ofEveryInstance(identity),
        ...{ DATA_DIR: join(folder, `data-${index}`), DOCUMENT_STORE: join(folder, 'documents') },
        ...options.environment(login),
      });
      services.push(service);
      endings.push(async () => {
        service.signal('SIGKILL');
        await service.ended();
      });
      await service.start(options.release);
    }
    const ports = services.map(({ port }) => port);
    const front = await options.front?.(ports, join(folder, 'front'));
    if (front !== undefined) endings.push(() => front.close());
    const people = await peopleOf(
      tenants.map(({ tenant }) => tenant),
      identity,
    );
    const fixture = await withAdmin(await adminUrl(), fixtureOf);
    const load = await startLoad(folder, {
      ...{ port: front?.port ?? ports[0] ?? 0, seed, people, without: options.without ?? [] },
    });
    await delay(BEFORE_MS);
    const brokenAt = Date.now();
    const mend = await options.break({ services, front, load, adminUrl });
    await delay(options.holdMs ?? 0);
    await mend?.();
    const unrest = await untilCalm(load.journal, Date.now());
    const entries = await load.finish();
    const contents = (): ReturnType<typeof filesBelow> => filesBelow(join(folder, 'documents'));
    const books: Books = { adminUrl, database, fixture, contents };
    const violations = await drawUp(books, entries);
    // The migration of the new release can add tables and rows. If the release changes during the load test, tables
    // with another number of rows are therefore no violation.
    const meant = options.release === undefined ? undefined : UNTOUCHED;
    const unmeant = violations.filter((violation) => violation.check !== meant);
    const result = resultOf(entries, unmeant, brokenAt);
    return { ...result, wrong: [...unrest, ...(result.wrong ?? [])] };
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

/** The environment variables that each instance of the service gets in every test of deploy:check. */
export function ofEveryInstance(identity: TestIdentity): Record<string, string> {
  // Only twelve users send all requests of the load test, so the service’s rate limits are switched off.
  return { ...accepting(identity), ...UNLIMITED };
}

export async function makeTenants(adminUrl: string, tenants: readonly ReturnType<typeof loadTenant>[]): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    for (const { sql } of tenants) await admin.query(sql);
  });
}
