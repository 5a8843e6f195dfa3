import type pg from 'pg';
import { connected, withAdmin } from '../support/database.ts';
import { FIXTURE, idOf } from './fixture.ts';

/** Connections to a test database with the rows of two firms, one for each kind of login. */
export interface World {
  readonly api: pg.Client;
  /** A second connection of the API’s database login, on which no test ever sets a setting. */
  readonly unset: pg.Client;
  /** The connection of a reporting login to which the client of firm a is granted. */
  readonly reporting: pg.Client;
  /** The superuser’s connection. It stores rows and shows that they exist; its own rights are never tested. */
  readonly admin: pg.Client;
  close(): Promise<void>;
}

interface Addresses {
  readonly adminUrl: string;
  readonly apiUrl: string;
  readonly reportingUrl: string;
}

/** Stores the rows of two firms in a migrated database, and opens a connection for each kind of login. */
export async function openWorld({ adminUrl, apiUrl, reportingUrl }: Addresses): Promise<World> {
  const login = decodeURIComponent(new URL(reportingUrl).username);
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(FIXTURE);
    await admin.query('insert into reporting.grants (login, client_id) values ($1, $2)', [login, idOf('a', 'clients')]);
  });
  const [admin, api, unset, reporting] = await Promise.all([
    // JIT is off, because Postgres would need longer to compile the queries of the audit’s views than to run them.
    connected(adminUrl, '-c jit=off'),
    connected(apiUrl),
    connected(apiUrl),
    connected(reportingUrl),
  ]);
  return {
    admin,
    api,
    unset,
    reporting,
    close: async () => {
      await Promise.all([admin, api, unset, reporting].map((client) => client.end()));
    },
  };
}
