import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { migrateWithCommand } from '../../test/faults/commands.ts';
import { withAdmin } from '../../test/support/database.ts';
import { makeLogin as makeRole } from '../../test/support/world.ts';
import { findProgram } from '../lab/program.ts';

const LOGIN = join(import.meta.dirname, '..', '..', 'db', 'api-login.sql');

export interface ApiLogin {
  readonly name: string;
  readonly password: string;
  readonly database: string;
}

/** Returns the superuser’s connection URL for a database, on the server that is the primary at present. */
export type AdminUrl = (database: string) => Promise<string>;

/**
 * Creates a database, and runs the migrations of the release in the given folder, or of this checkout. Returns the
 * database’s name.
 */
export async function makeDatabase(adminUrl: AdminUrl, release?: string): Promise<string> {
  const name = `taxclaims_check_${randomBytes(4).toString('hex')}`;
  await withAdmin(await adminUrl('postgres'), (admin) => admin.query(`create database ${name} template template0`));
  const url = await adminUrl(name);
  if (release === undefined) await migrate({ adminUrl: url, log: pino({ level: 'silent' }) });
  else await migrateWithCommand(url, undefined, release);
  return name;
}

/**
 * Creates a database login for the API. A login belongs to the whole Postgres server, so it gets the name of its
 * database.
 */
export async function makeLogin(adminUrl: AdminUrl, database: string): Promise<ApiLogin> {
  const rights = 'connection limit 60 in role taxclaims_api';
  return { ...(await makeRole(await adminUrl(database), database, rights)), database };
}

/** Creates a database login for the API with the program psql, exactly as the script in deploy/compose does. */
export async function makeLoginWithPsql(adminUrl: AdminUrl, database: string): Promise<ApiLogin> {
  const password = randomBytes(18).toString('base64url');
  await promisify(execFile)(
    await findProgram('psql', 'postgresql-client'),
    ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--file=${LOGIN}`, await adminUrl(database)],
    { env: { PATH: process.env['PATH'], API_DATABASE_PASSWORD: password } },
  );
  return { name: 'taxclaims_app', password, database };
}
