import { equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { OWN } from './row-checks.ts';
import { attempt, ending } from './session.ts';
import type { Attempt, Outcome } from './session.ts';

/* Notes of others, internal ones, and tasks; record-checks and row-checks have the author's own. */

const [A, B] = [idOf('a', 'clients'), idOf('b', 'clients')];
const NOTE = idOf('a', 'notes');
const SPECIALIST = idOf('a', 'users');

const as = (role: string, sql: string): Attempt => ({ role, clientAccess: OWN, sql });
const change = (set: string): string => `update public.notes set ${set} where id = '${NOTE}'`;
const remove = `delete from public.notes where id = '${NOTE}'`;
const written = (values: string, columns = '', client = A): string =>
  `insert into public.notes (client_id, reclamation_id, text, author_id, internal${columns})
   values ('${client}', '${idOf('a', 'reclamations')}', 'x', ${values})`;
const mine = `'${SELF}'`;

const ROLES = ['scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const;
const FIRM = ROLES.filter((role) => role !== 'client');
const MANAGERS = ROLES.slice(0, 2);

/** What each role does with a note as the superuser leaves it before. */
interface Case extends Attempt {
  readonly before: string;
}

const anothers = `author_id = '${SPECIALIST}'`;
const given = `${anothers}, assignee_id = '${SELF}'`;
const done = change('done_at = now()');

const of = (roles: readonly string[], title: string, before: string, sql: string): Record<string, Case> =>
  Object.fromEntries(roles.map((role) => [`${role} ${title}`, { ...as(role, sql), before }]));

const NOTES: readonly (readonly [title: string, tried: Case, outcome: Outcome])[] = [
  ...casesOf('nothing', {
    ...of(
      ['client'],
      'does not read an internal note',
      'internal = true',
      `select from public.notes where id = '${NOTE}'`,
    ),
    ...of(
      ['client'],
      'does not change an internal note, be it its own',
      'internal = true',
      'update public.notes set text = text',
    ),
    ...of(['client'], 'does not delete an internal note, be it its own', 'internal = true', 'delete from public.notes'),
    ...of(['tax_specialist', 'client'], 'does not change a note of another', anothers, change(`text = 'x'`)),
    ...of(['tax_specialist', 'client'], 'does not end a task of others', anothers, done),
    ...of(['account_manager', 'tax_specialist', 'client'], 'does not delete a note of another', given, remove),
  }),
  ...casesOf('denied', {
    ...of(MANAGERS, 'does not change the text of another', anothers, change(`text = 'x'`)),
    ...of(['admin', ...MANAGERS], 'moves no task of another to another day', anothers, change(`due_on = '2190-02-01'`)),
    ...of(['admin', ...MANAGERS], 'gives no task of another away', anothers, change(`assignee_id = '${SPECIALIST}'`)),
    ...of(
      ['admin', ...MANAGERS],
      'shows no internal note of another',
      `${anothers}, internal = true`,
      change('internal = false'),
    ),
    ...of(ROLES, 'to whom a task was given does not change its text', given, change(`text = 'x'`)),
    ...of(['client'], 'makes no task of a note', 'due_on = null', change(`due_on = '2190-01-31'`)),
    ...of(ROLES, 'signs no note as another', 'text = text', change(`author_id = '${SPECIALIST}'`)),
    ...of(ROLES, 'moves no note to another client', 'text = text', change(`client_id = '${B}'`)),
  }),
  ...casesOf('refused', {
    ...of(['client'], 'makes no note internal', 'text = text', change('internal = true')),
  }),
  ...casesOf('done', {
    ...of(FIRM, 'reads an internal note', 'internal = true', `select from public.notes where id = '${NOTE}'`),
    ...of(FIRM, 'makes a task of a note, and a note of a task', 'due_on = null', change(`due_on = '2190-01-31'`)),
    ...of(ROLES, 'to whom a task was given ends it', given, done),
    ...of(['admin', ...MANAGERS], 'ends a task of others', anothers, done),
    ...of(['admin', 'scoped_admin'], 'deletes a note of another', anothers, remove),
  }),
];

function casesOf(
  outcome: Outcome,
  cases: Readonly<Record<string, Case>>,
): (readonly [title: string, tried: Case, outcome: Outcome])[] {
  return Object.entries(cases).map(([title, tried]) => [title, tried, outcome]);
}

const day = `, '2190-01-31'`;
const to = (user: string): string => `${day}, '${user}'`;

const WRITTEN: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...ROLES.flatMap((role) =>
    ending('refused', {
      [`${role} writes no note as another`]: as(role, written(`'${SPECIALIST}', false`)),
      [`${role} writes no note of a foreign client`]: as(role, written(`${mine}, false`, '', B)),
    }),
  ),
  ...FIRM.flatMap((role) => [
    ...ending('done', {
      [`${role} writes an internal note`]: as(role, written(`${mine}, true`)),
      [`${role} gives a task to who has the client`]: as(
        role,
        written(`${mine}, true${to(SPECIALIST)}`, ', due_on, assignee_id'),
      ),
    }),
    ...ending('23514', {
      [`${role} gives no task to who lacks the client`]: as(
        role,
        written(`${mine}, true${to(idOf('b', 'users'))}`, ', due_on, assignee_id'),
      ),
      [`${role} gives nothing without a day`]: as(role, written(`${mine}, true, '${SPECIALIST}'`, ', assignee_id')),
    }),
  ]),
  ...ending('refused', {
    'client writes no internal note': as('client', written(`${mine}, true`)),
    'client makes no task': as('client', written(`${mine}, false${day}`, ', due_on')),
  }),
  ['client writes a note that is not internal', as('client', written(`${mine}, false`)), 'done'],
  ['nobody writes a note on a claim of another client', as('admin', written(`${mine}, false`, '', B)), '23503'],
];

const task = `update public.notes set assignee_id = '${SPECIALIST}' where id = '${NOTE}'`;
const ofUser = (change: string): string => `update public.users set ${change} where id = '${SPECIALIST}'`;
const then = (condition: string): string => `select from public.notes where id = '${NOTE}' and ${condition}`;

/** What the superuser sees in the end. */
const STATES: readonly (readonly [title: string, sql: string, outcome: Outcome])[] = [
  [
    'whoever loses a client loses its open tasks',
    `${task}; ${ofUser(`client_access = '{}'`)}; ${then('assignee_id is null and updated_at > created_at')}`,
    'done',
  ],
  [
    'and keeps the tasks that were done',
    `${task}; ${done}; ${ofUser(`client_access = '{}'`)}; ${then(`assignee_id = '${SPECIALIST}'`)}`,
    'done',
  ],
  [
    'whoever becomes a client loses the internal tasks',
    `${task}; ${change('internal = true')}; ${ofUser(`role = 'CLIENT'`)}; ${then('assignee_id is null')}`,
    'done',
  ],
  [
    'and keeps the tasks that a client sees',
    `${task}; ${ofUser(`role = 'CLIENT'`)}; ${then(`assignee_id = '${SPECIALIST}'`)}`,
    'done',
  ],
  [
    'the end of an account takes no task away',
    `${task}; ${ofUser('is_active = false')}; ${done}; ${then(`assignee_id = '${SPECIALIST}'`)}`,
    'done',
  ],
  [
    'a task of a client is not made internal',
    `${ofUser(`role = 'CLIENT'`)}; ${task}; ${change('internal = true')}`,
    '23514',
  ],
  [
    'an internal task is given to no client',
    `${ofUser(`role = 'CLIENT'`)}; ${change('internal = true')}; ${task}`,
    '23514',
  ],
  ['a note that is no task is not done', `${change('due_on = null')}; ${done}`, '23514'],
  ['a note is not blank', change(`text = '  '`), '23514'],
  ['a note has at most 10,000 characters', change(`text = repeat('é', 10001)`), '23514'],
  ['a note has 10,000 characters', change(`text = repeat('é', 10000)`), 'done'],
  [
    'the notes on a claim go with it',
    `delete from public.reclamations where id = '${idOf('a', 'reclamations')}';
     select where not exists (${then('true')})`,
    'done',
  ],
  [
    'what a user wrote stays when a DBA deletes the user, and the task has nobody',
    `update public.notes set author_id = '${SELF}' where id = '${NOTE}';
     update public.users set client_access = '{${A}}' where id = '${SELF}';
     update public.notes set assignee_id = '${SELF}' where id = '${NOTE}';
     delete from public.users where id = '${SELF}';
     ${then(`assignee_id is null and author_id = '${SELF}'`)}`,
    'done',
  ],
  [
    'the role behind the functions gives no task to anybody',
    `${task}; set local role taxclaims_definer; update public.notes set assignee_id = '${SPECIALIST}'`,
    'refused',
  ],
  [
    'the role behind the functions takes tasks from users within a trigger alone',
    `${task}; set local role taxclaims_definer; update public.notes set assignee_id = null`,
    'refused',
  ],
];

export const noteChecks: readonly Check[] = [
  ...NOTES.map(
    ([title, { before, role, sql }, outcome]): Check => ({
      title,
      run: async ({ admin }) => {
        const set = `update public.users set client_access = '{${A}}' where id = '${SELF}';
          update public.notes set ${before} where id = '${NOTE}';
          select set_config('app.user_id', '${SELF}', true), set_config('app.client_access', '${OWN}', true);
          set local role taxclaims_${String(role)};`;
        equal(await attempt(admin, { sql: `${set} ${sql}` }), outcome);
      },
    }),
  ),
  ...WRITTEN.map(
    ([title, tried, outcome]): Check => ({
      title,
      run: async ({ api }) => {
        equal(await attempt(api, tried), outcome);
      },
    }),
  ),
  ...STATES.map(
    ([title, sql, outcome]): Check => ({
      title,
      run: async ({ admin }) => {
        equal(await attempt(admin, { sql }), outcome);
      },
    }),
  ),
];
