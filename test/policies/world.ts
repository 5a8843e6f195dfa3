import type pg from 'pg';
import { connected, withAdmin } from '../support/database.ts';
import { FIXTURE, idOf } from './fixture.ts';

/** The connections to a test database that contains the rows of two firms. */
export interface World {
  /** The connection of the API’s database login. */
  readonly api: pg.Client;
  /** A second connection of the API’s database login, on which no setting was ever set. */
  readonly unset: pg.Client;
  /** The connection of a reporting login that is granted the client of firm a. */
  readonly reporting: pg.Client;
  /** The superuser’s connection, which inserts rows and proves that rows exist, and is never a tested caller. */
  readonly admin: pg.Client;
  close(): Promise<void>;
}

interface Addresses {
  readonly adminUrl: string;
  readonly apiUrl: string;
  readonly reportingUrl: string;
}

/** Fills a migrated database with the rows of two firms, and opens the connections of the logins. */
export async function openWorld({ adminUrl, apiUrl, reportingUrl }: Addresses): Promise<World> {
  const login = decodeURIComponent(new URL(reportingUrl).username);
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(FIXTURE);
    await admin.query('insert into reporting.grants (login, client_id) values ($1, $2)', [login, idOf('a', 'clients')]);
  });
  const [admin, api, unset, reporting] = await Promise.all([
    // JIT is off, because compiling the queries of the schema audit’s views takes longer than running them.
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
