import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Check } from './checks.ts';
import { type Firm, idOf, SELF, statementFor } from './fixture.ts';
import { type RequestRole, REQUEST_ROLES, RIGHTS } from './rights.ts';
import { ROWS } from '../support/rows.ts';
import { outcomeOf, refusedWith, takenBack } from './session.ts';

/* Tests which changes of records the audit log stores, and which callers see them by the function app.changes_of. */

const RECORDED = [
  ...(['clients', 'sites', 'cadastres', 'reclamations', 'partners'] as const),
  ...(['notes', 'factures', 'partner_invoices', 'users'] as const),
];
type Recorded = (typeof RECORDED)[number];

const keyOf = (table: Recorded, firm: Firm): string => idOf(firm, table === 'partners' ? 'free_partner' : table);
const CLIENT = idOf('a', 'clients');
const USER = idOf('a', 'users');

const shown = (table: Recorded, id: string): string =>
  `select c.field, c.old, c.new from app.changes_of('${table}', '${id}', 'infinity', '', null) as c`;

async function as(admin: pg.Client, role: RequestRole, sql: string, clients = CLIENT): Promise<unknown[][]> {
  await admin.query(
    `select set_config('app.client_access', '{${clients}}', true), set_config('app.user_id', '${SELF}', true),
         set_config('role', 'taxclaims_${role}', true)`,
  );
  const { rows } = await admin.query<unknown[]>({ text: sql, rowMode: 'array' });
  await admin.query('reset role');
  return rows;
}

const ofList = (...clients: readonly string[]): string =>
  `update public.users set client_access = '{${clients.join()}}' where id = '${USER}'`;

export const changeChecks: readonly Check[] = [
  ...RECORDED.flatMap((table) =>
    REQUEST_ROLES.map((role): Check => {
      const may = role !== 'client' && /[r]/.test(RIGHTS[table][role]);
      return {
        title: `a caller in role ${role} ${may ? `reads the audit log’s changes of its own ${table} and not of foreign` : 'cannot read the audit log’s changes of'} ${table}`,
        run: (world) =>
          takenBack(world, async (admin) => {
            await admin.query(statementFor(table, 'u', 'a'));
            await admin.query(statementFor(table, 'u', 'b'));
            const asked = async (firm: Firm, clients = CLIENT): Promise<boolean> => {
              const rows = await as(admin, role, shown(table, keyOf(table, firm)), clients);
              const isShown = rows.some(([field]) => field === ROWS[table].change[0]);
              if (!isShown) deepEqual(rows, []);
              return isShown;
            };
            if (role === 'client') return refusedWith('42501', asked('a'));
            deepEqual(
              [await asked('a'), await asked('b'), await asked('a', '')],
              [may, role === 'admin', role === 'admin'],
            );
          }),
      };
    }),
  ),
  {
    title: 'a caller in any request role cannot read the audit log’s changes of a deleted site',
    run: (world) =>
      takenBack(world, async (admin) => {
        await admin.query(statementFor('sites', 'u', 'a'));
        await admin.query(statementFor('sites', 'd', 'a'));
        for (const role of REQUEST_ROLES.filter((one) => one !== 'client'))
          deepEqual(await as(admin, role, shown('sites', idOf('a', 'sites'))), []);
      }),
  },
  {
    title:
      'a tax specialist cannot read in the audit log the old and new values of a claim’s column that a tax specialist cannot read',
    run: (world) =>
      takenBack(world, async (admin) => {
        await admin.query(
          `update public.reclamations set amount = 7, grounds = 'x' where id = '${idOf('a', 'reclamations')}';
           revoke select (amount) on public.reclamations from taxclaims_client;
           grant select (amount) on public.reclamations to taxclaims_account_manager`,
        );
        const sql = shown('reclamations', idOf('a', 'reclamations'));
        deepEqual(await as(admin, 'tax_specialist', sql), [['grounds', null, 'x']]);
        deepEqual(
          (await as(admin, 'account_manager', sql)).map(([field]) => field),
          ['amount', 'grounds'],
        );
      }),
  },
  {
    title:
      'only an ADMIN without a client list reads the changes of a claim from before a DBA moved the claim to another client',
    run: (world) =>
      takenBack(world, async (admin) => {
        const [id, to] = [randomUUID(), idOf('b', 'clients')];
        await admin.query(
          `insert into public.reclamations (id, client_id, site_id, claim_type, amount)
           values ('${id}', '${CLIENT}', '${idOf('a', 'sites')}', 'TF', 1);
           update public.reclamations set amount = 2, grounds = 'x' where id = '${id}';
           update public.reclamations set client_id = '${to}', site_id = '${idOf('b', 'sites')}' where id = '${id}';
           update public.reclamations set amount = 3 where id = '${id}'`,
        );
        const fields = async (role: RequestRole, client = to) =>
          (await as(admin, role, shown('reclamations', id), client)).map(([field]) => field);
        deepEqual(await fields('tax_specialist'), ['amount', 'site_id']);
        deepEqual(await fields('tax_specialist', CLIENT), []);
        deepEqual(await fields('admin'), ['amount', 'site_id', 'amount', 'grounds']);
      }),
  },
  {
    title: 'a tax specialist reads the changes of a claim without the columns that a later release dropped',
    run: (world) =>
      takenBack(world, async (admin) => {
        const id = idOf('a', 'reclamations');
        await admin.query(
          `update public.reclamations set amount = 7, grounds = 'x' where id = '${id}';
           alter table public.reclamations drop column grounds cascade`,
        );
        deepEqual(
          (await as(admin, 'tax_specialist', shown('reclamations', id))).map(([field]) => field),
          ['amount'],
        );
      }),
  },
  {
    title: 'an audit record stores no password, and no column that an ADMIN cannot read',
    run: (world) =>
      takenBack(world, async (admin) => {
        await admin.query(
          `alter table public.users add column pin text;
           update public.users
           set password_hash = '$2b$12$' || repeat('a', 53), subject = 'x', pin = 'x', calendar_digest = repeat('a', 64), name = 'Bo', email = 'bo@b.example'
           where id = '${USER}'`,
        );
        const { rows } = await admin.query<{ changed: object }>(
          `select changed from public.audit_logs where resource_id = '${USER}' and success order by created_at desc limit 1`,
        );
        deepEqual(Object.keys(rows[0]?.changed ?? {}).sort(), ['email', 'name']);
      }),
  },
  {
    title:
      'a caller finds only their own clients in the logged changes of a user’s client list, and only an ADMIN reads changes of is_active',
    run: (world) =>
      takenBack(world, async (admin) => {
        const others = [idOf('b', 'clients'), idOf('a', 'new'), idOf('b', 'new')] as const;
        await admin.query(
          `insert into public.clients (id, company_name, contact_email)
           select id, 'Other', 'a@b.example' from unnest('{${others.slice(1).join()}}'::uuid[]) as id`,
        );
        await admin.query(ofList(CLIENT, others[0]));
        await admin.query(ofList(CLIENT, others[1], others[2]));
        await admin.query(`update public.users set is_active = false where id = '${USER}'`);
        const visibleChanges = async (role: RequestRole, clients: string) =>
          (await as(admin, role, shown('users', USER), clients)).map(([field, old, new_]) => [field, old, new_]);
        const added = ['client_access', [others[0]], [others[1], others[2]].sort()];
        const first = ['client_access', [], [others[0]]];
        const inactive = ['is_active', true, false];
        deepEqual(await visibleChanges('admin', ''), [inactive, added, first]);
        deepEqual(await visibleChanges('scoped_admin', CLIENT), [inactive]);
        deepEqual(await visibleChanges('account_manager', CLIENT), []);
        deepEqual(await visibleChanges('account_manager', `${CLIENT},${others[1]}`), [
          ['client_access', [], [others[1]]],
        ]);
        deepEqual(await visibleChanges('tax_specialist', CLIENT), []);
      }),
  },
  {
    title:
      'a caller in any request role cannot read the changed values in audit_logs, and an auditor reads no row of audit.changes',
    run: (world) =>
      takenBack(world, async (admin) => {
        await admin.query(statementFor('sites', 'u', 'a'));
        for (const role of REQUEST_ROLES) {
          await admin.query('savepoint before');
          const outcome = await as(admin, role, 'select changed from public.audit_logs').then(() => 'done', outcomeOf);
          equal(outcome, 'denied', role);
          await admin.query('rollback to before');
        }
        const all = 'select from audit.changes';
        equal(((await admin.query(all)).rowCount ?? 0) > 0, true);
        await admin.query('set local role taxclaims_auditor');
        equal((await admin.query(all)).rowCount, 0);
      }),
  },
];
