import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/upload.ts';
import { gaugesOf } from './processes.ts';
import type { World, WorldOptions } from './world.ts';

/** How much memory the service uses, and how many files and connections it has open, at one moment. */
export interface Gauges {
  readonly 'resident MB': number;
  readonly 'heap MB': number;
  readonly handles: number;
  readonly files: number;
  readonly sockets: number;
  readonly connections: number;
}

const FILE = 'gauges';
const GAUGE = fileURLToPath(new URL('gauge.ts', import.meta.url));

export const GAUGED: WorldOptions = {
  environment: { NODE_OPTIONS: `--import ${GAUGE}`, FAULTS_GAUGE: FILE },
};

export async function readGauges({ folder, service, admin, database }: World): Promise<Gauges> {
  const file = join(folder, FILE);
  await rm(file, { force: true });
  service.signal('SIGUSR2');
  let text = '';
  await until(async () => {
    text = await readFile(file, 'utf8').catch(() => '');
    return text.endsWith('}');
  });
  const { heapUsed, handles } = JSON.parse(text) as { heapUsed: number; handles: number };
  const { rssMb, files, sockets } = await gaugesOf(service.pid);
  const rows = await admin(`select from pg_stat_activity where datname = $1 and application_name like 'taxclaims%'`, [
    database,
  ]);
  return {
    ...{ 'resident MB': rssMb, 'heap MB': Math.round(heapUsed / 2 ** 20), handles, files, sockets },
    connections: rows.length,
  };
}
