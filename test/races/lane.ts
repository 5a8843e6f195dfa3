import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { newRaceTenant, raceTenantSql } from './people.ts';
import type { RaceTenant } from './people.ts';
import { openRaceProvider } from './provider.ts';
import type { RaceProvider } from './provider.ts';
import { installWitness } from './witness.ts';
import type { Keys } from './witness.ts';
import { connected } from '../support/database.ts';

/**
 * A service with its own database, to which a test sends one group of simultaneous requests at a time, and connections
 * of the superuser.
 */
export interface Lane {
  readonly service: Service;
  readonly provider: RaceProvider;
  readonly keys: Keys;
  /** The superuser’s connection that holds the lock for which simultaneous requests wait. */
  readonly holder: pg.Client;
  /** The superuser’s connection that checks the database after simultaneous requests. */
  readonly watcher: pg.Client;
  /**
   * Creates a tenant for one group of simultaneous requests. The new tenant's two ADMINs of all clients become the only
   * active ones in the database.
   */
  tenant(): Promise<RaceTenant>;
  close(): Promise<void>;
}

/**
 * Postgres looks for a deadlock after this time in milliseconds. With Postgres’s default of one second, requests in a
 * deadlock would only take longer.
 */
const DEADLOCK_TIMEOUT = '20ms';

export async function openLane(): Promise<Lane> {
  const service = await startService();
  // Postgres plans the SQL that checks simultaneous requests only once (generic plans). Planning it again each time
  // would take longer than running it.
  const connect = () => connected(service.postgres.adminUrl, '-c plan_cache_mode=force_generic_plan');
  const [holder, watcher] = [await connect(), await connect()];
  await watcher.query(`alter database ${service.postgres.name} set deadlock_timeout = '${DEADLOCK_TIMEOUT}'`);
  const keys = await installWitness(watcher);
  const provider = openRaceProvider(service);
  let last: RaceTenant | undefined;
  let tenants = 0;

  return {
    ...{ service, provider, keys, holder, watcher },
    async tenant() {
      const tenant = newRaceTenant();
      tenants += 1;
      // New statistics make Postgres plan its queries again. Plans from the time when the tables were small are slow
      // for large tables.
      if (tenants >= 64 && Number.isInteger(Math.log2(tenants))) await watcher.query('analyze');
      const [sleeping, awake] = [last, tenant].map((one) =>
        one === undefined ? '{}' : `{${one.chief},${one.deputy}}`,
      );
      last = tenant;
      await watcher.query(`${raceTenantSql(tenant)}
        begin;
        set local session_replication_role = replica;
        update public.users set is_active = false where id = any ('${sleeping ?? '{}'}');
        update public.users set is_active = true where id = any ('${awake ?? '{}'}');
        commit;`);
      await writeFile(join(service.documentFolder, tenant.documents), 'Avis');
      return tenant;
    },
    async close() {
      await Promise.all([holder.end(), watcher.end()]);
      await provider.close();
      await service.close();
    },
  };
}
