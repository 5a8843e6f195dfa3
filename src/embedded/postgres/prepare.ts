import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { migrate } from '../../db/deploy/migrate.ts';
import { sqlFolder } from '../../db/sql-folder.ts';
import { givePasswords } from '../passwords.ts';
import { withClient } from './connect.ts';
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './server.ts';

export type EmbeddedDatabase = Awaited<ReturnType<typeof startEmbeddedDatabase>>;

/**
 * Starts the embedded Postgres, migrates it and fills it with the demonstration data the first time.
 * @throws Error when it cannot run here, MigrationError when the SQL is refused; the signal's reason where that ended it.
 */
export async function startEmbeddedDatabase({
  passwords = false,
  ...options
}: Pick<EmbeddedServerOptions, 'dataDir' | 'log' | 'ending'> & {
  /** Whether people log in with passwords of the database. */
  readonly passwords?: boolean;
}) {
  const server = await startEmbeddedServer(options);
  const { adminUrl, port, passwordFile } = server;
  try {
    options.ending?.throwIfAborted();
    await migrate({ adminUrl, log: options.log });
    options.ending?.throwIfAborted();
    const demonstration = await loadDemonstration(adminUrl);
    return {
      logins: passwords ? await givePasswords(adminUrl, options.dataDir) : [],
      apiUrl: await createLogin(server),
      /** The address for the superuser, as which the embedded identity provider reads its users. */
      adminUrl,
      /** The command for a look inside as the superuser; it names the file of the password, not the password. */
      psql: `PGPASSWORD=$(cat ${passwordFile}) psql -h 127.0.0.1 -p ${port} -U postgres taxclaims`,
      demonstration,
      close: (withinMs?: number) => server.stop(withinMs),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Data that somebody has changed or deleted stays so: only a database that never had a user gets it. */
async function loadDemonstration(adminUrl: string): Promise<string[]> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from public.audit_logs) or exists (select from public.users) as used`,
    );
    if (rows[0]?.used !== true) {
      await client.query(await readFile(sqlFolder('demonstration/data.sql'), 'utf8'));
    }
    const documents = await client.query<{ path: string }>(
      `select file_path as path from public.documents where starts_with(file_path, 'demonstration/')`,
    );
    return documents.rows.map(({ path }) => path);
  });
}

/** Lets the API log in, with a new password each time; gives the address for it. */
export async function createLogin({ adminUrl }: Pick<EmbeddedServer, 'adminUrl'>): Promise<string> {
  const url = new URL(adminUrl);
  url.username = 'taxclaims_app';
  url.password = randomBytes(24).toString('base64url');
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query(`select from pg_roles where rolname = 'taxclaims_app'`);
    if (rowCount === 0) await client.query('create role taxclaims_app');
    await client.query(`alter role taxclaims_app login password ${pg.escapeLiteral(url.password)}`);
    await client.query('grant taxclaims_api to taxclaims_app');
  });
  return url.href;
}
