import { randomBytes } from 'node:crypto';
import { asDatabase, withAdmin } from '../support/database.ts';

/** A login of each kind that a deployment makes, as an attacker has it who has found its password. */
export interface Logins {
  readonly api: string;
  readonly reporting: string;
  readonly auditor: string;
}

/** The reporting login was granted the one client. */
export async function makeLogins(adminUrl: string, client: string): Promise<Logins> {
  const database = new URL(adminUrl).pathname.slice(1);
  const made = await withAdmin(adminUrl, async (admin) => {
    const urls: string[] = [];
    for (const group of ['api', 'reporting', 'auditor']) {
      const login = { name: `abuse_${group}`, password: randomBytes(24).toString('base64url') };
      await admin.query(
        `create role ${login.name} login password '${login.password}' in role taxclaims_${group}`,
      );
      urls.push(asDatabase(adminUrl, database, login));
    }
    await admin.query('select reporting.grant_client($1, $2)', ['abuse_reporting', client]);
    return urls;
  });
  const [api = '', reporting = '', auditor = ''] = made;
  return { api, reporting, auditor };
}
