import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { migrateWithCommand } from '../../test/faults/commands.ts';
import { check, fill, fixtureOf, UNTOUCHED } from '../../test/faults/account.ts';
import { readJournal } from '../../test/faults/journal.ts';
import type { Entry } from '../../test/faults/journal.ts';
import { startLoad } from '../../test/faults/load-process.ts';
import type { LoadProcess } from '../../test/faults/load-process.ts';
import { createServiceProcess } from '../../test/faults/service-process.ts';
import type { ServiceProcess } from '../../test/faults/service-process.ts';
import { filesBelow } from '../../test/faults/stored-contents.ts';
import { loadTenant, peopleOf, WORDS } from '../../test/faults/tenants.ts';
import { settle } from '../../test/faults/trial.ts';
import { withAdmin } from '../../test/support/database.ts';
import { startTestIdentity } from '../../test/support/identity.ts';
import { hasFailed, resultOf } from './accounts.ts';
import type { Result } from './fault.ts';
import type { Closable } from './world.ts';

/** A login of the API, in the database of one trial. */
export interface ApiLogin {
  readonly name: string;
  readonly password: string;
  readonly database: string;
}

export interface UnderLoad {
  /** The superuser's address of a database of the server: of whichever leads at the moment. */
  adminUrl: (database: string) => Promise<string>;
  /** The variables of every instance that say where its database is, and what else it is to have. */
  environment: (login: ApiLogin) => Readonly<Record<string, string>>;
  /** The folder of the release that migrates the database and serves at first; ours when absent. */
  readonly release?: string;
  /** How many instances serve; one when absent. */
  readonly instances?: number;
  /** What stands before them; the load goes to the first of them when absent. */
  readonly front?: (ports: readonly number[], folder: string) => Promise<Front>;
  /** Breaks something; gives what mends it, where that does not mend itself. */
  break: (running: Running) => Promise<(() => Promise<void>) | undefined>;
  /** How long it stays broken before it is mended. */
  readonly holdMs?: number;
  /** Operations that the load must not have in it. */
  readonly without?: readonly string[];
}

export interface Front extends Closable {
  readonly port: number;
}

/** What is there while something breaks. */
export interface Running {
  readonly services: readonly ServiceProcess[];
  readonly front: Front | undefined;
  readonly load: LoadProcess;
  /** The superuser's address of the database under load. */
  readonly adminUrl: () => Promise<string>;
}

const BEFORE_MS = 2_000;
/** After an acknowledged write, so long without a failure, all is well again. */
const QUIET_MS = 3_000;
/** A trial does not wait longer for that. */
const BACK_MS = 75_000;

/** A database, tenants and instances of its own; then load, the break in the middle of it, and the accounts. */
export async function tryUnderLoad(folder: string, seed: number, options: UnderLoad): Promise<Result> {
  const endings: (() => Promise<unknown>)[] = [];
  try {
    await mkdir(join(folder, 'documents'), { recursive: true });
    const login = await makeDatabase(options);
    const identity = await startTestIdentity();
    endings.push(() => identity.stop());
    const tenants = WORDS.map(loadTenant);
    const adminUrl = (): Promise<string> => options.adminUrl(login.database);
    await withAdmin(await adminUrl(), async (admin) => {
      for (const { sql } of tenants) await admin.query(sql);
    });
    const services: ServiceProcess[] = [];
    for (let index = 0; index < (options.instances ?? 1); index += 1) {
      const service = await createServiceProcess(folder, {
        ...{ DATA_DIR: join(folder, `data-${index}`), DOCUMENT_STORE: join(folder, 'documents') },
        ...{
          AUTH_ISSUER: identity.issuer,
          AUTH_AUDIENCE: identity.audience,
          AUTH_JWKS_URL: identity.jwksUrl,
        },
        ...{ RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' },
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
    await untilBack(load.journal, brokenAt);
    const entries = await load.finish();
    await settle({ admin: adminOf(adminUrl), database: login.database }, entries);
    const contents = await filesBelow(join(folder, 'documents'));
    const violations = await withAdmin(await adminUrl(), async (admin) => {
      await fill(admin, { fixture, entries, contents, spared: [] });
      return check(admin);
    });
    // A migration makes tables, and rows in them.
    const meant = options.release === undefined ? undefined : UNTOUCHED;
    const unmeant = violations.filter((violation) => violation.check !== meant);
    return resultOf(entries, unmeant, brokenAt);
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

async function makeDatabase({ adminUrl, release }: UnderLoad): Promise<ApiLogin> {
  const name = `taxclaims_check_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(18).toString('base64url');
  await withAdmin(await adminUrl('postgres'), (admin) =>
    admin.query(`create database ${name} template template0`),
  );
  const url = await adminUrl(name);
  if (release === undefined) await migrate({ adminUrl: url, log: pino({ level: 'silent' }) });
  else await migrateWithCommand(url, undefined, release);
  await withAdmin(url, (admin) =>
    admin.query(
      `create role ${name} login password ${pg.escapeLiteral(password)} connection limit 60 in role taxclaims_api`,
    ),
  );
  return { name, password, database: name };
}

function adminOf(adminUrl: () => Promise<string>) {
  return async (text: string, values?: unknown[]): Promise<Record<string, unknown>[]> =>
    withAdmin(
      await adminUrl(),
      async (admin) => (await admin.query<Record<string, unknown>>(text, values)).rows,
    );
}

/** A write was acknowledged after the break, and for a while nothing has failed; or the wait is over. */
async function untilBack(journal: string, brokenAt: number): Promise<void> {
  const end = Date.now() + BACK_MS;
  let quietSince = Date.now();
  let seen = 0;
  let isWriting = false;
  while (Date.now() < end && !(isWriting && Date.now() - quietSince > QUIET_MS)) {
    await delay(250);
    const entries = (await readJournal(journal)).filter(({ at }) => at > brokenAt);
    const fresh = entries.slice(seen);
    seen = entries.length;
    if (fresh.some(hasFailed)) quietSince = Date.now();
    isWriting ||= fresh.some((entry) => isAcknowledgedWrite(entry));
  }
}

function isAcknowledgedWrite({ kind, status, lost }: Entry): boolean {
  return kind !== 'read' && kind !== 'refuse' && lost === null && status !== null && status < 300;
}
