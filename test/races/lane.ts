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

/** One service on a database of its own, in which one race goes on at a time, with the superuser's connections. */
export interface Lane {
  readonly service: Service;
  readonly provider: RaceProvider;
  readonly keys: Keys;
  /** Holds what the requests run into. */
  readonly holder: pg.Client;
  /** Looks and checks; never waits for a lock, except that a table is locked. */
  readonly watcher: pg.Client;
  /** A fresh tenant whose ADMINs without a list are the only ones who are active. */
  tenant(): Promise<RaceTenant>;
  close(): Promise<void>;
}

/** Postgres looks for a deadlock after a second; whether there is one does not depend on it. */
const DEADLOCK_TIMEOUT = '20ms';

export async function openLane(): Promise<Lane> {
  const service = await startService();
  // The checks are the same after each race: to plan them anew takes longer than to run them.
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
      // Plans that were made for small tables are made anew as these grow.
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
