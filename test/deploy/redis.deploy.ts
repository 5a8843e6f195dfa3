import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startRedis } from '../../deploy/lab/redis.ts';
import type { Redis } from '../../deploy/lab/redis.ts';
import { createTestDatabase } from '../support/database.ts';
import { ask } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { portOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';
import { accepting } from '../support/world.ts';

/* Rate limits that several instances of the service count in one Redis. */

const PASSWORD = 'hunter2-of-redis';
const TOGETHER = /"place":"Redis","msg":"the shared rate-limit counters are reachable again"/g;

const services: Started[] = [];

const folder = await folderForSuite();
const database = await forSuite(createTestDatabase());
const identity = await forSuite(startTestIdentity());
let redis: Redis = await startRedis({ dir: join(folder, 'redis'), password: PASSWORD });
await forSuite({
  end: async () => {
    for (const service of services) service.signal('SIGKILL');
    await Promise.all(services.map(({ ended }) => ended));
    await redis.close();
  },
});

interface Instance {
  readonly started: Started;
  readonly port: number;
}

async function instance(more: Record<string, string> = {}): Promise<Instance> {
  const started = start(folder, {
    ...{ PORT: '0', DATA_DIR: join(folder, `data-${services.length}`), DATABASE_URL: database.apiUrl },
    ...accepting(identity),
    ...{ RATE_LIMIT_PER_USER: '100', RATE_LIMIT_PER_IP: '100000', REDIS_URL: redis.url },
    ...more,
  });
  services.push(started);
  return { started, port: await portOf(started) };
}

const tokenOf = (sub: string): Promise<string> => identity.token({ sub, role: 'ACCOUNT_MANAGER', client_access: [] });

/** Sends simultaneous requests of one user to all instances in turn, and counts how many got each status. */
async function tally(instances: readonly Instance[], times: number, token: string): Promise<object> {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) =>
      ask(instances[index % instances.length]?.port ?? 0, 'GET /api/nothing', { token }),
    ),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const APART = /"place":"Redis",.*each process counts alone/g;

/** Counts the log lines in which the instances report the beginning or the end of a Redis outage. */
function loggedOutages({ started: { out } }: Instance): { apart: number; together: number } {
  return { apart: out.match(APART)?.length ?? 0, together: out.match(TOGETHER)?.length ?? 0 };
}

const counting = async (instances: readonly Instance[]): Promise<void> => {
  await until(() => instances.map(loggedOutages).every(({ apart, together }) => apart === together));
};

/**
 * Sends requests of a new user, and counts how many requests got each HTTP status. If Redis answered too slowly
 * meanwhile, sends and counts requests of another new user instead.
 */
async function tallyTogether(
  instances: readonly Instance[],
  times: number,
  name: string,
): Promise<{ counts: object; user: string }> {
  for (let round = 0; ; round += 1) {
    await counting(instances);
    const before = JSON.stringify(instances.map(loggedOutages));
    const user = `${name}-${round}`;
    const counts = await tally(instances, times, await tokenOf(user));
    if (round > 20 || JSON.stringify(instances.map(loggedOutages)) === before) return { counts, user };
  }
}

describe('three instances with one Redis', () => {
  let three: Instance[];
  beforeAll(async () => {
    three = [await instance(), await instance(), await instance()];
  });

  test('three instances with one Redis accept exactly 100 of 300 simultaneous requests of one user', async () => {
    expect((await tallyTogether(three, 300, 'idp|everywhere')).counts).toEqual({ 404: 100, 429: 200 });
  });

  test('instances with one Redis count the requests of a user with several tokens together, and of two users separately', async () => {
    const { user } = await tallyTogether(three, 300, 'idp|same');
    expect(await tally(three, 3, await tokenOf(user))).toEqual({ 429: 3 });
    expect(await tally(three, 3, await tokenOf('idp|other'))).toEqual({ 404: 3 });
  });

  test('the Redis keys of rate limits expire, begin with REDIS_PREFIX, and name no user', async () => {
    await tally(three, 3, await tokenOf('idp|somebody'));
    const keys = (await redis.ask('KEYS', '*')) as string[];
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) {
      expect(key).toMatch(/^taxclaims:[a-z-]+:[\w-]{43}$/);
      const ttl = Number(await redis.ask('PTTL', key));
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(60_000);
    }
    expect(keys.join()).not.toMatch(/idp|127\.0\.0\.1/);
  });

  test('deployments with different REDIS_PREFIX count a user’s requests separately', async () => {
    const other = await instance({ REDIS_PREFIX: 'staging' });
    const token = await tokenOf('idp|same');
    expect(await tally([other], 1, token)).toEqual({ 404: 1 });
    expect(await redis.ask('KEYS', 'staging:*')).not.toEqual([]);
  });

  test.each<[string, () => Promise<void>, () => Promise<void>]>([
    ['frozen', () => redis.freeze(), () => redis.resume()],
    [
      'killed',
      () => redis.kill(),
      async () => {
        const { port } = redis;
        redis = await startRedis({ dir: join(folder, 'redis'), password: PASSWORD, port });
      },
    ],
    [
      'slow',
      async () => {
        await redis.ask('CLIENT', 'PAUSE', '4000');
      },
      () => Promise.resolve(),
    ],
  ])(
    'three instances answer while their Redis is %s, log the outage, and count requests in Redis again afterwards',
    async (how, hurt, mend) => {
      await counting(three);
      const loggedBefore = three.map(loggedOutages);
      await hurt();
      const token = await tokenOf(`idp|while-${how}`);
      const answers = await tally(three, 90, token);
      expect(answers).toEqual({ 404: 90 });
      await mend();
      await counting(three);
      const later = three.map(loggedOutages);
      for (const [index, { apart }] of loggedBefore.entries()) expect(later[index]?.apart).toBeGreaterThan(apart);
      const { counts: again } = await tallyTogether(three.slice(0, 2), 300, `idp|after-${how}`);
      expect(again).toEqual({ 404: 100, 429: 200 });
    },
  );

  test('instances of the service never log the password of Redis', () => {
    for (const { started } of three) expect(started.out + started.err).not.toContain(PASSWORD);
  });
});

test('an instance uses a Redis with TLS only if the certificate of Redis is trusted', async () => {
  const [certificate, key] = [join(folder, 'redis.crt'), join(folder, 'redis.key')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
  ]);
  const secure = await startRedis({
    dir: join(folder, 'tls'),
    password: PASSWORD,
    tls: { certificate, key },
  });
  const trusting = await instance({ REDIS_URL: secure.url, NODE_EXTRA_CA_CERTS: certificate });
  const token = await tokenOf('idp|tls');
  expect(await tally([trusting], 1, token)).toEqual({ 404: 1 });
  expect(await secure.ask('KEYS', 'taxclaims:api-user:*')).toHaveLength(1);
  const wary = await instance({ REDIS_URL: secure.url });
  await wary.started.says(/"place":"Redis",.*each process counts alone/);
  expect(await tally([wary], 1, token)).toEqual({ 404: 1 });
  await secure.close();
});
