import { asDatabase } from '../support/database.ts';
import { adminOf, makeLogin } from '../support/world.ts';

/**
 * Connection URLs with a valid password, one for each kind of database login. The attacker is assumed to have stolen
 * them.
 */
export interface Logins {
  readonly api: string;
  readonly reporting: string;
  readonly auditor: string;
}

/** Creates the database logins, and grants the reporting login one client. */
export async function makeLogins(adminUrl: string, client: string): Promise<Logins> {
  const database = new URL(adminUrl).pathname.slice(1);
  const login = async (group: string): Promise<string> =>
    asDatabase(adminUrl, database, await makeLogin(adminUrl, `abuse_${group}`, `in role taxclaims_${group}`));
  const [api, reporting, auditor] = [await login('api'), await login('reporting'), await login('auditor')];
  await adminOf(adminUrl)('select reporting.grant_client($1, $2)', ['abuse_reporting', client]);
  return { api, reporting, auditor };
}
