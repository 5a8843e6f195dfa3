import type pg from 'pg';
import { connected, withAdmin } from '../support/database.ts';
import { FIXTURE, idOf } from './fixture.ts';

/** The connections to a database with the rows of FIXTURE. */
export interface World {
  /** The API's login. */
  readonly api: pg.Client;
  /** The API’s login on a connection that never had a setting. */
  readonly unset: pg.Client;
  /** A reporting login with a grant of firm a’s client. */
  readonly reporting: pg.Client;
  /** The superuser: inserts the rows and proves that rows exist; never the caller under test. */
  readonly admin: pg.Client;
  close(): Promise<void>;
}

interface Addresses {
  readonly adminUrl: string;
  readonly apiUrl: string;
  readonly reportingUrl: string;
}

/** Fills a migrated database with the two firms and opens the connections. */
export async function openWorld({ adminUrl, apiUrl, reportingUrl }: Addresses): Promise<World> {
  const login = decodeURIComponent(new URL(reportingUrl).username);
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(FIXTURE);
    await admin.query('insert into reporting.grants (login, client_id) values ($1, $2)', [login, idOf('a', 'clients')]);
  });
  const [admin, api, unset, reporting] = await Promise.all([
    // Postgres takes longer to compile the views of the audit than to run them.
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
