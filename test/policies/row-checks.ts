import { equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { type Command, type Firm, idOf, SELF, statementFor, UNLINKED_PARTNER, untouched } from './fixture.ts';
import { REQUEST_ROLES, type RequestRole, RIGHTS, type Table, TABLES } from './rights.ts';
import { attempt, ending, type Attempt, type Outcome } from './session.ts';
import type { World } from './world.ts';

/**
 * The clients of a tested caller: the client of firm a, and a client that does not exist until an INSERT creates it.
 */
export const OWN = `{${idOf('a', 'clients')},${idOf('a', 'new')}}`;

interface Situation {
  readonly name: string;
  readonly firm: Firm;
  readonly clientAccess?: string;
}

const SITUATIONS: readonly Situation[] = [
  { name: 'a client in the caller’s list', firm: 'a', clientAccess: OWN },
  { name: 'a client outside the caller’s list', firm: 'b', clientAccess: OWN },
  { name: 'a client, by a caller on a connection without settings', firm: 'a' },
  { name: 'a client, by a caller with an empty text as the client list', firm: 'a', clientAccess: '' },
  { name: 'a client, by a caller with an empty client list', firm: 'a', clientAccess: '{}' },
  { name: 'a client, by a caller whose client list has only NULL', firm: 'a', clientAccess: '{NULL}' },
  {
    name: 'a client, by a caller whose client list has a malformed id',
    firm: 'a',
    clientAccess: `{${idOf('a', 'clients')},x}`,
  },
  { name: 'a client, by a caller with an id instead of a client list', firm: 'a', clientAccess: idOf('a', 'clients') },
];

const VERBS: Readonly<Record<Command, string>> = { c: 'create', r: 'read', u: 'update', d: 'delete' };

export const rowChecks: readonly Check[] = [
  ...TABLES.flatMap((table) =>
    REQUEST_ROLES.flatMap((role) =>
      (['r', 'c', 'u', 'd'] as const).map((command) => ({
        title: titleOf(table, role, command),
        run: (world: World) => tryAll(world, table, role, command),
      })),
    ),
  ),
  ...(['scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const).flatMap((role) =>
    (['u', 'd'] as const).flatMap((command) =>
      // Without a condition, a caller cannot delete all partners, because a foreign key protects a partner with bills.
      // The tests therefore omit this case.
      TABLES.filter((table) => RIGHTS[table][role].includes(command) && `${table} ${command}` !== 'partners d').map(
        (table) => ({
          title: `a caller in role ${role} who sends SQL without a WHERE condition can ${VERBS[command]} only ${table} of its own clients`,
          run: (world: World) => tryUnconditionally(world, table, role, command),
        }),
      ),
    ),
  ),
  ...special(),
];

function titleOf(table: Table, role: RequestRole, command: Command): string {
  const right = RIGHTS[table][role].includes(command) ? 'can' : 'cannot';
  const scope = right === 'can' && role !== 'admin' ? ' only of its own clients' : '';
  return `a caller in role ${role} ${right} ${VERBS[command]} ${table}${scope}`;
}

async function tryAll(world: World, table: Table, role: RequestRole, command: Command): Promise<void> {
  for (const situation of SITUATIONS) {
    const { firm, clientAccess } = situation;
    const login = clientAccess === undefined ? world.unset : world.api;
    const sql = statementFor(table, command, firm);
    const outcome = await attempt(login, {
      role,
      sql,
      ...(clientAccess === undefined ? {} : { clientAccess }),
    });
    equal(outcome, expected(table, role, command, situation), `${VERBS[command]} ${table} of ${situation.name}`);
  }
}

/**
 * Tries an UPDATE or DELETE without a WHERE condition. Such SQL reads no column, so Postgres does not apply the
 * policies for SELECT to it.
 */
async function tryUnconditionally(world: World, table: Table, role: RequestRole, command: 'u' | 'd'): Promise<void> {
  const [unconditional = ''] = statementFor(table, command, 'a').split(' where ');
  const others = table === 'client_partners' ? `client_id <> '${idOf('a', 'clients')}'` : foreignTo(table);
  const statement = `${unconditional}; select set_config('role', 'taxclaims_admin', true);
    select 1 from public.${table} where ${others}`;
  const filtered = command === 'd' ? statement : `${statement} and ${untouched(table)}`;
  equal(await attempt(world.api, { role, clientAccess: OWN, sql: filtered }), 'done', 'the foreign row is as it was');
  equal(await attempt(world.api, { role, clientAccess: OWN, sql: unconditional }), 'done', 'an own row is touched');
}

function foreignTo(table: Table): string {
  return `id = '${idOf('b', table === 'partners' ? 'free_partner' : table)}'`;
}

/** The outcomes of an administrator’s SQL on notes if no setting tells the database who the caller is. */
const OF_NOBODY: Readonly<Record<Command, Outcome>> = { c: 'refused', u: 'denied', r: 'done', d: 'done' };

function expected(table: Table, role: RequestRole, command: Command, { firm, clientAccess }: Situation): Outcome {
  const rights: string = RIGHTS[table][role];
  if (command === 'r' && rights.includes('s')) return 'nothing';
  if (!rights.includes(command)) return 'denied';
  if (role === 'admin') return table === 'notes' && clientAccess === undefined ? OF_NOBODY[command] : 'done';
  // A partner belongs to no client. Every account manager with a client is therefore allowed to create partners.
  const own = clientAccess === OWN && (firm === 'a' || (table === 'partners' && command === 'c'));
  if (own) return 'done';
  return command === 'c' ? 'refused' : 'nothing';
}

function special(): Check[] {
  const own = (role: string, sql: string) => ({ role, clientAccess: OWN, sql });
  const link = `insert into public.client_partners (client_id, partner_id) values ('${idOf('a', 'clients')}', `;
  const allow = 'insert into public';
  const cases: [string, Attempt, Outcome][] = [
    ...(['scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const).map(
      (role): [string, Attempt, Outcome] => [
        `a caller in role ${role} reads its own user record`,
        own(role, `select 1 from public.users where id = '${SELF}'`),
        'done',
      ],
    ),
    ...ending('refused', {
      'an account manager cannot link a foreign partner to its own client': own(
        'account_manager',
        `${link}'${idOf('b', 'partners')}')`,
      ),
      'an administrator with a client list cannot create an administrator without a client list': own(
        'scoped_admin',
        `insert into public.users (email, password_hash, name, role, client_access) values ('x@x', '!', 'X', 'ADMIN', '{}')`,
      ),
      'an administrator with a client list cannot assign a foreign client to a user': own(
        'scoped_admin',
        `update public.users set client_access = client_access || '${idOf('b', 'clients')}'::uuid
        where id = '${idOf('a', 'users')}'`,
      ),
    }),
    [
      'an account manager links a partner without clients to its own client',
      own('account_manager', `${link}'${UNLINKED_PARTNER}')`),
      'done',
    ],
    ...ending('23503', {
      'an account manager cannot create a claim of its own client on a foreign site': own(
        'account_manager',
        `insert into public.reclamations (client_id, site_id, claim_type, amount)
         values ('${idOf('a', 'clients')}', '${idOf('b', 'sites')}', 'TF', 1)`,
      ),
      'an account manager cannot move a claim to a foreign site': own(
        'account_manager',
        `update public.reclamations set site_id = '${idOf('b', 'sites')}'`,
      ),
      'an account manager cannot set a foreign claim on an invoice': own(
        'account_manager',
        `update public.factures set reclamation_id = '${idOf('b', 'reclamations')}'`,
      ),
      'an account manager cannot set a foreign invoice on a partner’s bill': own(
        'account_manager',
        `update public.partner_invoices set invoice_id = '${idOf('b', 'factures')}'`,
      ),
    }),
    ...(['scoped_admin', 'account_manager'] as const).map((role): [string, Attempt, Outcome] => [
      `a caller in role ${role} cannot create a bill (partner_invoices) of a partner that it cannot read`,
      own(
        role,
        `insert into public.partner_invoices (partner_id, client_id, number, amount_excl_tax)
         values ('${idOf('b', 'partners')}', '${idOf('a', 'clients')}', 'new', 1)`,
      ),
      'refused',
    ]),
    ...REQUEST_ROLES.flatMap((role) => [
      ...ending('done', {
        [`a caller in role ${role} reads the allowed status changes of a claim`]: own(
          role,
          'select 1 from public.reclamation_transitions',
        ),
        [`a caller in role ${role} reads the allowed status changes of an invoice`]: own(
          role,
          'select 1 from public.invoice_transitions',
        ),
        [`a caller in role ${role} reads the INSEE codes of communes`]: own(role, 'select 1 from public.communes'),
      }),
      ...ending('denied', {
        [`a caller in role ${role} cannot add a public holiday`]: own(
          role,
          `${allow}.public_holidays values ('2026-12-24', 'FR', 'Réveillon')`,
        ),
        [`a caller in role ${role} cannot allow a new status change of a claim`]: own(
          role,
          `${allow}.reclamation_transitions values ('DRAFT', 'CLOSED', 'CLIENT')`,
        ),
        [`a caller in role ${role} cannot allow a new status change of an invoice`]: own(
          role,
          `${allow}.invoice_transitions values ('factures', 'PAID', 'DRAFT', 'CLIENT')`,
        ),
        [`a caller in role ${role} cannot add a commune`]: own(
          role,
          `insert into public.communes (code) values ('99999')`,
        ),
        [`a caller in role ${role} cannot read the counters of invoice numbers`]: own(
          role,
          'select 1 from public.invoice_counters',
        ),
      }),
    ]),
  ];
  return cases.map(([title, tried, outcome]) => ({
    title,
    run: async ({ api }: World) => {
      equal(await attempt(api, tried), outcome);
    },
  }));
}
