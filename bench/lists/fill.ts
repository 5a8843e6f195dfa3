import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { withAdmin } from '../../test/support/database.ts';
import { type BenchServer, filledDatabase } from '../database.ts';

/**
 * Returns the address of a database that also has the texts by which lists search and sort. The first call fills the
 * database.
 */
export async function listsDatabase(server: BenchServer): Promise<string> {
  const adminUrl = await filledDatabase(server, {
    name: 'taxclaims_bench_lists',
    population: await readFile(join(import.meta.dirname, '..', 'population.sql'), 'utf8'),
    migrate: (url) => migrate({ adminUrl: url, log: pino({ level: 'silent' }) }),
  });
  await withAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query('select from public.partner_invoices where due_date is not null limit 1');
    if (rowCount !== 0) return;
    const script = await readFile(join(import.meta.dirname, 'population.sql'), 'utf8');
    const [rows = '', maintenance = ''] = script.split(/^commit;$/m);
    await admin.query(`${rows}commit;`);
    for (const statement of maintenance.split(';')) await admin.query(statement);
  });
  return adminUrl;
}
