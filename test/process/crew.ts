import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { startTestIdentity } from '../support/identity.ts';
import { addressOf, start, startProgram } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { pdf } from '../support/samples.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import type { Tenant } from '../support/tenant.ts';
import { FORM, frame, until } from '../support/upload.ts';

/* What the tests of several processes share: a world to start them in, and how to ask one of them. */

export interface CrewWorld {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  /** Starts two workers unless told otherwise, and waits until they have said that they serve. */
  begin(more?: Record<string, string>, program?: string): Promise<Crew>;
  environment(more?: Record<string, string>): Record<string, string>;
  /** Of somebody with the tenant's client alone. */
  tokenOf(subject: string): Promise<string>;
  /** The first column of all rows, as the superuser reads it. */
  column(sql: string, values?: unknown[]): Promise<string[]>;
  close(): Promise<void>;
}

export interface Crew {
  readonly started: Started;
  readonly port: number;
  /** The processes that have served so far, the first one first, as the log tells. */
  workers(): number[];
  /** Those of them that are still there. */
  present(): Promise<number[]>;
  /** Resolves once the log has said so as often as that; rejects where the service ends before. */
  says(pattern: RegExp, times: number): Promise<void>;
  readonly read: (agent?: Agent) => Promise<string>;
  exchange(method: string, path: string, agent?: Agent, body?: object): Promise<string>;
  /** Begins a request and leaves it open. */
  ask(method: string, path: string, agent?: Agent, headers?: OutgoingHttpHeaders): ClientRequest;
  /** A way of one connection, which this worker has. */
  agentOf(pid: number): Promise<Agent>;
  /** Three connections of this worker: one that is idle, and on the others half an upload, and half a file that is read. */
  busy(pid: number): Promise<Busy>;
  end(): Promise<void>;
}

export interface Busy {
  /** Resolves when the idle connection is over: whether by a fault. */
  readonly idleBroken: Promise<boolean>;
  /** Sends and reads the rest; gives the status of the upload, and how many sites the file has. */
  finish(): Promise<{ readonly upload: string; readonly file: string }>;
}

/** So many sites are more than the sockets between a worker and a reader can hold. */
export const MANY_SITES = 3_000;

export async function openCrewWorld(): Promise<CrewWorld> {
  const tenant = newTenant();
  const folder = await createScratchFolder();
  const database = await createTestDatabase();
  await withAdmin(database.adminUrl, async (admin) => {
    await admin.query(tenantSql(tenant, 'Own'));
    await admin.query(
      `insert into public.sites (client_id, site_name, address)
       select $1, 'Workshop ' || n, repeat('x', 9000) from generate_series(1, $2) as n`,
      [tenant.clients, MANY_SITES],
    );
  });
  const identity = await startTestIdentity();
  const tokenOf = (sub: string): Promise<string> =>
    identity.token({ sub, role: 'ACCOUNT_MANAGER', client_access: [tenant.clients] });
  const environment = (more: Record<string, string> = {}): Record<string, string> => ({
    ...{ PORT: '0', DATA_DIR: join(folder, 'data'), WORKERS: '2', DATABASE_URL: database.apiUrl },
    ...{ AUTH_ISSUER: identity.issuer, AUTH_AUDIENCE: identity.audience, AUTH_JWKS_URL: identity.jwksUrl },
    ...{ RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' },
    ...more,
  });
  return {
    ...{ folder, database, tenant, tokenOf, environment },
    begin: async (more, program) => {
      const started =
        program === undefined
          ? start(folder, environment(more))
          : startProgram(program, folder, environment(more));
      const crew = crewOf(started, await addressOf(started), await tokenOf('idp|manager'), tenant);
      // What they log comes after the greeting, or before it.
      await until(() => crew.workers().length === 2);
      return crew;
    },
    column: (sql, values) =>
      withAdmin(database.adminUrl, async (admin) => {
        const { rows } = await admin.query<[string]>({ text: sql, rowMode: 'array' }, values);
        return rows.map(([value]) => value);
      }),
    close: async () => {
      await identity.stop();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

const SHORT = '/api/sites?limit=1';

function crewOf(started: Started, url: string, token: string, tenant: Tenant): Crew {
  const port = Number(new URL(url).port);
  const ask: Crew['ask'] = (method, path, agent, more = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more };
    return send({ port, host: '127.0.0.1', method, path, headers, agent: agent ?? false });
  };
  const answered = (method: string, path: string, agent?: Agent, body?: object): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = ask(method, path, agent).on('error', reject);
      request.on('response', (response) => {
        response.on('error', reject).on('end', () => {
          resolve(response);
        });
        response.resume();
      });
      request.end(body && JSON.stringify(body));
    });
  const exchange: Crew['exchange'] = async (...asked) => String((await answered(...asked)).statusCode);
  const numberOf = (pid: number): string =>
    new RegExp(`"worker":(\\d+),"workerPid":${pid},`).exec(started.out)?.[1] ?? '';
  const workers = (): number[] =>
    [...started.out.matchAll(/"workerPid":(\d+),"msg":"a worker serves"/g)].map(([, pid]) => Number(pid));
  const agentOf: Crew['agentOf'] = async (pid) => {
    for (;;) {
      if (await isGone(pid)) throw new Error(`the worker ${pid} is gone`);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const { headers } = await answered('GET', SHORT, agent);
      const line = new RegExp(`"worker":(\\d+),"requestId":"${String(headers['x-request-id'])}"`);
      const [, worker] = await started.says(line);
      if (worker === numberOf(pid)) return agent;
      agent.destroy();
    }
  };
  return {
    ...{ started, port, ask, exchange, workers, agentOf },
    says: async ({ source }, times) => {
      await started.says(new RegExp(`(?:${source}[^]*?){${times}}`));
    },
    present: async () => {
      const gone = await Promise.all(workers().map(isGone));
      return workers().filter((_, index) => gone[index] === false);
    },
    read: (agent) => exchange('GET', SHORT, agent),
    busy: async (pid) => {
      const [idle, forUpload, forFile] = [await agentOf(pid), await agentOf(pid), await agentOf(pid)];
      const [socket] = Object.values(idle.freeSockets).flatMap((sockets) => sockets ?? []);
      if (socket === undefined) throw new Error('the connection is not idle');
      const path = `/api/reclamations/${tenant.reclamations}/documents`;
      const uploading = ask('POST', path, forUpload, { 'content-type': FORM, expect: '100-continue' });
      const uploaded = new Promise<string>((resolve) => {
        uploading.once('response', (response: IncomingMessage) => {
          response.resume();
          resolve(String(response.statusCode));
        });
        uploading.on('error', () => {
          resolve('broken off');
        });
      });
      uploading.flushHeaders();
      await once(uploading, 'continue');
      uploading.write(Buffer.concat([frame().head, pdf.subarray(0, 100)]));
      const asked = ask('GET', '/api/sites', forFile, { accept: 'text/csv' }).end();
      const [file] = (await once(asked, 'response')) as [IncomingMessage];
      file.on('error', () => undefined);
      return {
        idleBroken: once(socket, 'close').then(([hadError]) => hadError as boolean),
        finish: async () => {
          uploading.end(Buffer.concat([pdf.subarray(100), frame().tail]));
          const read = await text(file).catch(() => '');
          const whole = `${read.split('Workshop ').length - 1} sites`;
          return { upload: await uploaded, file: file.complete ? whole : 'broken off' };
        },
      };
    },
    end: async () => {
      started.signal('SIGTERM');
      await started.ended;
    },
  };
}

export async function isGone(pid: number): Promise<boolean> {
  return access(`/proc/${pid}`).then(
    () => false,
    () => true,
  );
}

export async function areGone(pids: readonly number[]): Promise<boolean> {
  return (await Promise.all(pids.map(isGone))).every(Boolean);
}

/** Asks over and over until it is told to stop; gives what was answered, and what was not. */
export function load(agent: Agent | undefined, one: (agent: Agent | undefined) => Promise<string>) {
  const outcomes: string[] = [];
  let isOver = false;
  const callers = Array.from({ length: 6 }, async () => {
    while (!isOver) outcomes.push(await one(agent).catch((error: unknown) => String(error)));
  });
  return {
    outcomes,
    stop: async () => {
      isOver = true;
      await Promise.all(callers);
      agent?.destroy();
    },
  };
}
