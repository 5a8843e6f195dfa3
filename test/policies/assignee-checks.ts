import { equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { OWN } from './row-checks.ts';
import { attempt, ending } from './session.ts';
import type { Attempt, Outcome } from './session.ts';

const [A, B] = [idOf('a', 'clients'), idOf('b', 'clients')];
const CLAIM = idOf('a', 'reclamations');
const SPECIALIST = idOf('a', 'users');

const as = (role: string, sql: string): Attempt => ({ role, clientAccess: OWN, sql });
const assign = (user: string): string => `update public.reclamations set assignee_id = '${user}' where id = '${CLAIM}'`;
const created = (user: string, client = A): string =>
  `insert into public.reclamations (client_id, site_id, claim_type, amount, assignee_id)
   values ('${client}', '${idOf(client === A ? 'a' : 'b', 'sites')}', 'TF', 1, '${user}')`;
/**
 * Returns SQL that assigns a claim to a user, changes this user as a superuser, and then selects the claim if the given
 * condition is true.
 */
const after = (change: string, then: string): string =>
  `${assign(SPECIALIST)}; reset role; ${change}; select from public.reclamations where id = '${CLAIM}' and ${then}`;
const ofUser = (change: string): string => `update public.users set ${change} where id = '${SPECIALIST}'`;

const CASES: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...(['scoped_admin', 'account_manager', 'tax_specialist'] as const).flatMap(
    (role): (readonly [string, Attempt, Outcome])[] => [
      ...ending('done', {
        [`a caller in role ${role} assigns a claim to a user who has its client`]: as(role, assign(SPECIALIST)),
        [`a caller in role ${role} creates a claim assigned to a user who has its client`]: as(
          role,
          created(SPECIALIST),
        ),
      }),
      ...ending('23514', {
        [`a caller in role ${role} cannot assign a claim to a user without its client`]: as(
          role,
          assign(idOf('b', 'users')),
        ),
        [`a caller in role ${role} cannot create a claim assigned to a user without its client`]: as(
          role,
          created(idOf('b', 'users')),
        ),
        [`a caller in role ${role} cannot assign a claim to an unknown user, and gets the error of a user without the client`]:
          as(role, assign(idOf('a', 'new'))),
      }),
      [
        `a caller in role ${role} cannot find out which users have a foreign client by creating a claim of that client`,
        as(role, created(idOf('b', 'users'), B)),
        'refused',
      ],
    ],
  ),
  ['a caller in role client cannot assign a claim', as('client', assign(SPECIALIST)), 'denied'],
  [
    'an account manager cannot assign a claim to a user without any client',
    as('account_manager', assign(SELF)),
    '23514',
  ],
];

const listed = (client: string): string => `select from app.assignees('${client}') as a where a.name is not null`;
const named = (user: string): string =>
  `select from app.named_assignees(array['${user}']::uuid[]) as a where a.name is not null`;

/**
 * Tests which callers can list the possible assignees of a client’s claims, and which callers can read a user’s name.
 */
const TOLD: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...(['scoped_admin', 'account_manager', 'tax_specialist'] as const).flatMap(
    (role): (readonly [string, Attempt, Outcome])[] => [
      ...ending('done', {
        [`a caller in role ${role} lists the users to whom a claim of its client may be assigned`]: as(role, listed(A)),
        [`a caller in role ${role} reads the name of a user with whom it shares a client`]: as(role, named(SPECIALIST)),
      }),
      ...ending('nothing', {
        [`a caller in role ${role} cannot list the assignees of a foreign client`]: as(role, listed(B)),
        [`a caller in role ${role} without any client cannot list assignees`]: {
          ...as(role, listed(A)),
          clientAccess: '{}',
        },
        [`a caller in role ${role} cannot read the name of a user of a foreign client`]: as(
          role,
          named(idOf('b', 'users')),
        ),
        [`a caller in role ${role} without any client cannot read the name of another user`]: {
          ...as(role, named(SPECIALIST)),
          clientAccess: '{}',
        },
      }),
    ],
  ),
  ...ending('done', {
    'an administrator without a list of clients lists the assignees of any client': as('admin', listed(B)),
    'an administrator without a list of clients reads the name of any user': as('admin', named(idOf('b', 'users'))),
    'a caller in role client reads its own name': as('client', named(SELF)),
  }),
  ...ending('nothing', {
    'an administrator without a list of clients finds no assignee of a client that does not exist': as(
      'admin',
      listed(SPECIALIST),
    ),
    'a caller in role client cannot read the name of another user of its client': as('client', named(SPECIALIST)),
  }),
  ['a caller in role client cannot list the assignees of a client', as('client', listed(A)), 'denied'],
];

/** Tests what a tax specialist reads about another user whose row a DBA changed directly in the database. */
const FOUND: readonly (readonly [title: string, change: string, sql: string, outcome: Outcome, client?: string])[] = [
  [
    'a tax specialist does not find an inactive user among the assignees of a client',
    ofUser('is_active = false'),
    `${listed(A)} and a.id = '${SPECIALIST}'`,
    'nothing',
  ],
  ['a tax specialist still reads the name of an inactive user', ofUser('is_active = false'), named(SPECIALIST), 'done'],
  [
    'a tax specialist finds an administrator without a list of clients among the assignees of a client',
    ofUser(`role = 'ADMIN', client_access = '{}'`),
    `${listed(A)} and a.id = '${SPECIALIST}'`,
    'done',
  ],
  [
    'a tax specialist reads the name of an administrator without a list of clients',
    ofUser(`role = 'ADMIN', client_access = '{}'`),
    named(SPECIALIST),
    'done',
  ],
  [
    'a tax specialist does not find a user without any client among the assignees of a client',
    ofUser(`client_access = '{}'`),
    `${listed(A)} and a.id = '${SPECIALIST}'`,
    'nothing',
  ],
  [
    'a tax specialist without any client cannot read the name of an administrator without a list',
    ofUser(`role = 'ADMIN', client_access = '{}'`),
    named(SPECIALIST),
    'nothing',
    '{}',
  ],
  [
    'a tax specialist cannot read the name of a user without any client',
    ofUser(`client_access = '{}'`),
    named(SPECIALIST),
    'nothing',
  ],
  [
    'a tax specialist reads which users lost a client that the tax specialist has',
    `insert into app.lost_clients (user_id, client_id) values ('${SPECIALIST}', '${A}')`,
    'select from app.lost_clients',
    'done',
  ],
  [
    'a tax specialist cannot read which users lost a client that the tax specialist does not have',
    `insert into app.lost_clients (user_id, client_id) values ('${SPECIALIST}', '${B}')`,
    'select from app.lost_clients',
    'nothing',
  ],
];

/** Creates a second administrator. The database would not let the only administrator lose the role. */
const administrators = (): string =>
  `insert into public.users (email, password_hash, name, role) values ('chief@users.example.org', '!', 'Chief', 'ADMIN');
   update public.users set role = 'ADMIN', client_access = '{}' where id = '${SELF}';`;

/**
 * Unassigns claims and tasks from users who no longer have access to the client. The function handles only a few such
 * users at once, so the SQL calls the function nine times.
 */
export const UNASSIGN = 'select app.unassign_lost_clients() from generate_series(1, 9)';

/**
 * Tests what happens to a claim if a DBA changes the assignee’s row directly in the database. Each SQL returns a row if
 * its title is true.
 */
const STATES: readonly (readonly [title: string, sql: string])[] = [
  [
    'a user who loses a client is no longer the assignee of claims of that client',
    after(`${ofUser(`client_access = '{}'`)}; ${UNASSIGN}`, 'assignee_id is null and updated_at > created_at'),
  ],
  [
    'an administrator who gets a list of clients stays the assignee of only the claims of these clients',
    `${administrators()}
     update public.reclamations set assignee_id = '${SELF}';
     update public.users set client_access = '{${B}}' where id = '${SELF}';
     ${UNASSIGN};
     select where (select array_agg(client_id) from public.reclamations where assignee_id = '${SELF}') = '{${B}}'`,
  ],
  [
    'an administrator who gets the role CLIENT without a list is no longer the assignee of any claim',
    `${administrators()}
     update public.reclamations set assignee_id = '${SELF}';
     update public.users set role = 'CLIENT' where id = '${SELF}';
     ${UNASSIGN};
     select where not exists (select from public.reclamations where assignee_id = '${SELF}')`,
  ],
  [
    'a user who gets another client or becomes inactive stays the assignee of their claims',
    after(
      `${ofUser(`client_access = client_access || '${B}'::uuid`)}; ${ofUser(`client_access = '{${A}}'`)}; ${ofUser('is_active = false')}`,
      `assignee_id = '${SPECIALIST}'`,
    ),
  ],
  [
    'a claim has no assignee after a DBA deleted the assigned user',
    after(
      `update public.users set client_access = '{${A}}' where id = '${SELF}'; update public.reclamations set assignee_id = '${SELF}' where id = '${CLAIM}'; delete from public.users where id = '${SELF}'`,
      'assignee_id is null',
    ),
  ],
];

export const assigneeChecks: readonly Check[] = [
  ...[...CASES, ...TOLD].map(
    ([title, tried, outcome]): Check => ({
      title,
      run: async ({ api }) => {
        equal(await attempt(api, tried), outcome);
      },
    }),
  ),
  ...FOUND.map(
    ([title, change, sql, outcome, client = OWN]): Check => ({
      title,
      run: async ({ admin }) => {
        // The superuser first changes a user. Then a tax specialist reads the changed user’s data.
        const then = `${change}; select set_config('app.user_id', '${SELF}', true), set_config('app.client_access', '${client}', true); set local role taxclaims_tax_specialist; ${sql}`;
        equal(await attempt(admin, { sql: then }), outcome);
      },
    }),
  ),
  ...STATES.map(
    ([title, sql]): Check => ({
      title,
      run: async ({ admin }) => {
        equal(await attempt(admin, { sql }), 'done');
      },
    }),
  ),
  {
    title: 'a DBA cannot assign a claim to an inactive user',
    run: async ({ admin }) => {
      const sql = `${ofUser('is_active = false')}; ${assign(SPECIALIST)}`;
      equal(await attempt(admin, { sql }), '23514');
    },
  },
  {
    title: 'a function of taxclaims_definer outside a trigger can neither assign a claim nor take it from its assignee',
    run: async ({ admin }) => {
      for (const value of ['null', `'${SPECIALIST}'`]) {
        const sql = `${assign(SPECIALIST)}; set local role taxclaims_definer; update public.reclamations set assignee_id = ${value}`;
        equal(await attempt(admin, { sql }), 'refused');
      }
    },
  },
];
