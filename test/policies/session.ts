import { equal, rejects } from 'node:assert/strict';
import pg from 'pg';
import { SELF } from './fixture.ts';
import { REQUEST_ROLES } from './rights.ts';
import type { World } from './world.ts';

/**
 * What happened to an SQL statement. It read or wrote rows (done), found no row (nothing), lacked a grant (denied), or
 * the check of a policy failed (refused). After any other error the outcome is the SQLSTATE.
 */
export type Outcome = 'done' | 'nothing' | 'denied' | 'refused' | (string & {});

export interface Attempt {
  /**
   * The database role that runs the statement, without the prefix `taxclaims_`. If absent, the login runs the statement
   * with its own rights.
   */
  readonly role?: string;
  /** The caller’s list of clients, as the setting app.client_access; if absent, the setting has no value. */
  readonly clientAccess?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly sql: string;
}

/** Runs an SQL statement on a connection and rolls it back. Returns what happened to it. */
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

/** Returns the outcome (for example `denied`) that an error of Postgres means. Throws any other error again. */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof pg.DatabaseError)) throw error;
  if (error.code !== '42501') return error.code ?? 'unknown';
  return error.message.includes('row-level security') ? 'refused' : 'denied';
}

/** Runs `work` in a transaction of the superuser, who can become every role, and rolls the transaction back. */
export async function takenBack({ admin }: World, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  await admin.query('begin');
  try {
    await work(admin);
  } finally {
    await admin.query('rollback');
  }
}

export function refusedWith(code: string, work: Promise<unknown>): Promise<void> {
  return rejects(work, ({ code: given }: pg.DatabaseError) => given === code);
}

/**
 * Asserts that every kind of login and role gets `denied` for the SQL statement: the roles of requests, the API’s
 * login, a reporting login and an auditor.
 */
export async function deniedToAll({ api, reporting, admin }: World, sql: string): Promise<void> {
  for (const role of REQUEST_ROLES) equal(await attempt(api, { role, sql }), 'denied', role);
  equal(await attempt(api, { sql }), 'denied');
  equal(await attempt(reporting, { sql }), 'denied');
  equal(await attempt(admin, { role: 'auditor', sql }), 'denied');
}

/**
 * Makes a row of each SQL statement: its title, the statement, and the given outcome, which all of these statements
 * must have.
 */
export function ending(
  outcome: Outcome,
  attempts: Readonly<Record<string, Attempt>>,
): [title: string, tried: Attempt, outcome: Outcome][] {
  return Object.entries(attempts).map(([title, tried]) => [title, tried, outcome]);
}
