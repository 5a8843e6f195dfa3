import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { sqlFolder } from '../../db/sql-folder.ts';
import { migrate } from '../../db/deploy/migrate.ts';
import { givePasswords } from '../passwords.ts';
import type { Login } from '../passwords.ts';
import { createLogin } from './logins.ts';
import { withClient } from './connect.ts';
import { startEmbeddedServer } from './server.ts';

export interface EmbeddedDatabase {
  /** The address for the API's login. */
  readonly apiUrl: string;
  /** The address for the identity provider's login. */
  readonly identityUrl: string;
  /** With what the people of the demonstration log in; nobody where the identity provider is another. */
  readonly logins: readonly Login[];
  /** What a DBA types for a look inside as the superuser; names the file of the password, not the password. */
  readonly psql: string;
  /** Where the contents of the demonstration's documents belong, of those documents that are there. */
  readonly demonstration: readonly string[];
  close(withinMs?: number): Promise<void>;
}

/**
 * Starts the embedded Postgres, brings it to the present and fills it with the demonstration data the first time.
 * @throws Error when it cannot run here or another process runs it, MigrationError when the SQL is refused; the
 * signal's own reason where that ended the start.
 */
export async function startEmbeddedDatabase(options: {
  readonly dataDir: string;
  readonly log: Logger;
  readonly ending?: AbortSignal | undefined;
  /** Whether people log in with what the database knows of them. */
  readonly passwords?: boolean;
}): Promise<EmbeddedDatabase> {
  const server = await startEmbeddedServer(options);
  const { adminUrl } = server;
  try {
    options.ending?.throwIfAborted();
    await migrate({ adminUrl, log: options.log });
    options.ending?.throwIfAborted();
    const demonstration = await loadDemonstration(adminUrl);
    const logins = options.passwords === true ? await givePasswords(adminUrl, options.dataDir) : [];
    const { port, passwordFile } = server;
    return {
      apiUrl: await createLogin(server, 'taxclaims_app'),
      identityUrl: await createLogin(server, 'taxclaims_identity'),
      logins,
      psql: `PGPASSWORD=$(cat ${passwordFile}) psql -h 127.0.0.1 -p ${String(port)} -U postgres taxclaims`,
      demonstration,
      close: (withinMs) => server.stop(withinMs),
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
