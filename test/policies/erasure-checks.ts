import { deepEqual, equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf } from './fixture.ts';
import { OWN } from './row-checks.ts';
import { attempt, ending, outcomeOf, takenBack, type Attempt, type Outcome } from './session.ts';

const OF_A = idOf('a', 'users');
const OF_B = idOf('b', 'users');

const as = (role: string, sql: string): Attempt => ({ role, clientAccess: OWN, sql });
const erase = (id: string): string => `select app.erase_user('${id}')`;
const kept = (id: string): string => `select app.kept_on('${id}', 'users.id', 'infinity', null, 1)`;

const CASES: readonly (readonly [title: string, tried: Attempt, outcome: Outcome])[] = [
  ...ending('done', {
    'an administrator erases any user': as('admin', erase(OF_B)),
    'an administrator with a client list erases a user who has no other client': as('scoped_admin', erase(OF_A)),
    'an administrator reads the stored data of any user': as('admin', `select app.person('${OF_B}')`),
  }),
  ...ending('denied', {
    'an administrator with a client list cannot erase a user of another firm': as('scoped_admin', erase(OF_B)),
    'an administrator with a client list cannot read the stored data of a user of another firm': as(
      'scoped_admin',
      kept(OF_B),
    ),
    'an account manager cannot erase a user': as('account_manager', erase(OF_A)),
    'an account manager cannot read the stored data of another user': as('account_manager', kept(OF_A)),
    'a tax specialist cannot read the stored data of another user': as('tax_specialist', kept(OF_A)),
    'a caller in role client cannot read the stored data of another user': as('client', kept(OF_A)),
    'the API login cannot redact a user in the audit log': { sql: `select app.redact_user('${OF_A}')` },
  }),
  ...ending('nothing', {
    'a function of taxclaims_definer cannot change reclamation_history outside an erasure': {
      role: 'definer',
      sql: `update public.reclamation_history set actor = changed_by::text`,
    },
    'a function of taxclaims_definer cannot delete a stored answer outside an erasure': {
      role: 'definer',
      sql: `delete from app.idempotency_keys`,
    },
  }),
];

/**
 * Wraps an SQL statement so that the role taxclaims_housekeeper runs it inside a trigger, as during the erasure of a
 * user’s personal data.
 */
const withinTrigger = (statement: string): string => `
  create table public.tried ();
  create function public.try() returns trigger language plpgsql security definer as $$ begin ${statement}; return null; end $$;
  alter function public.try() owner to taxclaims_housekeeper;
  create trigger try after insert on public.tried for each statement execute function public.try();
  insert into public.tried default values;`;

export const erasureChecks: readonly Check[] = [
  ...CASES.map(
    ([title, tried, outcome]): Check => ({
      title,
      run: async ({ api, admin }) => {
        const login = tried.role === 'definer' ? admin : api;
        equal(await attempt(login, tried), outcome);
      },
    }),
  ),
  ...(
    [
      ['of another table', `changed = '{}' where resource_type = 'sites'`, `{"address": ["x", "y"]}`],
      ['of a role', `changed = '{}' where not changed ? 'name'`, `{"role": ["CLIENT", "ADMIN"]}`],
    ] as const
  ).map(
    ([what, change, changed]): Check => ({
      title: `an erasure of a user’s personal data cannot remove a change ${what} from an audit record`,
      run: (world) =>
        takenBack(world, async (admin) => {
          const type = what === 'of a role' ? 'users' : 'sites';
          await admin.query(
            `insert into public.audit_logs (action, resource_type, success, actor, changed)
             values ('tried', '${type}', true, 'x', '${changed}')`,
          );
          await admin.query(withinTrigger(`update public.audit_logs set ${change}`));
          const { rows } = await admin.query(`select changed from public.audit_logs where action = 'tried'`);
          deepEqual(rows, [{ changed: JSON.parse(changed) as object }]);
        }),
    }),
  ),
  {
    title:
      'an erasure of a user’s personal data cannot write another name into an audit record, and without an erasure nobody can change an audit record',
    run: async (world) => {
      for (const statement of [
        withinTrigger(`update public.audit_logs set changed = '{"name": ["x", "y"]}' where action = 'tried'`),
        withinTrigger(`update public.audit_logs set action = 'other' where action = 'tried'`),
        withinTrigger(`delete from public.audit_logs where action = 'tried'`),
        `set local role taxclaims_housekeeper; update public.audit_logs set changed = '{}' where action = 'tried'`,
        `update public.audit_logs set changed = '{}' where action = 'tried'`,
      ])
        await takenBack(world, async (admin) => {
          await admin.query(
            `insert into public.audit_logs (action, resource_type, success, actor, changed)
             values ('tried', 'users', true, 'x', '{"name": ["a", "b"]}')`,
          );
          const outcome = await admin.query(statement).then(() => 'done', outcomeOf);
          equal(['denied', 'refused'].includes(outcome), true, `${statement}: ${outcome}`);
        });
    },
  },
];
