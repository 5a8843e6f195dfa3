import { equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { OWN } from './row-checks.ts';
import { attempt, type Attempt, type Outcome } from './session.ts';

const A = idOf('a', 'clients');
const B = idOf('b', 'clients');
const SPECIALIST_OF_B = idOf('b', 'users');

const assign = (target: string, client: string, assigned = true, versions = 'null'): string =>
  `select app.assign_client('${target}', '${client}', ${String(assigned)}, ${versions})`;

interface Case {
  readonly title: string;
  readonly tried: Attempt;
  readonly outcome: Outcome;
}

const as = (role: string, sql: string): Attempt => ({ role, clientAccess: OWN, sql });

const CASES: readonly Case[] = [
  {
    title: 'an account manager gives an own client to a specialist of another firm',
    tried: as('account_manager', assign(SPECIALIST_OF_B, A)),
    outcome: 'done',
  },
  {
    title: 'an account manager gives no foreign client, nor takes one away',
    tried: as('account_manager', assign(SPECIALIST_OF_B, B, false)),
    outcome: 'denied',
  },
  {
    title: 'an account manager whose list is empty gives nothing',
    tried: { ...as('account_manager', assign(SPECIALIST_OF_B, A)), clientAccess: '{}' },
    outcome: 'denied',
  },
  {
    title: 'an administrator with a list gives no foreign client',
    tried: as('scoped_admin', assign(idOf('a', 'users'), B)),
    outcome: 'denied',
  },
  {
    title: 'an administrator without a list gives any client',
    tried: { ...as('admin', assign(idOf('a', 'users'), B)), clientAccess: '{}' },
    outcome: 'done',
  },
  {
    title: 'a client is given to nobody who does not exist',
    tried: as('account_manager', assign(idOf('b', 'new'), A)),
    outcome: 'TX404',
  },
  {
    title: 'a client that does not exist is given to nobody',
    tried: as('account_manager', assign(SELF, idOf('a', 'new'))),
    outcome: 'TX404',
  },
  {
    title: 'a client is given to no other version of a user than those named',
    tried: as('account_manager', assign(SELF, A, true, `array['"1"']`)),
    outcome: 'TX412',
  },
  {
    title: 'the role behind the functions changes no row of a user but the caller’s without a request',
    tried: {
      role: 'definer',
      settings: { 'app.actor': 'subject-a' },
      sql: `update public.users set client_access = '{}' where id = '${SPECIALIST_OF_B}'`,
    },
    outcome: 'refused',
  },
  {
    title: 'an administrator gives a new user no client that does not exist',
    tried: as(
      'admin',
      `insert into public.users (email, password_hash, name, role, client_access)
       values ('x@x.example', '!', 'X', 'CLIENT', array['${idOf('b', 'new')}']::uuid[])`,
    ),
    outcome: 'TX409',
  },
];

export const assignmentChecks: readonly Check[] = CASES.map(({ title, tried, outcome }) => ({
  title,
  run: async ({ api, admin }) => {
    equal(await attempt(tried.role === 'definer' ? admin : api, tried), outcome);
  },
}));
