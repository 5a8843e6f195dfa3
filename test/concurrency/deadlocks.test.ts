import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { inLine, rowOf, waiting, wholeTable } from '../support/held-row.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';
import { person } from '../support/people.ts';
import { connected } from '../support/database.ts';

/*
 * These tests check that requests which lock several rows lock them in the same order, so that they cannot end in a
 * deadlock. Postgres resolves no deadlock here, because its deadlock_timeout of 60 seconds exceeds the statement
 * time-out. A request in a deadlock would therefore get 503.
 */

let tenant: Tenant;

const service = await forSuite(startService({ statementTimeoutMs: 4_000 }));
const token = await service.token('ADMIN');
await lookForDeadlocksAfter('60s');

/** Gives the service’s database connections the given deadlock_timeout of Postgres. */
async function lookForDeadlocksAfter(deadlockTimeout: string): Promise<void> {
  await service.admin(`alter database ${service.postgres.name} set deadlock_timeout = '${deadlockTimeout}'`);
  // The connections that the service opened before do not have the time-out.
  await service.admin(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

beforeEach(async () => {
  tenant = await service.furnishedTenant('Boulangerie Martin');
});

describe('requests that lock several rows lock them in one order, so that they never end in a deadlock', () => {
  test('two ADMINs who assign a client to each other at the same time both get 200', async () => {
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

  test.each([
    { record: 'an invoice', table: 'factures', path: 'invoices', field: 'reclamation_id' },
    { record: 'a bill', table: 'partner_invoices', path: 'partner-invoices', field: 'invoice_id' },
    { record: 'a claim', table: 'reclamations', path: 'reclamations', field: 'site_id' },
  ] as const)(
    'a change of the $field of $record and a simultaneous deletion of the record’s client both succeed',
    async ({ table, path, field }) => {
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

  describe('the issue of a credit note locks the credited invoice before the note:', () => {
    interface Credited {
      readonly invoice: string;
      readonly note: string;
    }

    /** The id of the note precedes that of the invoice. */
    async function createCredited(first: 'e' | 'f' = 'f'): Promise<Credited> {
      const [invoice, note] = [first + randomUUID().slice(1), `0${randomUUID().slice(1)}`];
      const body = { token, body: { status: 'ISSUED' } };
      await service.admin(
        `insert into public.factures (id, client_id, amount_excl_tax) values ('${invoice}', '${tenant.clients}', 100)`,
      );
      expect((await service.ask(`PUT /api/invoices/${invoice}`, body)).status).toBe(200);
      await service.admin(
        `insert into public.factures (id, client_id, kind, credits_id, amount_excl_tax) values ('${note}', '${tenant.clients}', 'CREDIT_NOTE', '${invoice}', 1)`,
      );
      return { invoice, note };
    }

    const changeMany = (...changes: object[]) =>
      service.ask('POST /api/invoices/changes', { token, body: { changes } });

    // Both requests have locked their own rows when they wait for the table of the moves, and credit the invoice after it.
    const bothAtTheMove = wholeTable('invoice_transitions');

    test('two bulk changes that credit invoices of each other both succeed', async () => {
      const [one, two] = [await createCredited(), await createCredited()];
      const change = (note: Credited, paid: Credited) => () =>
        changeMany({ id: note.note, status: 'ISSUED' }, { id: paid.invoice, status: 'PAID' });
      const answers = await inLine(service, bothAtTheMove, [change(one, two), change(two, one)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });

    test.each(['moves', 'invoice'])(
      'the issue of a credit note and a bulk change of the note and its invoice both succeed after they wait for the %s',
      async (hold) => {
        const { invoice, note } = await createCredited();
        const answers = await inLine(service, hold === 'moves' ? bothAtTheMove : rowOf('factures', invoice), [
          () => service.ask(`PUT /api/invoices/${note}`, { token, body: { status: 'ISSUED' } }),
          () => changeMany({ id: invoice, status: 'PAID' }, { id: note, status: 'PAID' }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      },
    );

    test('a bulk change that issues a credit note of another invoice than before, and one of both invoices, both succeed', async () => {
      const [before, after] = [await createCredited('f'), await createCredited('e')];
      const answers = await inLine(service, bothAtTheMove, [
        () => changeMany({ id: before.note, credits_id: after.invoice, status: 'ISSUED' }),
        () => changeMany({ id: after.invoice, status: 'PAID' }, { id: before.invoice, status: 'PAID' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });
  });
});

test('if Postgres ends a request because of a deadlock, the service repeats the request and answers 200', async () => {
  await lookForDeadlocksAfter('200ms');
  const another = await connected(service.postgres.adminUrl);
  await another.query(`set deadlock_timeout = '60s'; begin`);
  await another.query('select from public.factures where id = $1 for update', [tenant.factures]);
  // The change of the invoice locks the invoice’s claim, and then waits for the lock of the invoice.
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
