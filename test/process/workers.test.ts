import { Agent, request as send } from 'node:http';
import { access, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { ask } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import type { TestIdentity } from '../support/identity.ts';
import { addressOf, beginLogin, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { until } from '../support/upload.ts';

/* The service in several processes. */

const tenant = newTenant();

let folder: string;
let database: TestDatabase;
let identity: TestIdentity;
let started: Started;
let port: number;
let token: string;

beforeAll(async () => {
  folder = await createScratchFolder();
  database = await createTestDatabase();
  await withAdmin(database.adminUrl, (admin) => admin.query(tenantSql(tenant, 'Own')));
  identity = await startTestIdentity();
  token = await tokenOf('idp|manager');
});
afterEach(async () => {
  started.signal('SIGTERM');
  await started.ended;
});
afterAll(async () => {
  await identity.stop();
  await database.close();
  await rm(folder, { recursive: true });
});

const tokenOf = (sub: string): Promise<string> =>
  identity.token({ sub, role: 'ACCOUNT_MANAGER', client_access: [tenant.clients] });

async function begin(more: Record<string, string> = {}): Promise<void> {
  started = start(folder, {
    ...{ PORT: '0', DATA_DIR: join(folder, 'data'), WORKERS: '2', DATABASE_URL: database.apiUrl },
    ...{ AUTH_ISSUER: identity.issuer, AUTH_AUDIENCE: identity.audience, AUTH_JWKS_URL: identity.jwksUrl },
    ...{ RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' },
    ...more,
  });
  port = Number(new URL(await addressOf(started)).port);
  // What they log comes after the greeting, or before it.
  await until(() => Promise.resolve(workers().length === 2));
}

/** The processes that have served so far, the first one first, as the log tells. */
const workers = (): number[] =>
  [...started.out.matchAll(/"workerPid":(\d+),"msg":"a worker serves"/g)].map(([, pid]) => Number(pid));

async function isGone(pid: number): Promise<boolean> {
  return access(`/proc/${pid}`).then(
    () => false,
    () => true,
  );
}

/** Asks over and over until it is told to stop; gives what was answered, and what was not. */
function load(agent: Agent | undefined, one: (agent: Agent | undefined) => Promise<string>) {
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

const read = (agent?: Agent): Promise<string> => exchange('GET', '/api/sites', agent);

function exchange(method: string, path: string, agent?: Agent, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = send(
      { port, host: '127.0.0.1', method, path, headers, agent: agent ?? false },
      (response) => {
        response.on('error', reject).on('end', () => {
          resolve(String(response.statusCode));
        });
        response.resume();
      },
    );
    request.on('error', reject).end(body && JSON.stringify(body));
  });
}

describe('several workers', () => {
  test('count requests together: of 300 at once of one user 100 pass', async () => {
    await begin({ RATE_LIMIT_PER_USER: '100' });
    const answers = await Promise.all(Array.from({ length: 300 }, () => exchange('GET', '/api/nothing')));
    const counts = Object.entries(Object.groupBy(answers, (status) => status));
    expect(counts.map(([status, all]) => [status, all?.length]).sort()).toEqual([
      ['404', 100],
      ['429', 200],
    ]);
    const used = new Set([...started.out.matchAll(/"worker":(\d+),"requestId"/g)].map(([, one]) => one));
    expect(used.size).toBe(2);
  });

  test('serve on while the process that has started them is frozen, and count again when it is not', async () => {
    await begin({ RATE_LIMIT_PER_USER: '5' });
    started.signal('SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 3 }, () => read()));
    expect(answers).toEqual(['200', '200', '200']);
    started.signal('SIGCONT');
    await started.says(/"place":"the primary process",.*not counted together any more/);
    await started.says(/"place":"the primary process",.*counted together again/);
  });

  test('are replaced on SIGHUP one after the other, and no request is dropped, on new connections or on old ones', async () => {
    await begin();
    const before = workers();
    const onOld = load(new Agent({ keepAlive: true, maxSockets: 6 }), read);
    const onNew = load(undefined, read);
    await until(() => Promise.resolve(onOld.outcomes.length > 20));
    started.signal('SIGHUP');
    await started.says(/all workers are replaced/);
    const { length } = onOld.outcomes;
    await until(() => Promise.resolve(onOld.outcomes.length > length + 100));
    await Promise.all([onOld.stop(), onNew.stop()]);
    for (const { outcomes } of [onOld, onNew]) {
      expect(outcomes.length).toBeGreaterThan(100);
      expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
    }
    expect(workers().length).toBe(4);
    expect(await Promise.all(before.map(isGone))).toEqual([true, true]);
  });

  test('answer what they have taken when the service is told to end, and then nobody holds the port', async () => {
    await begin();
    const logins = await Promise.all(Array.from({ length: 6 }, () => beginLogin(port)));
    started.signal('SIGTERM');
    await until(() =>
      read().then(
        () => false,
        () => true,
      ),
    );
    const answers = logins.map(
      (socket) =>
        new Promise<string>((resolve) => {
          let text = '';
          socket
            .on('data', (more: string) => (text += more))
            .once('close', () => {
              resolve(text.split('\r\n')[0] ?? '');
            });
          socket.write('{"token":"x"}');
        }),
    );
    expect(await Promise.all(answers)).toEqual(Array(6).fill('HTTP/1.1 401 Unauthorized'));
    expect([await started.ended, started.err]).toEqual([0, '']);
    expect(await Promise.all(workers().map(isGone))).toEqual([true, true]);
  });

  test('have their figures added up', async () => {
    const metricsPort = await freePort(0);
    await begin({ METRICS_PORT: String(metricsPort) });
    const { text } = await ask(metricsPort, 'GET /metrics');
    expect(text).toMatch(/^taxclaims_processes_serving 2$/m);
    expect(text).toMatch(/^taxclaims_limits_counted_alone 0$/m);
    expect(text).toMatch(/^taxclaims_identity_changes_undelivered \d+$/m);
  });
});

describe('a worker that is killed', () => {
  test('is replaced, loses nothing that it has acknowledged, and the others serve on', async () => {
    await begin();
    const [victim = 0] = workers();
    const created: string[] = [];
    let number = 0;
    const writes = load(new Agent({ keepAlive: true, maxSockets: 6 }), async (agent) => {
      const name = `Atelier ${(number += 1)}`;
      const status = await exchange('POST', '/api/sites', agent, {
        client_id: tenant.clients,
        site_name: name,
      });
      if (status === '201') created.push(name);
      return status;
    });
    await until(() => Promise.resolve(created.length > 20));
    process.kill(victim, 'SIGKILL');
    await until(() => Promise.resolve(workers().length === 3));
    const { length } = created;
    await until(() => Promise.resolve(created.length > length + 20));
    await writes.stop();
    const { rows } = await withAdmin(database.adminUrl, (admin) =>
      admin.query<{ site_name: string }>(
        `select site_name from public.sites where site_name like 'Atelier %'`,
      ),
    );
    const stored = new Set(rows.map(({ site_name: name }) => name));
    expect(created.filter((name) => !stored.has(name))).toEqual([]);
    // Each of the six callers had one request with it at most.
    expect(writes.outcomes.filter((outcome) => outcome !== '201').length).toBeLessThanOrEqual(6);
    expect(started.out).toMatch(/"worker":\d+,"reason":"it ended with SIGKILL","msg":"a worker has ended/);
  });

  test('leaves its refusals to its successor, which records each once', async () => {
    const away = await freePort(0);
    const line = new URL(database.apiUrl);
    // The database is away: refusals go to the disk.
    line.port = String(away);
    const dataDir = join(folder, 'refusals-of-the-dead');
    await begin({ DATABASE_URL: line.href, DATA_DIR: dataDir });
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { status, headers } = await ask(port, 'GET /api/clients');
        expect(status).toBe(401);
        return String(headers['x-request-id']);
      }),
    );
    for (const pid of workers()) process.kill(pid, 'SIGKILL');
    await until(() => Promise.resolve(workers().length === 4));
    started.signal('SIGKILL');
    await started.ended;
    await begin({ DATA_DIR: dataDir });
    const recorded = async (): Promise<string[]> => {
      const { rows } = await withAdmin(database.adminUrl, (admin) =>
        admin.query<{ request_id: string }>(
          'select request_id from public.audit_logs where request_id = any ($1)',
          [ids],
        ),
      );
      return rows.map(({ request_id: id }) => id);
    };
    await until(async () => (await recorded()).length >= ids.length);
    const spooled = (await readdir(join(dataDir, 'refusals'), { recursive: true })).filter((name) =>
      name.endsWith('.refusals'),
    );
    expect([(await recorded()).sort(), spooled]).toEqual([ids.sort(), []]);
  });

  test('as soon as it serves, again and again, ends the service with one line', async () => {
    await begin();
    const killed = new Set<number>();
    const killing = setInterval(() => {
      for (const pid of workers().filter((one) => !killed.has(one))) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    }, 20);
    const ended = await started.ended.finally(() => {
      clearInterval(killing);
    });
    expect(ended).toBe(1);
    expect(started.err).toBe(
      'the workers end as soon as they are started, the last one so: it ended with SIGKILL\n',
    );
    expect(await Promise.all(workers().map(isGone))).toEqual(workers().map(() => true));
  }, 120_000);
});

test('workers whose primary process is killed end by themselves, and the next start has the port and the folder', async () => {
  const PORT = String(await freePort(0));
  await begin({ PORT });
  const former = workers();
  started.signal('SIGKILL');
  await started.ended;
  await until(async () => (await Promise.all(former.map(isGone))).every(Boolean));
  await begin({ PORT });
  expect(await read()).toBe('200');
});

test('a start of workers that cannot serve is refused in one line, like that of one process', async () => {
  started = start(folder, {
    ...{ WORKERS: '2', PORT: '0', DATA_DIR: join(folder, 'data'), DATABASE_URL: database.apiUrl },
    ...{ DOCUMENT_STORE: '/proc/documents', AUTH_ISSUER: 'https://idp.example', AUTH_AUDIENCE: 'api' },
  });
  expect(await started.ended).toBe(1);
  expect(started.err).toMatch(/^DOCUMENT_STORE cannot be written to: .*\n$/);
});
