import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { migrateWithCommand } from '../../test/faults/commands.ts';
import { withAdmin } from '../../test/support/database.ts';
import { makeLogin as makeRole } from '../../test/support/world.ts';
import { findProgram } from '../lab/program.ts';

const LOGIN = join(import.meta.dirname, '..', '..', 'db', 'api-login.sql');

/** A login of the API, in a database of its own. */
export interface ApiLogin {
  readonly name: string;
  readonly password: string;
  readonly database: string;
}

/** The superuser's address of a database of the server: of whichever leads at the moment. */
export type AdminUrl = (database: string) => Promise<string>;

/** A database with the migrations of the release in that folder, or ours; gives its name. */
export async function makeDatabase(adminUrl: AdminUrl, release?: string): Promise<string> {
  const name = `taxclaims_check_${randomBytes(4).toString('hex')}`;
  await withAdmin(await adminUrl('postgres'), (admin) => admin.query(`create database ${name} template template0`));
  const url = await adminUrl(name);
  if (release === undefined) await migrate({ adminUrl: url, log: pino({ level: 'silent' }) });
  else await migrateWithCommand(url, undefined, release);
  return name;
}

/** A login of the name of its database, since others on the same server have theirs. */
export async function makeLogin(adminUrl: AdminUrl, database: string): Promise<ApiLogin> {
  const rights = 'connection limit 60 in role taxclaims_api';
  return { ...(await makeRole(await adminUrl(database), database, rights)), database };
}

/** The login of a server of its own, made as the composition makes it. */
export async function makeLoginWithPsql(adminUrl: AdminUrl, database: string): Promise<ApiLogin> {
  const password = randomBytes(18).toString('base64url');
  await promisify(execFile)(
    await findProgram('psql', 'postgresql-client'),
    ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--file=${LOGIN}`, await adminUrl(database)],
    { env: { PATH: process.env['PATH'], API_DATABASE_PASSWORD: password } },
  );
  return { name: 'taxclaims_app', password, database };
}
