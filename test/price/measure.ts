import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { withAdmin } from '../support/database.ts';
import type { TestIdentity } from '../support/identity.ts';
import { furnitureSql, newTenant, tenantSql } from '../support/tenant.ts';
import type { Command, Counts } from './counting.ts';

const WARMED_UP = 150;
const COUNTED = 21;
const ALLOCATING = 60;

/**
 * Options that keep Node.js from garbage collection and from optimising code, because both would change the number of
 * allocated bytes.
 */
const FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64', '--no-opt', '--no-maglev'];

export type Price = Counts & { readonly headers: number; readonly bytesAllocated: number };

interface Kind {
  readonly line: string;
  readonly isAnonymous?: true;
  readonly body?: (call: number) => object;
  readonly status: number;
}

export interface Where {
  readonly folder: string;
  readonly adminUrl: string;
  readonly apiUrl: string;
  readonly identity: TestIdentity;
}

/** The measured work of the service, such as queries and bytes, for each kind of request by the kind’s name. */
export async function measurePrices(where: Where): Promise<Readonly<Record<string, Price>>> {
  const [own, foreign] = [newTenant(), newTenant()];
  await withAdmin(where.adminUrl, (admin) =>
    admin.query(tenantSql(own, 'Own') + furnitureSql(own) + tenantSql(foreign, 'Foreign')),
  );
  const one = `/api/reclamations/${own.reclamations}`;
  const creation = { client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 1, tax_year: 2024 };
  const kinds: Readonly<Record<string, Kind>> = {
    list: { line: `GET /api/clients/${own.clients}/reclamations?limit=20`, status: 200 },
    read: { line: `GET ${one}`, status: 200 },
    change: {
      ...{ line: `PUT ${one}`, status: 200 },
      body: (call) => ({ grounds: `Base ${String(call).padStart(4, '0')}` }),
    },
    creation: { line: 'POST /api/reclamations', body: () => creation, status: 201 },
    'refused, 401': { line: `GET ${one}`, isAnonymous: true, status: 401 },
    'refused, 403': { line: `GET /api/clients/${foreign.clients}/reclamations`, status: 403 },
  };
  const token = await where.identity.token({ sub: 'price', role: 'ACCOUNT_MANAGER', client_access: [own.clients] });
  const service = await startCounting(where);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const prices: Record<string, Price> = {};
  try {
    for (const [name, kind] of Object.entries(kinds))
      prices[name] = await priceOf(service, (call) => send(kind, { agent, token, port: service.port, call }));
    return prices;
  } finally {
    agent.destroy();
    await service.stop();
  }
}

async function priceOf(service: Counting, ask: (call: number) => Promise<number>): Promise<Price> {
  let calls = 0;
  for (; calls < WARMED_UP; calls += 1) await ask(calls);
  const counted: Omit<Price, 'bytesAllocated'>[] = [];
  for (let end = calls + COUNTED; calls < end; calls += 1) {
    await service.command('count');
    const headers = await ask(calls);
    counted.push({ ...((await service.command('counts')) as Counts), headers });
  }
  await service.command('allocate');
  for (let end = calls + ALLOCATING; calls < end; calls += 1) await ask(calls);
  const { bytes } = (await service.command('allocated')) as { bytes: number };
  return { ...mediansOf(counted), bytesAllocated: Math.round(bytes / ALLOCATING) };
}

interface Sending {
  readonly agent: Agent;
  readonly port: number;
  readonly token: string;
  readonly call: number;
}

/** Sends an HTTP request and returns the number of headers of the response. */
function send({ line, isAnonymous, body, status }: Kind, { agent, port, token, call }: Sending): Promise<number> {
  const [method, path] = line.split(' ');
  const content = body && JSON.stringify(body(call));
  const headers = {
    ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }),
    ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
  };
  return new Promise((resolve, reject) => {
    request({ port, agent, method, path, headers }, (answer) => {
      if (answer.statusCode !== status) reject(new Error(`${line}: ${String(answer.statusCode)}`));
      answer.resume().once('end', () => {
        resolve(answer.rawHeaders.length / 2);
      });
    })
      .once('error', reject)
      .end(content);
  });
}

/** The median of each count, such as queries, over all requests, which leaves out occasional work of the service. */
function mediansOf<T extends Readonly<Record<string, number>>>(counted: readonly T[]): T {
  const names = Object.keys(counted[0] ?? {});
  const middle = (name: string): number =>
    counted.map((one) => one[name] ?? 0).toSorted((a, b) => a - b)[Math.floor(counted.length / 2)] ?? 0;
  return Object.fromEntries(names.map((name) => [name, middle(name)])) as T;
}

/** Starts the service in a process that counts its work, with one database connection, which prepares each SQL once. */
async function startCounting({ folder, apiUrl, identity }: Where) {
  const child = fork(join(import.meta.dirname, '../../src/main.ts'), {
    cwd: folder,
    execArgv: [...FLAGS, '--import', join(import.meta.dirname, 'counting.ts')],
    env: {
      ...{ PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'info' },
      ...{ DATABASE_URL: apiUrl, DATABASE_POOL_SIZE: '1', DATA_DIR: folder },
      ...{ AUTH_ISSUER: identity.issuer, AUTH_AUDIENCE: identity.audience, AUTH_JWKS_URL: identity.jwksUrl },
      ...{ RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' },
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const address = Promise.withResolvers<number>();
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const port = /"api":"[^"]+:(\d+)"/.exec(output)?.[1];
    if (port !== undefined) address.resolve(Number(port));
  });
  child.once('exit', () => {
    address.reject(new Error(`the service has ended: ${output}`));
  });
  const port = await address.promise;
  return {
    port,
    async command(name: Command): Promise<unknown> {
      child.send(name);
      const [answer] = (await once(child, 'message')) as [unknown];
      return answer;
    },
    async stop(): Promise<void> {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

type Counting = Awaited<ReturnType<typeof startCounting>>;
