import type pg from 'pg';
import { asDatabase, type TestDatabase, withAdmin } from './database.ts';
import { makeLogin } from './world.ts';

/** Creates a BI tool’s login in taxclaims_reporting, without any granted client. The caller drops the login. */
export async function createReportingLogin(
  database: Pick<TestDatabase, 'name' | 'adminUrl'>,
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const login = await makeLogin(database.adminUrl, `${database.name}_bi`, 'in role taxclaims_reporting');
  return {
    name: login.name,
    url: asDatabase(database.adminUrl, database.name, login),
    drop: async () => {
      await withAdmin(database.adminUrl, (admin) => admin.query(`drop role ${login.name}`));
    },
  };
}

/** Runs `work` with the name of a further role, which exists with attributes such as `login` while `work` runs. */
export async function withRole(
  admin: pg.Client,
  attributes: string,
  work: (name: string) => Promise<unknown>,
): Promise<void> {
  const name = `${String(admin.database)}_other`;
  await admin.query(`create role ${name} ${attributes}`);
  try {
    await work(name);
  } finally {
    await admin.query(`drop role ${name}`);
  }
}
