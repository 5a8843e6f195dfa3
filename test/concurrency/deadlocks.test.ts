import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waiting } from '../support/held-row.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { inLine, rowOf, wholeTable } from './held.ts';
import { person } from '../support/people.ts';
import { connected } from '../support/database.ts';

/*
 * Whoever takes several rows takes them in one order. A deadlock would last longer here than a statement may, and so
 * would be seen as a 503.
 */

let service: Service;
let tenant: Tenant;
let token: string;

/** A service whose connections look for a deadlock after that time; they learn it when they are made. */
async function start(deadlockTimeout: string): Promise<void> {
  service = await startService({ statementTimeoutMs: 4_000 });
  await service.admin(`alter database ${service.postgres.name} set deadlock_timeout = '${deadlockTimeout}'`);
}

beforeEach(async () => {
  tenant = await service.furnishedTenant('Boulangerie Martin');
  token = await service.token('ADMIN');
});

describe('where no deadlock would be looked for in time', () => {
  beforeAll(() => start('60s'));
  afterAll(() => service.close());

  test('ADMINs who assign clients for each other do not wait for each other', async () => {
    const { id: one } = await person(service, 'ADMIN', [tenant.clients]);
    const { id: two } = await person(service, 'ADMIN', [tenant.clients]);
    const more = (await service.tenant('More')).clients;
    const assign = (by: string, to: string) => async () =>
      service.ask(`PUT /api/users/${to}/client-access/${more}`, {
        token: await service.token('ADMIN', [tenant.clients, more], {
          sub: by,
          iat: Math.floor(Date.now() / 1000),
        }),
      });
    const answers = await inLine(service, wholeTable('audit_logs'), [assign(one, two), assign(two, one)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  const CHANGES = [
    ['an invoice', 'factures', 'invoices', 'reclamation_id'],
    ['a bill', 'partner_invoices', 'partner-invoices', 'invoice_id'],
    ['a claim', 'reclamations', 'reclamations', 'site_id'],
  ] as const;

  test.each(CHANGES)(
    'a change of what %s refers to and the deletion of the client take both in one order',
    async (_what, table, path, field) => {
      const { clients: client } = tenant;
      const second = randomUUID();
      await service.admin(`
        insert into public.sites (id, client_id, site_name) values ('${second}', '${client}', 'Annexe');
        insert into public.reclamations (id, client_id, site_id, claim_type, amount) values ('${second}', '${client}', '${second}', 'TF', 1);
        insert into public.factures (id, client_id, amount_excl_tax) values ('${second}', '${client}', 1);`);
      const answers = await inLine(service, rowOf(table, tenant[table]), [
        () => service.ask(`PUT /api/${path}/${tenant[table]}`, { token, body: { [field]: second } }),
        () => service.ask(`DELETE /api/clients/${client}`, { token }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 204]);
    },
  );
});

describe('where a deadlock is looked for', () => {
  beforeAll(() => start('200ms'));
  afterAll(() => service.close());

  test('its victim is tried once more, and the caller hears of nothing', async () => {
    const another = await connected(service.postgres.adminUrl);
    await another.query(`set deadlock_timeout = '60s'; begin`);
    await another.query('select from public.factures where id = $1 for update', [tenant.factures]);
    // Holds the claim and waits for the invoice.
    const answer = service.ask(`PUT /api/invoices/${tenant.factures}`, {
      token,
      body: { reclamation_id: tenant.reclamations },
    });
    while ((await waiting(service)) < 1);
    await another.query('select from public.reclamations where id = $1 for update', [tenant.reclamations]);
    await another.query('commit');
    await another.end();
    expect((await answer).status).toBe(200);
  });
});
