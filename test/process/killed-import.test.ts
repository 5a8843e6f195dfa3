import { expect, test } from '@jest/globals';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { accepting } from '../support/world.ts';
import { ask } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { portOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { until } from '../support/upload.ts';

const processes: Started[] = [];

const folder = await folderForSuite();
const database = await forSuite(createTestDatabase());
const identity = await forSuite(startTestIdentity());
await forSuite({
  // Jest would not end while a service still runs after a failed test, so each service is killed here.
  end: () => {
    for (const one of processes) one.signal('SIGKILL');
    return Promise.all(processes.map(({ ended }) => ended));
  },
});

test('if a service is killed during an import, the import leaves no record, and succeeds when a caller sends it again', async () => {
  const environment = {
    ...{ PORT: '0', DATABASE_URL: database.apiUrl, DATA_DIR: folder, LOG_LEVEL: 'warn' },
    ...accepting(identity),
  };
  const started = (): Started => {
    const one = start(folder, environment);
    processes.push(one);
    return one;
  };
  const [tenant, annex] = [newTenant(), newTenant()];
  const token = await identity.token({ sub: 'idp|admin', role: 'ADMIN', client_access: [] });
  const body = Array.from({ length: 1_500 }, (_, index) => ({
    ...{ client_id: tenant.clients, site_id: index < 1_200 ? tenant.sites : annex.sites },
    ...{ claim_type: 'TF', amount: 5, tax_year: 2024 },
  }));
  const headers = { 'idempotency-key': 'an-import-that-is-killed' };
  // Within a transaction, pg_stat_activity does not change. One connection holds a lock in a transaction, so another
  // one reads pg_stat_activity.
  await withAdmin(database.adminUrl, async (holder) =>
    withAdmin(database.adminUrl, async (admin) => {
      await admin.query(tenantSql(tenant, 'Boulangerie Martin'));
      await admin.query(`insert into public.sites (id, client_id, site_name) values ($1, $2, 'Annexe')`, [
        annex.sites,
        tenant.clients,
      ]);
      const counted = async (text: string) =>
        Number((await admin.query<{ count: string }>(`select count(*) as count from ${text}`)).rows[0]?.count);
      const others = `pg_stat_activity where datname = current_database() and application_name like 'taxclaims-api%'`;
      const stored = async () => [
        await counted('public.reclamations where tax_year = 2024'),
        await counted(`public.audit_logs where success and action like 'POST %'`),
        await counted('app.idempotency_keys'),
      ];

      const killed = started();
      const port = await portOf(killed);
      await holder.query('begin');
      await holder.query('select from public.sites where id = $1 for update', [annex.sites]);
      const answer = ask(port, 'POST /api/reclamations/import', { token, headers, body });
      const lost = expect(answer).rejects.toThrow();
      lost.catch(() => undefined);
      // At this moment the import has inserted its first 1,000 claims, and waits for the locked site of the later
      // claims.
      await until(async () => (await counted(`${others} and wait_event_type = 'Lock'`)) === 1);
      killed.signal('SIGKILL');
      await Promise.all([lost, killed.ended]);
      await holder.query('commit');
      await until(async () => (await counted(others)) === 0);
      expect(await stored()).toEqual([0, 0, 0]);

      const again = started();
      const next = await portOf(again);
      const made = await ask(next, 'POST /api/reclamations/import', { token, headers, body });
      expect(made.json).toMatchObject({ imported: 1_500 });
      expect(await stored()).toEqual([1_500, 1_500, 1]);
      again.signal('SIGTERM');
      expect(await again.ended).toBe(0);
    }),
  );
});
