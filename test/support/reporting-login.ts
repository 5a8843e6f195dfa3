import { randomBytes } from 'node:crypto';
import { asDatabase, type TestDatabase, withAdmin } from './database.ts';

/** A login of a BI tool: in taxclaims_reporting, with nothing granted yet. Roles are the cluster's: drop it. */
export async function createReportingLogin(
  database: Pick<TestDatabase, 'name' | 'adminUrl'>,
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const login = { name: `${database.name}_bi`, password: randomBytes(24).toString('base64url') };
  await withAdmin(database.adminUrl, (admin) =>
    admin.query(`create role ${login.name} login password '${login.password}' in role taxclaims_reporting`),
  );
  return {
    name: login.name,
    url: asDatabase(database.adminUrl, database.name, login),
    drop: async () => {
      await withAdmin(database.adminUrl, (admin) => admin.query(`drop role ${login.name}`));
    },
  };
}
