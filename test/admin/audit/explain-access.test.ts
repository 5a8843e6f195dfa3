import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../../support/day.ts';
import { type Command, idOf, SELF } from '../../policies/fixture.ts';
import { REQUEST_ROLES, type RequestRole, RIGHTS, type Table, TABLES } from '../../policies/rights.ts';
import { determineDatabaseRole } from '../../../src/db/settings.ts';
import { ROLES } from '../../../src/identity/caller.ts';
import { request } from '../../support/probe.ts';
import { forSuite } from '../../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';

const COMMANDS: Readonly<Record<Command, string>> = {
  c: 'insert',
  r: 'select',
  u: 'update',
  d: 'delete',
};

/**
 * A row of these tables belongs to a parent, for example to a claim. For an INSERT, audit.explain_access takes the
 * parent’s id instead of a client’s id.
 */
const BELONGS_TO: Partial<Record<Table, Table>> = {
  cadastres: 'sites',
  documents: 'reclamations',
  notes: 'reclamations',
};

interface Verdict {
  readonly allowed: boolean;
  readonly as_role: string;
  readonly decided_by: string;
  readonly reason: string;
  readonly statement: string;
}

const world = await forSuite(openAuditedWorld());
const CASES = TABLES.flatMap((table) => REQUEST_ROLES.map((role) => ({ role, table })));

describe(`audit.explain_access (${sampledByDay(CASES).length} of ${CASES.length} roles and tables)`, () => {
  async function explain(role: string, clients: string[], table: string, command: string, id: string | null) {
    const { rows } = await world.auditor.query<Verdict>('select * from audit.explain_access($1, $2, $3, $4, $5, $6)', [
      role,
      clients,
      table,
      command,
      id,
      SELF,
    ]);
    expect(rows).toHaveLength(1);
    return rows[0] as Verdict;
  }

  /** Creates a client with an issued invoice, and returns the invoice’s id. */
  async function anotherInvoice(): Promise<string> {
    const { rows } = await world.admin.query<{ id: string }>(
      `with c as (
         insert into public.clients (company_name, contact_email) values ('Other', 'o@example.org') returning id
       )
       insert into public.factures (client_id, amount_excl_tax) select c.id, 10 from c returning id`,
    );
    const id = rows[0]?.id ?? '';
    await world.admin.query(`update public.factures set status = 'ISSUED' where id = $1`, [id]);
    return id;
  }

  function idFor(table: Table, command: Command, firm: 'a' | 'b'): string {
    if (command === 'c' && table === 'clients') return randomUUID();
    if (command === 'c') return idOf(firm, BELONGS_TO[table] ?? 'clients');
    if (table === 'client_partners') return idOf(firm, 'clients');
    return idOf(firm, table === 'partners' ? 'free_partner' : table);
  }

  function expectedFor(table: Table, role: RequestRole, command: Command, firm: 'a' | 'b'): boolean {
    const rights: string = RIGHTS[table][role];
    if (!rights.includes(command)) return false;
    if (role === 'admin' || firm === 'a') return true;
    // A new client and a partner belong to no client of the caller’s list yet.
    return (table === 'partners' || table === 'clients') && command === 'c';
  }

  test.each(sampledByDay(CASES))(
    'the function audit.explain_access says which SQL commands a caller in role $role is allowed to run on $table of the caller’s own clients and of others',
    async ({ role, table }) => {
      for (const command of ['c', 'r', 'u', 'd'] as const) {
        for (const firm of ['a', 'b'] as const) {
          const id = idFor(table, command, firm);
          const clients = role === 'admin' ? [] : [idOf('a', 'clients')];
          const verdict = await explain(role, clients, table, COMMANDS[command], id);
          expect([command, firm, verdict.allowed, verdict.as_role, verdict.reason]).toEqual([
            command,
            firm,
            expectedFor(table, role, command, firm),
            `taxclaims_${role}`,
            expect.any(String),
          ]);
        }
      }
    },
  );

  test('the function audit.explain_access says which grant is missing if Postgres refuses a role’s statement', async () => {
    expect(await explain('CLIENT', [idOf('a', 'clients')], 'sites', 'delete', idOf('a', 'sites'))).toEqual({
      allowed: false,
      decided_by: 'no grant',
      reason: expect.stringContaining('DELETE is not granted on public.sites to taxclaims_client'),
      statement: `delete from public.sites where id = '${idOf('a', 'sites')}'`,
      as_role: 'taxclaims_client',
    });
  });

  test('according to the function audit.explain_access, an ADMIN with a client list can reach only the clients of the list', async () => {
    const ask = (firm: 'a' | 'b') => explain('ADMIN', [idOf('a', 'clients')], 'sites', 'select', idOf(firm, 'sites'));
    expect(await ask('a')).toMatchObject({ allowed: true, as_role: 'taxclaims_scoped_admin' });
    expect(await ask('b')).toMatchObject({ allowed: false, as_role: 'taxclaims_scoped_admin' });
    const all = await explain('ADMIN', [], 'sites', 'select', idOf('b', 'sites'));
    expect(all).toMatchObject({ allowed: true, as_role: 'taxclaims_admin' });
  });

  test.each(ROLES)(
    'the function audit.explain_access uses the same database role as a request of %s, with and without a client list',
    async (role) => {
      for (const clientAccess of [[], [idOf('a', 'clients')]]) {
        const { rows } = await world.auditor.query('select audit.request_role($1, $2) as becomes', [
          role,
          clientAccess.length > 0,
        ]);
        const context = request();
        const becomes = determineDatabaseRole({
          ...context,
          caller: { ...context.caller, role, clientAccess },
          client: undefined,
        });
        expect(rows).toEqual([{ becomes }]);
      }
    },
  );

  test('the function audit.explain_access names the policy that allows or refuses a caller’s statement', async () => {
    const own = await explain('taxclaims_client', [idOf('a', 'clients')], 'public.sites', 'SELECT', idOf('a', 'sites'));
    expect(own).toMatchObject({ allowed: true, decided_by: 'policy sites_select_tenant' });
    const foreign = await explain('client', [idOf('a', 'clients')], 'sites', 'select', idOf('b', 'sites'));
    expect(foreign).toMatchObject({ allowed: false, decided_by: 'policy sites_select_tenant' });
    const written = await explain('account_manager', [idOf('a', 'clients')], 'sites', 'insert', idOf('b', 'clients'));
    expect(written).toMatchObject({ allowed: false, decided_by: 'policy sites_insert_tenant' });
  });

  test('the function audit.explain_access says so if no record has the given id', async () => {
    const verdict = await explain('client', [], 'sites', 'select', '00000000-0000-4000-8000-000000000000');
    expect(verdict).toMatchObject({ allowed: false, decided_by: 'no such record' });
  });

  test('the function audit.explain_access says so if a role has a grant on a table but no policy', async () => {
    await world.admin.query('grant delete on public.documents to taxclaims_client');
    const verdict = await explain('client', [idOf('a', 'clients')], 'documents', 'delete', idOf('a', 'documents'));
    await world.admin.query('revoke delete on public.documents from taxclaims_client');
    expect(verdict).toMatchObject({ allowed: false, decided_by: 'no policy' });
  });

  test('the function audit.explain_access says so if a trigger refuses a deletion that grants and policies allow', async () => {
    // The test issues an invoice to a new client. Other tests must delete their own clients, which an issued invoice
    // would prevent.
    const issued = await anotherInvoice();
    const verdict = await explain('ADMIN', [], 'factures', 'delete', issued);
    expect(verdict).toMatchObject({ allowed: false, decided_by: 'a trigger or a constraint' });
    expect(verdict.reason).toContain('a row of factures that is ISSUED cannot be deleted');
  });

  test('the function audit.explain_access evaluates the policies as if the named user had sent the statement', async () => {
    const explained = 'select allowed from audit.explain_access($1, $2, $3, $4, $5, $6)';
    const self = idOf('b', 'users');
    const ask = async (user: string | null) =>
      (await world.auditor.query<{ allowed: boolean }>(explained, ['client', [], 'users', 'select', self, user])).rows;
    expect(await ask(null)).toEqual([{ allowed: false }]);
    expect(await ask(self)).toEqual([{ allowed: true }]);
  });

  test('the function audit.explain_access tries the statement that it explains, but changes no row, no audit record and no setting', async () => {
    const state = `select
        (select count(*) from public.sites) as sites,
        (select count(*) from public.documents) as documents,
        (select count(*) from public.audit_logs) as records,
        (select max(updated_at) from public.sites) as updated`;
    const before = (await world.admin.query(state)).rows;
    for (const command of ['update', 'delete']) {
      await world.auditor.query('begin');
      expect(await explain('ADMIN', [], 'sites', command, idOf('a', 'sites'))).toMatchObject({
        allowed: true,
      });
      const { rows } = await world.auditor.query(
        `select nullif(current_setting('app.client_access', true), '') as clients, current_user = session_user as own`,
      );
      expect(rows).toEqual([{ clients: null, own: true }]);
      await world.auditor.query('commit');
    }
    expect((await explain('ADMIN', [], 'clients', 'delete', idOf('a', 'clients'))).statement).toContain('delete');
    expect((await world.admin.query(state)).rows).toEqual(before);
  });

  test.each(['ADMIN', 'ACCOUNT_MANAGER'])(
    'according to the function audit.explain_access, an %s with a client list creates a client, whose id may be null',
    async (role) => {
      for (const id of [randomUUID(), null])
        expect(await explain(role, [idOf('a', 'clients')], 'clients', 'insert', id)).toMatchObject({ allowed: true });
      expect(await explain('TAX_SPECIALIST', [idOf('a', 'clients')], 'clients', 'insert', null)).toMatchObject({
        ...{ allowed: false, decided_by: 'no grant' },
      });
    },
  );

  test('the function audit.explain_access takes the id of the claim for a new note, and needs no user', async () => {
    const ask = async (firm: 'a' | 'b') =>
      (
        await world.auditor.query<Verdict>('select * from audit.explain_access($1, $2, $3, $4, $5)', [
          ...['CLIENT', [idOf('a', 'clients')], 'notes', 'insert', idOf(firm, 'reclamations')],
        ])
      ).rows;
    expect(await ask('a')).toEqual([expect.objectContaining({ allowed: true })]);
    expect(await ask('b')).toEqual([
      expect.objectContaining({
        ...{ allowed: false, decided_by: 'policy reclamations_select_tenant' },
        reason: expect.stringContaining('the row of public.reclamations cannot be seen'),
      }),
    ]);
  });

  test.each([
    {
      table: 'sites',
      command: 'select',
      id: idOf('a', 'reclamations'),
      message: 'a row of public.reclamations, not of public.sites',
    },
    {
      table: 'sites',
      command: 'update',
      id: idOf('b', 'clients'),
      message: 'a row of public.clients, not of public.sites',
    },
    {
      table: 'notes',
      command: 'insert',
      id: idOf('a', 'clients'),
      message: 'a row of public.clients, not of public.reclamations',
    },
    {
      table: 'cadastres',
      command: 'insert',
      id: idOf('a', 'clients'),
      message: 'a row of public.clients, not of public.sites',
    },
    {
      table: 'client_partners',
      command: 'delete',
      id: idOf('a', 'partners'),
      message: 'a row of public.partners, not of public.clients',
    },
    {
      table: 'clients',
      command: 'insert',
      id: idOf('b', 'clients'),
      message: 'a row of public.clients, not of a new client',
    },
    { table: 'sites', command: 'insert', id: randomUUID(), message: 'no row of public.clients has the id' },
    { table: 'sites', command: 'select', id: null, message: 'the id is null' },
    { table: 'sites', command: 'insert', id: null, message: 'the id is null' },
    { table: 'sites', command: 'select', id: 'S-1', message: 'invalid input syntax for type uuid' },
  ])(
    'the function audit.explain_access says of the id of another table that it does not fit a role’s $command on $table: $message',
    async ({ table, command, id, message }) => {
      await expect(explain('ADMIN', [idOf('a', 'clients')], table, command, id)).rejects.toThrow(message);
    },
  );

  test.each([
    {
      what: 'taxclaims_admin with a list of clients',
      role: 'taxclaims_admin',
      clients: `{${idOf('a', 'clients')}}`,
      message: /with a list/,
    },
    { what: 'taxclaims_scoped_admin without a list', role: 'taxclaims_scoped_admin', message: /without a list/ },
    { what: 'a list that is null', role: 'ADMIN', clients: null, message: /list of clients is null/ },
    { what: 'a list with a null', clients: '{NULL}', message: /contains a null/ },
    { what: 'a role that no request has', role: 'taxclaims_owner', message: /not a request role/ },
    { what: 'a reporting role', role: 'taxclaims_reporting', message: /not a request role/ },
    { what: 'a table of Postgres', table: 'pg_catalog.pg_authid', message: /not a table of this application/ },
    { what: 'SQL as the table', table: 'sites; drop table x', message: /not a table of this application/ },
    { what: 'SQL as the command', command: 'delete from x', message: /must be select, insert, update or delete/ },
  ])(
    'the function audit.explain_access explains a role’s access to a table, and refuses $what as an argument',
    async ({ role = 'client', clients = '{}', table = 'sites', command = 'select', message }) => {
      const asked = 'select from audit.explain_access($1, $2, $3, $4, $5)';
      const values = [role, clients, table, command, idOf('a', 'sites')];
      await expect(world.auditor.query(asked, values)).rejects.toThrow(message);
    },
  );

  test('the audit’s function audit.as_admin accepts only tables of the service, and no caller of the API can run this function', async () => {
    const call = `select * from audit.as_admin('pg_catalog.pg_class'::regclass, 'DELETE', null, null, null)`;
    await expect(world.auditor.query(call)).rejects.toThrow(/not a table of this application/);
    await world.api.query('begin; set local role taxclaims_client');
    await expect(world.api.query(call)).rejects.toThrow(/permission denied for schema audit/);
    await world.api.query('rollback');
  });
});
