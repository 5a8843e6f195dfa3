import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { migrate } from '../../admin/deploy/migrate.ts';
import { sqlFolder } from '../../db/sql-folder.ts';
import { setDemonstrationPasswords } from '../passwords.ts';
import { withClient } from './connect.ts';
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './server.ts';

export type EmbeddedDatabase = Awaited<ReturnType<typeof startEmbeddedDatabase>>;

/** Starts the embedded Postgres, migrates it and loads the demonstration data once. @throws Error in one line */
export async function startEmbeddedDatabase({
  passwords = false,
  ...options
}: Pick<EmbeddedServerOptions, 'dataDir' | 'log' | 'ending'> & {
  /** True if the demonstration users get passwords, because they log in at the embedded identity provider. */
  readonly passwords?: boolean;
}) {
  const server = await startEmbeddedServer(options);
  const { log } = options;
  const { adminUrl, port, passwordFile } = server;
  try {
    options.ending?.throwIfAborted();
    log.info(`Postgres serves on port ${port}`);
    await migrate({ adminUrl, log, ending: options.ending });
    options.ending?.throwIfAborted();
    const contentPaths = await loadDemonstration(adminUrl, log);
    options.ending?.throwIfAborted();
    return {
      logins: passwords ? await setDemonstrationPasswords(adminUrl, options.dataDir) : [],
      apiUrl: await createApiLogin(server),
      adminUrl,
      port,
      passwordFile,
      contentPaths,
      close: (withinMs?: number) => server.stop(withinMs),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Loads the demonstration data only into a database that never had a user, so that deleted rows do not return. */
async function loadDemonstration(adminUrl: string, log: Logger): Promise<string[]> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from public.audit_logs) or exists (select from public.users) as used`,
    );
    if (rows[0]?.used !== true) {
      await client.query(await readFile(sqlFolder('demonstration/data.sql'), 'utf8'));
      log.info('the demonstration is loaded');
    }
    const documents = await client.query<{ path: string }>(
      `select file_path as path from public.documents where starts_with(file_path, 'demonstration/')`,
    );
    return documents.rows.map(({ path }) => path);
  });
}

export async function createApiLogin({ adminUrl }: Pick<EmbeddedServer, 'adminUrl'>): Promise<string> {
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
