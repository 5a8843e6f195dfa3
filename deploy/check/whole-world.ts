import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { fixtureOf } from '../../test/faults/account.ts';
import { startLoad } from '../../test/faults/load-process.ts';
import type { LoadProcess } from '../../test/faults/load-process.ts';
import { createServiceProcess } from '../../test/faults/service-process.ts';
import type { ServiceProcess } from '../../test/faults/service-process.ts';
import { mountSmallDisk } from '../../test/faults/small-disk.ts';
import type { SmallDisk } from '../../test/faults/small-disk.ts';
import { bucketIn, filesBelow, storeInS3 } from '../../test/faults/stored-contents.ts';
import { loadTenant, peopleOf, WORDS } from '../../test/faults/tenants.ts';
import { withAdmin } from '../../test/support/database.ts';
import { startTestIdentity } from '../../test/support/identity.ts';
import type { TestIdentity } from '../../test/support/identity.ts';
import type { Haproxy } from '../lab/haproxy.ts';
import { startPatroni } from '../lab/patroni.ts';
import type { Patroni } from '../lab/patroni.ts';
import { startPgBouncer } from '../lab/pgbouncer.ts';
import type { PgBouncer } from '../lab/pgbouncer.ts';
import { startPrometheus } from '../lab/prometheus.ts';
import type { Prometheus } from '../lab/prometheus.ts';
import { startRedis } from '../lab/redis.ts';
import type { Redis } from '../lab/redis.ts';
import { startS3 } from '../lab/s3.ts';
import type { S3 } from '../lab/s3.ts';
import { makeDatabase, makeLoginWithPsql } from './database.ts';
import type { Books } from './drawn-up.ts';
import { frontOf } from './front.ts';
import { makeTenants, ofEveryInstance } from './under-load.ts';
import type { Closable } from './world.ts';

/**
 * A deployment with all parts of deploy/compose and more. HAProxy distributes requests to two instances of the service.
 * PgBouncer in transaction mode connects them to a Patroni cluster. Redis, S3, Prometheus and an identity provider run
 * too.
 */
export interface Whole extends Closable, Books {
  readonly haproxy: Restartable<Haproxy>;
  readonly instances: readonly [ServiceProcess, ServiceProcess];
  /**
   * A small disk on which the first instance keeps its records of refused requests. It is undefined if this process is
   * not root, because only root can mount a disk.
   */
  readonly spoolDisk: SmallDisk | undefined;
  readonly pooler: PgBouncer;
  readonly cluster: Patroni;
  readonly redis: Restartable<Redis>;
  readonly s3: Restartable<S3>;
  readonly prometheus: Restartable<Prometheus>;
  readonly identity: TestIdentity;
  readonly load: LoadProcess;
}

/** A server program that the test can end, and start again on the same port. */
interface Restartable<P> {
  readonly now: P;
  again(): Promise<void>;
}

export async function openWhole(folder: string, seed: number): Promise<Whole> {
  const endings: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  const closing = <C extends Closable>(part: C): C => {
    endings.push(() => part.close());
    return part;
  };
  const restartable = async <P extends Closable>(start: (before?: P) => Promise<P>): Promise<Restartable<P>> => {
    let now = await start();
    endings.push(() => now.close());
    return {
      get now() {
        return now;
      },
      async again() {
        now = await start(now);
      },
    };
  };
  try {
    const [cluster, redis, s3, identity] = await Promise.all([
      startPatroni({ dir: join(folder, 'patroni') }).then(closing),
      restartable<Redis>((before) => startRedis({ dir: join(folder, 'redis'), port: before?.port })),
      restartable<S3>((before) => startS3({ dir: join(folder, 's3'), port: before?.port })),
      startTestIdentity(),
    ]);
    endings.push(() => identity.stop());
    const pooler = closing(await startPgBouncer({ dir: join(folder, 'pgbouncer'), upstream: cluster.proxiedUrl }));
    const database = await makeDatabase(cluster.leaderUrl);
    const login = await makeLoginWithPsql(cluster.leaderUrl, database);
    const adminUrl = (): Promise<string> => cluster.leaderUrl(database);
    const tenants = WORDS.map(loadTenant);
    await makeTenants(await adminUrl(), tenants);
    const environment = {
      ...ofEveryInstance(identity),
      ...storeInS3(s3.now.port, ''),
      ...{ TRUST_PROXY: '1', REDIS_URL: redis.now.url },
      DATABASE_URL: `postgres://${login.name}:${login.password}@127.0.0.1:${pooler.port}/${database}`,
      DATABASE_PREPARED_STATEMENTS: 'false',
    };
    const metricsPorts = [await findFreePort(0), await findFreePort(0)];
    const startInstance = async (index: number): Promise<ServiceProcess> => {
      const service = await createServiceProcess(folder, {
        ...environment,
        ...{ DATA_DIR: join(folder, `data-${index}`), METRICS_PORT: String(metricsPorts[index]) },
      });
      endings.push(async () => {
        service.signal('SIGKILL');
        await service.ended();
      });
      await service.start();
      return service;
    };
    await mkdir(join(folder, 'data-0'), { mode: 0o700 });
    const spoolDisk = process.getuid?.() === 0 ? await mountSmallDisk(join(folder, 'data-0')) : undefined;
    if (spoolDisk !== undefined) endings.push(() => spoolDisk.unmount());
    const instances = [await startInstance(0), await startInstance(1)] as const;
    const ports = instances.map(({ port }) => port);
    const haproxy = await restartable<Haproxy>((before) => frontOf(ports, join(folder, 'haproxy'), before?.port));
    const targets = metricsPorts.map((port) => `127.0.0.1:${port}`);
    const prometheus = await restartable<Prometheus>((before) =>
      startPrometheus({ dir: join(folder, 'prometheus'), port: portOf(before), targets }),
    );
    const people = await peopleOf(
      tenants.map(({ tenant }) => tenant),
      identity,
    );
    const fixture = await withAdmin(await adminUrl(), fixtureOf);
    const load = await startLoad(folder, {
      ...{ port: haproxy.now.port, seed, people, without: [] },
    });
    endings.push(() => load.finish());
    return {
      ...{ haproxy, instances, spoolDisk, pooler, cluster, redis, s3, prometheus, identity, load },
      ...{ adminUrl, database, fixture, close },
      contents: () => filesBelow(bucketIn(s3.now.directory)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function portOf(prometheus: Prometheus | undefined): number | undefined {
  return prometheus === undefined ? undefined : Number(new URL(prometheus.url).port);
}
