import { equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { OWN } from './row-checks.ts';
import { attempt, ending, type Attempt, type Outcome } from './session.ts';

const A = idOf('a', 'clients');
const B = idOf('b', 'clients');
const SPECIALIST_OF_B = idOf('b', 'users');

const assign = (target: string, client: string, assigned = true, versions = 'null'): string =>
  `select app.assign_client('${target}', '${client}', ${String(assigned)}, ${versions})`;

const as = (role: string, sql: string): Attempt => ({ role, clientAccess: OWN, sql });

const CASES: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...ending('done', {
    'an account manager assigns its own client to a tax specialist of another firm': as(
      'account_manager',
      assign(SPECIALIST_OF_B, A),
    ),
    'an administrator without a client list assigns any client to a user': {
      ...as('admin', assign(idOf('a', 'users'), B)),
      clientAccess: '{}',
    },
  }),
  ...ending('denied', {
    'an account manager cannot take a foreign client out of a user’s client list': as(
      'account_manager',
      assign(SPECIALIST_OF_B, B, false),
    ),
    'an account manager without any client cannot assign a client': {
      ...as('account_manager', assign(SPECIALIST_OF_B, A)),
      clientAccess: '{}',
    },
    'an administrator with a client list cannot assign a foreign client': as(
      'scoped_admin',
      assign(idOf('a', 'users'), B),
    ),
  }),
  ...ending('TX404', {
    'an account manager cannot assign a client to a user who does not exist': as(
      'account_manager',
      assign(idOf('b', 'new'), A),
    ),
    'an account manager cannot assign a client that does not exist': as(
      'account_manager',
      assign(SELF, idOf('a', 'new')),
    ),
  }),
  [
    'an account manager cannot assign a client to a user who was changed after the version that the request names',
    as('account_manager', assign(SELF, A, true, `array['"1"']`)),
    'TX412',
  ],
  [
    'a function of taxclaims_definer outside a request cannot change a user other than the caller',
    {
      role: 'definer',
      settings: { 'app.actor': 'subject-a' },
      sql: `update public.users set client_access = '{}' where id = '${SPECIALIST_OF_B}'`,
    },
    'refused',
  ],
  [
    'an administrator cannot create a user with a client that does not exist',
    as(
      'admin',
      `insert into public.users (email, password_hash, name, role, client_access)
       values ('x@x.example', '!', 'X', 'CLIENT', array['${idOf('b', 'new')}']::uuid[])`,
    ),
    'TX409',
  ],
];

export const assignmentChecks: readonly Check[] = CASES.map(([title, tried, outcome]) => ({
  title,
  run: async ({ api, admin }) => {
    equal(await attempt(tried.role === 'definer' ? admin : api, tried), outcome);
  },
}));
