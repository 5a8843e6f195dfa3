import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { createLogin } from '../../src/embedded/postgres/logins.ts';
import { createScratchCluster, createStandby } from '../faults/cluster.ts';
import type { Cluster } from '../faults/cluster.ts';
import { asDatabase, withAdmin } from '../support/database.ts';
import { createFolder, silent } from '../support/embedded.ts';
import { startService } from '../support/service.ts';
import type { Options, Service } from '../support/service.ts';

const DATABASE = 'taxclaims';

/** A primary with its standby, and services that read from it. */
export interface World {
  readonly primary: Cluster;
  readonly standby: Cluster;
  /** The superuser's addresses of the database. */
  readonly adminUrl: string;
  readonly standbyUrl: string;
  /** The API's login, on the primary and on the standby. */
  readonly apiUrl: string;
  readonly replicaUrl: string;
  /** Another instance, which reads from the standby as soon as this resolves. */
  instance(options?: Partial<Options>): Promise<Service>;
  /** What the instances have written to their logs. */
  readonly log: readonly string[];
  forgetLog(): void;
  /** From now on the standby takes what the primary writes, and does not show it. */
  pause(): Promise<void>;
  /** And shows it again; resolves once it has caught up. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const folder = await createFolder();
  const primary = await createScratchCluster(join(folder.path, 'primary'));
  await withAdmin(primary.adminUrl, (admin) => admin.query(`create database ${DATABASE}`));
  const adminUrl = asDatabase(primary.adminUrl, DATABASE);
  await migrate({ adminUrl, log: silent });
  const apiUrl = await createLogin({ adminUrl });
  const standby = await createStandby(primary, join(folder.path, 'standby'));
  const at = (url: string): string => {
    const address = new URL(url);
    address.port = String(standby.port);
    return address.href;
  };
  const [standbyUrl, replicaUrl] = [at(adminUrl), at(apiUrl)];
  const services: Service[] = [];
  const log: string[] = [];
  const onStandby = (sql: string): Promise<unknown> => withAdmin(standbyUrl, (admin) => admin.query(sql));

  return {
    ...{ primary, standby, adminUrl, standbyUrl, apiUrl, replicaUrl, log },
    forgetLog: () => {
      log.length = 0;
    },
    async instance(options = {}) {
      const service = await startService({
        postgres: { name: DATABASE, adminUrl, apiUrl, directUrl: apiUrl, close: () => Promise.resolve() },
        replicaUrls: [replicaUrl],
        log: pino({}, { write: (line: string) => log.push(line) }),
        // All accept the tokens of the first.
        ...(services[0] !== undefined && { provider: services[0].identity }),
        ...options,
      });
      services.push(service);
      if (options.replicaUrls === undefined) await untilRead(service);
      return service;
    },
    pause: async () => {
      await onStandby('select pg_wal_replay_pause()');
      await until(async () => {
        const { rows } = await withAdmin(standbyUrl, (admin) =>
          admin.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state'),
        );
        return rows[0]?.state === 'paused';
      });
    },
    async resume() {
      await onStandby('select pg_wal_replay_resume()');
      await caughtUp(adminUrl, standbyUrl);
    },
    async close() {
      for (const service of services) await service.close();
      await standby.remove();
      await primary.remove();
      await folder.remove();
    },
  };
}

/** Until the standby shows what the primary has written by now. */
export async function caughtUp(adminUrl: string, standbyUrl: string): Promise<void> {
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ position: string }>('select pg_current_wal_flush_lsn()::text as position'),
  );
  await until(async () => {
    const { rows: seen } = await withAdmin(standbyUrl, (admin) =>
      admin.query<{ done: boolean }>('select pg_last_wal_replay_lsn() >= $1::pg_lsn as done', [
        rows[0]?.position,
      ]),
    );
    return seen[0]?.done === true;
  });
}

export const isRead = (service: Service): boolean =>
  service.replicas?.standings().some((standing) => standing.isRead) === true;

export const untilRead = (service: Service): Promise<void> => until(() => Promise.resolve(isRead(service)));

export const untilLeftOut = (service: Service): Promise<void> =>
  until(() => Promise.resolve(!isRead(service)));

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}
