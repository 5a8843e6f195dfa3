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
/** Assigned, then a change of the user by the superuser's hand, then how the claim stands. */
const after = (change: string, then: string): string =>
  `${assign(SPECIALIST)}; reset role; ${change}; select from public.reclamations where id = '${CLAIM}' and ${then}`;
const ofUser = (change: string): string => `update public.users set ${change} where id = '${SPECIALIST}'`;

const CASES: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...(['scoped_admin', 'account_manager', 'tax_specialist'] as const).flatMap(
    (role): (readonly [string, Attempt, Outcome])[] => [
      ...ending('done', {
        [`${role} assigns a claim to whoever has its client`]: as(role, assign(SPECIALIST)),
        [`${role} makes a claim of whoever has its client`]: as(role, created(SPECIALIST)),
      }),
      ...ending('23514', {
        [`${role} assigns no claim to a user without its client`]: as(role, assign(idOf('b', 'users'))),
        [`${role} makes no claim of a user without its client`]: as(role, created(idOf('b', 'users'))),
        [`${role} assigns no claim to nobody known, and learns no more`]: as(role, assign(idOf('a', 'new'))),
      }),
      [`${role} does not learn who has a foreign client`, as(role, created(idOf('b', 'users'), B)), 'refused'],
    ],
  ),
  ['a client assigns nothing', as('client', assign(SPECIALIST)), 'denied'],
  ['a claim is assigned to nobody who has no client at all', as('account_manager', assign(SELF)), '23514'],
];

const listed = (client: string): string => `select from app.assignees('${client}') as a where a.name is not null`;
const named = (user: string): string =>
  `select from app.named_assignees(array['${user}']::uuid[]) as a where a.name is not null`;

/** Who is told of whom. */
const TOLD: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...(['scoped_admin', 'account_manager', 'tax_specialist'] as const).flatMap(
    (role): (readonly [string, Attempt, Outcome])[] => [
      ...ending('done', {
        [`${role} is told whom a claim may be assigned to`]: as(role, listed(A)),
        [`${role} is told the name of whoever shares a client`]: as(role, named(SPECIALIST)),
      }),
      ...ending('nothing', {
        [`${role} is told nobody of a foreign client`]: as(role, listed(B)),
        [`${role} is told nobody without any client`]: { ...as(role, listed(A)), clientAccess: '{}' },
        [`${role} is told no name of a foreign client's user`]: as(role, named(idOf('b', 'users'))),
        [`${role} without any client is told no other name`]: {
          ...as(role, named(SPECIALIST)),
          clientAccess: '{}',
        },
      }),
    ],
  ),
  ...ending('done', {
    'an administrator without a list is told whom any claim may be assigned to': as('admin', listed(B)),
    'an administrator without a list is told any name': as('admin', named(idOf('b', 'users'))),
    'a client is told their own name': as('client', named(SELF)),
  }),
  ...ending('nothing', {
    'an administrator without a list is told nobody of no client': as('admin', listed(SPECIALIST)),
    'a client is told the name of no colleague': as('client', named(SPECIALIST)),
  }),
  ['a client is told nobody', as('client', listed(A)), 'denied'],
];

/** Whom those are told of who share the client, or have every client. */
const FOUND: readonly (readonly [title: string, change: string, sql: string, outcome: Outcome, client?: string])[] = [
  [
    'nobody inactive is said to be assignable',
    ofUser('is_active = false'),
    `${listed(A)} and a.id = '${SPECIALIST}'`,
    'nothing',
  ],
  ['whoever became inactive keeps the name', ofUser('is_active = false'), named(SPECIALIST), 'done'],
  [
    'an administrator without a list is said to be assignable',
    ofUser(`role = 'ADMIN', client_access = '{}'`),
    `${listed(A)} and a.id = '${SPECIALIST}'`,
    'done',
  ],
  [
    'an administrator without a list is told by name',
    ofUser(`role = 'ADMIN', client_access = '{}'`),
    named(SPECIALIST),
    'done',
  ],
  [
    'no other user without a client is',
    ofUser(`client_access = '{}'`),
    `${listed(A)} and a.id = '${SPECIALIST}'`,
    'nothing',
  ],
  [
    'an administrator without a list is told to nobody who has no client',
    ofUser(`role = 'ADMIN', client_access = '{}'`),
    named(SPECIALIST),
    'nothing',
    '{}',
  ],
  ['nor told by name', ofUser(`client_access = '{}'`), named(SPECIALIST), 'nothing'],
];

/** Two, for the last one stays. */
const administrators = (): string =>
  `insert into public.users (email, password_hash, name, role) values ('chief@users.example.org', '!', 'Chief', 'ADMIN');
   update public.users set role = 'ADMIN', client_access = '{}' where id = '${SELF}';`;

/** What the superuser sees in the end, of changes that no request of the cases could make. */
const STATES: readonly (readonly [title: string, sql: string])[] = [
  [
    'whoever loses a client loses its claims',
    after(ofUser(`client_access = '{}'`), 'assignee_id is null and updated_at > created_at'),
  ],
  [
    'an administrator without a list may have any claim, and keeps those of the list that comes',
    `${administrators()}
     update public.reclamations set assignee_id = '${SELF}';
     update public.users set client_access = '{${B}}' where id = '${SELF}';
     select where (select array_agg(client_id) from public.reclamations where assignee_id = '${SELF}') = '{${B}}'`,
  ],
  [
    'whoever is no administrator any more loses the claims of every client',
    `${administrators()}
     update public.reclamations set assignee_id = '${SELF}';
     update public.users set role = 'CLIENT' where id = '${SELF}';
     select where not exists (select from public.reclamations where assignee_id = '${SELF}')`,
  ],
  [
    'another client, or the end of the account, takes no claim away',
    after(
      `${ofUser(`client_access = client_access || '${B}'::uuid`)}; ${ofUser(`client_access = '{${A}}'`)}; ${ofUser('is_active = false')}`,
      `assignee_id = '${SPECIALIST}'`,
    ),
  ],
  [
    'the claims of a user whom a DBA deletes have nobody',
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
        // Of the superuser's change and what the specialist is then told.
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
    title: 'nobody who is inactive is given a claim, not even by a DBA',
    run: async ({ admin }) => {
      const sql = `${ofUser('is_active = false')}; ${assign(SPECIALIST)}`;
      equal(await attempt(admin, { sql }), '23514');
    },
  },
  {
    title: 'the role behind the functions takes claims from users, and gives none, outside a trigger not even that',
    run: async ({ admin }) => {
      for (const value of ['null', `'${SPECIALIST}'`]) {
        const sql = `${assign(SPECIALIST)}; set local role taxclaims_definer; update public.reclamations set assignee_id = ${value}`;
        equal(await attempt(admin, { sql }), 'refused');
      }
    },
  },
];
