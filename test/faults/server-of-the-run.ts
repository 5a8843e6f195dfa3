import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { asDatabase, withAdmin } from '../support/database.ts';
import type { TestRun } from '../support/database.ts';
import { createScratchFolder, removeAbandoned } from '../support/scratch.ts';
import { createScratchCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';

/** Starts one Postgres server for all tests of failures. Each of these tests has a database of its own. */
interface FaultRun {
  readonly cluster: Cluster;
  close(): Promise<void>;
}

export async function openRun(): Promise<FaultRun> {
  await removeAbandoned();
  const folder = await createScratchFolder();
  const cluster = await createScratchCluster(folder);
  const id = randomBytes(4).toString('hex');
  const prefix = `taxclaims_run_${id}`;
  const login = { name: prefix, password: randomBytes(24).toString('base64url') };
  const run: TestRun = { adminUrl: cluster.adminUrl, prefix, template: `${prefix}_template`, login };
  await withAdmin(run.adminUrl, async (admin) => {
    await admin.query(`create database ${run.template} template template0`);
    await migrate({ adminUrl: asDatabase(run.adminUrl, run.template), log: pino({ level: 'silent' }) });
    const password = pg.escapeLiteral(login.password);
    await admin.query(`create role ${login.name} login password ${password} in role taxclaims_api`);
  });
  process.env['TAXCLAIMS_TEST_RUN'] = JSON.stringify(run);
  return { cluster, close: () => cluster.remove() };
}
