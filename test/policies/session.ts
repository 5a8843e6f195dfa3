import { equal, rejects } from 'node:assert/strict';
import pg from 'pg';
import { SELF } from './fixture.ts';
import { REQUEST_ROLES } from './rights.ts';
import type { World } from './world.ts';

/** The outcome of an SQL statement: some rows, no row, no grant, a refusal by a policy’s check, or another SQLSTATE. */
export type Outcome = 'done' | 'nothing' | 'denied' | 'refused' | (string & {});

export interface Attempt {
  /** The database role without its prefix `taxclaims_`. If no role is given, the login itself runs the statement. */
  readonly role?: string;
  /** The value of the setting app.client_access, the caller’s client list; if absent, the setting stays unset. */
  readonly clientAccess?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly sql: string;
}

/** Runs one SQL statement on a login’s connection, rolls it back, and returns the outcome of the statement. */
export async function attempt(login: pg.Client, { role, clientAccess, settings, sql }: Attempt): Promise<Outcome> {
  const local: Record<string, string> = { ...settings };
  if (clientAccess !== undefined) Object.assign(local, { 'app.client_access': clientAccess, 'app.user_id': SELF });
  if (role !== undefined) local['role'] = `taxclaims_${role}`;
  const set = Object.entries(local).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true)`,
  );
  try {
    const results = (await login.query(
      `begin; select ${set.join(', ') || '1'}; ${sql}`,
    )) as unknown as pg.QueryResult[];
    return (results.at(-1)?.rowCount ?? 0) > 0 ? 'done' : 'nothing';
  } catch (error) {
    return outcomeOf(error);
  } finally {
    await login.query('rollback');
  }
}

/** Returns the outcome, such as denied, that an error of Postgres stands for, and throws every other error again. */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof pg.DatabaseError)) throw error;
  if (error.code !== '42501') return error.code ?? 'unknown';
  return error.message.includes('row-level security') ? 'refused' : 'denied';
}

/** Runs `work` in a superuser’s transaction that is rolled back, because a superuser can become every role. */
export async function takenBack({ admin }: World, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  await admin.query('begin');
  try {
    await work(admin);
  } finally {
    await admin.query('rollback');
  }
}

/** Asserts that Postgres refuses the SQL that `work` runs with the given SQLSTATE. */
export function refusedWith(code: string, work: Promise<unknown>): Promise<void> {
  return rejects(work, ({ code: given }: pg.DatabaseError) => given === code);
}

/** Asserts that no request role, API login, reporting login or auditor may run the given SQL statement. */
export async function deniedToAll({ api, reporting, admin }: World, sql: string): Promise<void> {
  for (const role of REQUEST_ROLES) equal(await attempt(api, { role, sql }), 'denied', role);
  equal(await attempt(api, { sql }), 'denied');
  equal(await attempt(reporting, { sql }), 'denied');
  equal(await attempt(admin, { role: 'auditor', sql }), 'denied');
}

/** Builds rows of a title, an SQL statement and an outcome from statements with the same expected outcome. */
export function ending(
  outcome: Outcome,
  attempts: Readonly<Record<string, Attempt>>,
): [title: string, tried: Attempt, outcome: Outcome][] {
  return Object.entries(attempts).map(([title, tried]) => [title, tried, outcome]);
}
