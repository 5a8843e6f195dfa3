import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { ask } from '../support/http.ts';
import { beginLogin, start } from '../support/process.ts';
import { until } from '../support/upload.ts';
import { areGone, load, openCrewWorld } from './crew.ts';
import type { Crew, CrewWorld } from './crew.ts';

/* The service in several processes. */

let world: CrewWorld;
let crew: Crew;

beforeAll(async () => {
  world = await openCrewWorld();
});
afterEach(() => crew.end());
afterAll(() => world.close());

describe('several workers', () => {
  test('count requests together, of 300 at once of one user 100 pass; and have their figures added up', async () => {
    const metricsPort = await freePort(0);
    crew = await world.begin({ RATE_LIMIT_PER_USER: '100', METRICS_PORT: String(metricsPort) });
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => crew.exchange('GET', '/api/nothing')),
    );
    const counts = Object.entries(Object.groupBy(answers, (status) => status));
    expect(counts.map(([status, all]) => [status, all?.length]).sort()).toEqual([
      ['404', 100],
      ['429', 200],
    ]);
    // Whichever of them is asked from now on, it knows of the others' requests.
    for (const pid of crew.workers()) expect(await crew.read(await crew.agentOf(pid))).toBe('429');
    const { text } = await ask(metricsPort, 'GET /metrics');
    expect(text).toMatch(/^taxclaims_processes_serving 2$/m);
    expect(text).toMatch(/^taxclaims_limits_counted_alone 0$/m);
    expect(text).toMatch(/^taxclaims_identity_changes_undelivered \d+$/m);
  });

  test('serve on while the process that has started them is frozen, and count again when it is not', async () => {
    crew = await world.begin({ RATE_LIMIT_PER_USER: '5' });
    const { started } = crew;
    started.signal('SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 3 }, () => crew.read()));
    expect(answers).toEqual(['200', '200', '200']);
    started.signal('SIGCONT');
    await started.says(/"place":"the primary process",.*not counted together any more/);
    await started.says(/"place":"the primary process",.*counted together again/);
  });

  test('answer what they have taken when the service is told to end, and then nobody holds the port', async () => {
    crew = await world.begin();
    const { started } = crew;
    const logins = await Promise.all(Array.from({ length: 6 }, () => beginLogin(crew.port)));
    started.signal('SIGTERM');
    await until(() =>
      crew.read().then(
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
    expect(await areGone(crew.workers())).toBe(true);
  });
});

test('workers whose primary process is killed end by themselves, nothing is served by half, and the next start has the port and the folder', async () => {
  const PORT = String(await freePort(0));
  crew = await world.begin({ PORT });
  const former = crew.workers();
  const created: string[] = [];
  const writes = load(new Agent({ keepAlive: true, maxSockets: 6 }), async (agent) => {
    const name = `Orphan ${randomUUID()}`;
    const body = { client_id: world.tenant.clients, site_name: name };
    const status = await crew.exchange('POST', '/api/sites', agent, body);
    if (status === '201') created.push(name);
    return status;
  });
  const busy = [];
  for (const pid of former) busy.push(await crew.busy(pid));
  await until(() => created.length > 20);
  crew.started.signal('SIGKILL');
  await crew.started.ended;
  await until(() => areGone(former));
  await writes.stop();
  for (const one of busy) expect(await one.finish()).toEqual({ upload: 'broken off', file: 'broken off' });
  const stored = await world.column('select site_name from public.sites where site_name = any ($1)', [
    created,
  ]);
  expect(stored.sort()).toEqual(created.sort());
  expect(await world.column('select filename from public.documents')).toEqual([]);
  crew = await world.begin({ PORT });
  expect(await crew.read()).toBe('200');
});

test('a start of workers that cannot serve is refused in one line, like that of one process', async () => {
  const started = start(world.folder, {
    ...{ WORKERS: '2', PORT: '0', DATA_DIR: world.folder, DATABASE_URL: world.database.apiUrl },
    ...{ DOCUMENT_STORE: '/proc/documents', AUTH_ISSUER: 'https://idp.example', AUTH_AUDIENCE: 'api' },
  });
  expect(await started.ended).toBe(1);
  expect(started.err).toMatch(/^DOCUMENT_STORE cannot be written to: .*\n$/);
});
