import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { ask } from '../support/http.ts';
import { until } from '../support/upload.ts';
import { areGone, load, openCrewWorld } from './crew.ts';
import type { Crew, CrewWorld } from './crew.ts';

/* Workers that die, or hang. */

const IMPATIENT = join(import.meta.dirname, '..', 'support', 'impatient-crew.ts');

let world: CrewWorld;
let crew: Crew;

beforeAll(async () => {
  world = await openCrewWorld();
});
afterEach(() => crew.end());
afterAll(() => world.close());

/** Refusals while the database is away, which go to the disk: their ids. */
async function refusals(port: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: 20 }, async () => {
      const { status, headers } = await ask(port, 'GET /api/clients');
      expect(status).toBe(401);
      return String(headers['x-request-id']);
    }),
  );
}

const recorded = (ids: readonly string[]): Promise<string[]> =>
  world.column('select request_id from public.audit_logs where request_id = any ($1) order by 1', [ids]);

async function spooled(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'refusals'), { recursive: true });
  return names.filter((name) => name.endsWith('.refusals'));
}

describe('a worker that is killed', () => {
  test('is replaced, loses nothing that it has acknowledged, and the others serve on', async () => {
    crew = await world.begin();
    const [victim = 0] = crew.workers();
    const created: string[] = [];
    let number = 0;
    const writes = load(new Agent({ keepAlive: true, maxSockets: 6 }), async (agent) => {
      const name = `Atelier ${(number += 1)}`;
      const body = { client_id: world.tenant.clients, site_name: name };
      const status = await crew.exchange('POST', '/api/sites', agent, body);
      if (status === '201') created.push(name);
      return status;
    });
    await until(() => created.length > 20);
    process.kill(victim, 'SIGKILL');
    await until(() => crew.workers().length === 3);
    const { length } = created;
    await until(() => created.length > length + 20);
    await writes.stop();
    const stored = new Set(
      await world.column(`select site_name from public.sites where site_name like 'Atelier %'`),
    );
    expect(created.filter((name) => !stored.has(name))).toEqual([]);
    // Each of the six callers had one request with it at most.
    expect(writes.outcomes.filter((outcome) => outcome !== '201').length).toBeLessThanOrEqual(6);
    expect(crew.started.out).toMatch(
      /"worker":\d+,"reason":"it ended with SIGKILL","msg":"a worker has ended/,
    );
  });

  test('leaves its refusals to its successor, which records each once as soon as the database is back', async () => {
    const away = await freePort(0);
    const line = new URL(world.database.apiUrl);
    const { port: there, hostname } = line;
    line.port = String(away);
    const dataDir = join(world.folder, 'refusals-of-the-dead');
    crew = await world.begin({ DATABASE_URL: line.href, DATA_DIR: dataDir });
    const ids = await refusals(crew.port);
    const dead = crew.workers();
    for (const pid of dead) process.kill(pid, 'SIGKILL');
    await until(() => crew.workers().length === 4);
    expect(await areGone(dead)).toBe(true);
    expect(await spooled(dataDir)).not.toEqual([]);
    const database = createServer((socket) => {
      const far = connect(Number(there), hostname);
      for (const one of [socket, far]) one.on('error', () => undefined);
      socket.pipe(far).pipe(socket);
    }).listen(away, hostname);
    await once(database, 'listening');
    try {
      await until(async () => (await recorded(ids)).length >= ids.length);
      await until(async () => (await spooled(dataDir)).length === 0);
      expect(await recorded(ids)).toEqual(ids.toSorted());
    } finally {
      await crew.end();
      database.close();
    }
  });

  test('leaves them to the next start of the service where its successor could not record them', async () => {
    const line = new URL(world.database.apiUrl);
    line.port = String(await freePort(0));
    const dataDir = join(world.folder, 'refusals-of-before');
    crew = await world.begin({ DATABASE_URL: line.href, DATA_DIR: dataDir });
    const ids = await refusals(crew.port);
    for (const pid of crew.workers()) process.kill(pid, 'SIGKILL');
    await until(() => crew.workers().length === 4);
    crew.started.signal('SIGKILL');
    await crew.started.ended;
    crew = await world.begin({ DATA_DIR: dataDir });
    await until(async () => (await recorded(ids)).length >= ids.length);
    expect([await recorded(ids), await spooled(dataDir)]).toEqual([ids.toSorted(), []]);
  });

  test('as soon as it serves, again and again, ends the service with one line', async () => {
    crew = await world.begin();
    const killed = new Set<number>();
    const killing = setInterval(() => {
      for (const pid of crew.workers().filter((one) => !killed.has(one))) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    }, 20);
    const ended = await crew.started.ended.finally(() => {
      clearInterval(killing);
    });
    expect(ended).toBe(1);
    expect(crew.started.err).toBe(
      'the workers end as soon as they are started, the last one so: it ended with SIGKILL\n',
    );
    expect(await areGone(crew.workers())).toBe(true);
  }, 120_000);
});

test('a worker that hangs is noticed, ended and replaced, and so end the requests that it has taken', async () => {
  crew = await world.begin({}, IMPATIENT);
  const [victim = 0] = crew.workers();
  const agents = [await crew.agentOf(victim), await crew.agentOf(victim), await crew.agentOf(victim)];
  process.kill(victim, 'SIGSTOP');
  const held = Promise.all(agents.map((agent) => crew.read(agent).catch((error: unknown) => String(error))));
  expect(await Promise.all(Array.from({ length: 10 }, () => crew.read()))).toEqual(Array(10).fill('200'));
  for (const outcome of await held) expect(outcome).toMatch(/ECONNRESET|socket hang up/);
  await until(() => crew.workers().length === 3);
  expect(crew.started.out).toMatch(
    /"reason":"it did not answer any more","msg":"a worker hangs, and is ended/,
  );
  expect(crew.started.out.match(/"msg":"a worker hangs/g)).toHaveLength(1);
  expect([await areGone([victim]), (await crew.present()).length]).toEqual([true, 2]);
  expect(await crew.read()).toBe('200');
});
