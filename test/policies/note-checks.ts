import { equal } from 'node:assert/strict';
import { UNASSIGN } from './assignee-checks.ts';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { OWN } from './row-checks.ts';
import { attempt, ending } from './session.ts';
import type { Attempt, Outcome } from './session.ts';

/*
 * Tests the rights to notes of other authors, to internal notes and to tasks. Rights to a caller’s own notes are tested
 * in row-checks.ts.
 */

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

/** An SQL statement that a caller tries on a note. Before that, the superuser makes the change `before` to the note. */
interface Case extends Attempt {
  readonly before: string;
}

const anothers = `author_id = '${SPECIALIST}'`;
const given = `${anothers}, assignee_id = '${SELF}'`;
const done = change('done_at = now()');

const of = (roles: readonly string[], title: string, before: string, sql: string): Record<string, Case> =>
  Object.fromEntries(roles.map((role) => [`a caller in role ${role} ${title}`, { ...as(role, sql), before }]));

const NOTES: readonly (readonly [title: string, tried: Case, outcome: Outcome])[] = [
  ...casesOf('nothing', {
    ...of(
      ['client'],
      'cannot read an internal note',
      'internal = true',
      `select from public.notes where id = '${NOTE}'`,
    ),
    ...of(
      ['client'],
      'cannot update its own note that became internal',
      'internal = true',
      'update public.notes set text = text',
    ),
    ...of(['client'], 'cannot delete its own note that became internal', 'internal = true', 'delete from public.notes'),
    ...of(['tax_specialist', 'client'], 'cannot update a note of another author', anothers, change(`text = 'x'`)),
    ...of(
      ['tax_specialist', 'client'],
      'cannot complete another author’s task without being its assignee',
      anothers,
      done,
    ),
    ...of(['account_manager', 'tax_specialist', 'client'], 'cannot delete a note of another author', given, remove),
  }),
  ...casesOf('denied', {
    ...of(MANAGERS, 'cannot update the text of another author’s note', anothers, change(`text = 'x'`)),
    ...of(
      ['admin', ...MANAGERS],
      'cannot move another author’s task to another due date',
      anothers,
      change(`due_on = '2190-02-01'`),
    ),
    ...of(
      ['admin', ...MANAGERS],
      'cannot assign another author’s task',
      anothers,
      change(`assignee_id = '${SPECIALIST}'`),
    ),
    ...of(
      ['admin', ...MANAGERS],
      'cannot make another author’s internal note visible to clients',
      `${anothers}, internal = true`,
      change('internal = false'),
    ),
    ...of(ROLES, 'cannot update the text of a task that another author assigned to it', given, change(`text = 'x'`)),
    ...of(['client'], 'cannot turn a note into a task', 'due_on = null', change(`due_on = '2190-01-31'`)),
    ...of(ROLES, 'cannot change the author of its note', 'text = text', change(`author_id = '${SPECIALIST}'`)),
    ...of(ROLES, 'cannot move its note to another client', 'text = text', change(`client_id = '${B}'`)),
  }),
  ...casesOf('refused', {
    ...of(['client'], 'cannot make its note internal', 'text = text', change('internal = true')),
  }),
  ...casesOf('done', {
    ...of(FIRM, 'reads an internal note', 'internal = true', `select from public.notes where id = '${NOTE}'`),
    ...of(FIRM, 'turns its note into a task', 'due_on = null', change(`due_on = '2190-01-31'`)),
    ...of(ROLES, 'completes a task that another author assigned to it', given, done),
    ...of(['admin', ...MANAGERS], 'completes another author’s task without being its assignee', anothers, done),
    ...of(['admin', 'scoped_admin'], 'deletes a note of another author', anothers, remove),
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
      [`a caller in role ${role} cannot create a note in another author’s name`]: as(
        role,
        written(`'${SPECIALIST}', false`),
      ),
      [`a caller in role ${role} cannot create a note of a foreign client`]: as(role, written(`${mine}, false`, '', B)),
    }),
  ),
  ...FIRM.flatMap((role) => [
    ...ending('done', {
      [`a caller in role ${role} creates an internal note`]: as(role, written(`${mine}, true`)),
      [`a caller in role ${role} assigns a new task to a user who has the client`]: as(
        role,
        written(`${mine}, true${to(SPECIALIST)}`, ', due_on, assignee_id'),
      ),
    }),
    ...ending('23514', {
      [`a caller in role ${role} cannot assign a new task to a user without the client`]: as(
        role,
        written(`${mine}, true${to(idOf('b', 'users'))}`, ', due_on, assignee_id'),
      ),
      [`a caller in role ${role} cannot assign a note without a due date`]: as(
        role,
        written(`${mine}, true, '${SPECIALIST}'`, ', assignee_id'),
      ),
    }),
  ]),
  ...ending('refused', {
    'a caller in role client cannot create an internal note': as('client', written(`${mine}, true`)),
    'a caller in role client cannot create a task': as('client', written(`${mine}, false${day}`, ', due_on')),
  }),
  ['a caller in role client creates a note that is not internal', as('client', written(`${mine}, false`)), 'done'],
  [
    'an administrator cannot create a note on a claim of another client',
    as('admin', written(`${mine}, false`, '', B)),
    '23503',
  ],
];

const task = `update public.notes set assignee_id = '${SPECIALIST}' where id = '${NOTE}'`;
const ofUser = (change: string): string => `update public.users set ${change} where id = '${SPECIALIST}'`;
const then = (condition: string): string => `select from public.notes where id = '${NOTE}' and ${condition}`;

/**
 * Tests what happens to notes if a DBA changes users, tasks or claims directly in the database. Each row has a title,
 * SQL statements, and the outcome of the last statement.
 */
const STATES: readonly (readonly [title: string, sql: string, outcome: Outcome])[] = [
  [
    'a user who loses a client is no longer the assignee of open tasks of that client',
    `${task}; ${ofUser(`client_access = '{}'`)}; ${UNASSIGN}; ${then('assignee_id is null and updated_at > created_at')}`,
    'done',
  ],
  [
    'a user who loses a client stays the assignee of completed tasks of that client',
    `${task}; ${done}; ${ofUser(`client_access = '{}'`)}; ${UNASSIGN}; ${then(`assignee_id = '${SPECIALIST}'`)}`,
    'done',
  ],
  [
    'a user whose role becomes CLIENT is no longer the assignee of internal tasks',
    `${task}; ${change('internal = true')}; ${ofUser(`role = 'CLIENT'`)}; ${then('assignee_id is null')}`,
    'done',
  ],
  [
    'a user whose role becomes CLIENT stays the assignee of tasks that clients see',
    `${task}; ${ofUser(`role = 'CLIENT'`)}; ${then(`assignee_id = '${SPECIALIST}'`)}`,
    'done',
  ],
  [
    'a user who becomes inactive stays the assignee of their tasks',
    `${task}; ${ofUser('is_active = false')}; ${done}; ${then(`assignee_id = '${SPECIALIST}'`)}`,
    'done',
  ],
  [
    'a task that is assigned to a user with role CLIENT cannot become internal',
    `${ofUser(`role = 'CLIENT'`)}; ${task}; ${change('internal = true')}`,
    '23514',
  ],
  [
    'an internal task cannot be assigned to a user with role CLIENT',
    `${ofUser(`role = 'CLIENT'`)}; ${change('internal = true')}; ${task}`,
    '23514',
  ],
  ['a note without a due date cannot be completed as a task', `${change('due_on = null')}; ${done}`, '23514'],
  ['the text of a note cannot be blank', change(`text = '  '`), '23514'],
  ['the text of a note cannot have 10,001 characters', change(`text = repeat('é', 10001)`), '23514'],
  ['the text of a note can have 10,000 characters', change(`text = repeat('é', 10000)`), 'done'],
  [
    'the notes on a claim are deleted with the claim',
    `delete from public.reclamations where id = '${idOf('a', 'reclamations')}';
     select where not exists (${then('true')})`,
    'done',
  ],
  [
    'after a DBA deletes the user who wrote and was assigned a note, the note keeps the author’s id and has no assignee',
    `update public.notes set author_id = '${SELF}' where id = '${NOTE}';
     update public.users set client_access = '{${A}}' where id = '${SELF}';
     update public.notes set assignee_id = '${SELF}' where id = '${NOTE}';
     delete from public.users where id = '${SELF}';
     ${then(`assignee_id is null and author_id = '${SELF}'`)}`,
    'done',
  ],
  [
    'a function of taxclaims_definer cannot assign a task',
    `${task}; set local role taxclaims_definer; update public.notes set assignee_id = '${SPECIALIST}'`,
    'refused',
  ],
  [
    'a function of taxclaims_definer outside a trigger cannot take a task from its assignee',
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
