import type pg from 'pg';
import { connected, withAdmin } from '../support/database.ts';
import { FIXTURE, idOf } from './fixture.ts';

/** The connections through which one database is tried. */
export interface World {
  /** The API's login. */
  readonly api: pg.Client;
  /** The API's login on a connection on which no setting was ever made. */
  readonly unset: pg.Client;
  /** A reporting login that was granted firm a. */
  readonly reporting: pg.Client;
  /** The superuser: for the fixture and for counter-proofs, never for what is tested. */
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
    // Compiling the views of the audit takes Postgres longer than answering them.
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
