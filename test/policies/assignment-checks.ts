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
    'an account manager gives an own client to a specialist of another firm': as(
      'account_manager',
      assign(SPECIALIST_OF_B, A),
    ),
    'an administrator without a list gives any client': {
      ...as('admin', assign(idOf('a', 'users'), B)),
      clientAccess: '{}',
    },
  }),
  ...ending('denied', {
    'an account manager gives no foreign client, nor takes one away': as(
      'account_manager',
      assign(SPECIALIST_OF_B, B, false),
    ),
    'an account manager whose list is empty gives nothing': {
      ...as('account_manager', assign(SPECIALIST_OF_B, A)),
      clientAccess: '{}',
    },
    'an administrator with a list gives no foreign client': as('scoped_admin', assign(idOf('a', 'users'), B)),
  }),
  ...ending('TX404', {
    'a client is given to nobody who does not exist': as('account_manager', assign(idOf('b', 'new'), A)),
    'a client that does not exist is given to nobody': as('account_manager', assign(SELF, idOf('a', 'new'))),
  }),
  [
    'a client is given to no other version of a user than those named',
    as('account_manager', assign(SELF, A, true, `array['"1"']`)),
    'TX412',
  ],
  [
    'the role behind the functions changes no row of a user but the caller’s without a request',
    {
      role: 'definer',
      settings: { 'app.actor': 'subject-a' },
      sql: `update public.users set client_access = '{}' where id = '${SPECIALIST_OF_B}'`,
    },
    'refused',
  ],
  [
    'an administrator gives a new user no client that does not exist',
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
