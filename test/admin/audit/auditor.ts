import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { asDatabase, createTestDatabase, withAdmin } from '../../support/database.ts';
import { createReportingLogin } from '../../support/reporting-login.ts';
import { openWorld, type World } from '../../policies/world.ts';

interface AuditedWorld extends World {
  readonly name: string;
  readonly adminUrl: string;
  /** A database connection of a login whose only role is taxclaims_auditor. */
  readonly auditor: pg.Client;
  readonly auditorUrl: string;
}

/** Opens a database with two firms, and one connection for each kind of login. One of the logins is an auditor. */
export async function openAuditedWorld(): Promise<AuditedWorld> {
  const database = await createTestDatabase();
  const reporting = await createReportingLogin(database);
  const world = await openWorld({ ...database, reportingUrl: reporting.url });
  const login = { name: `${database.name}_auditor`, password: randomBytes(24).toString('base64url') };
  await withAdmin(database.adminUrl, (admin) =>
    admin.query(`create role ${login.name} login password '${login.password}' in role taxclaims_auditor`),
  );
  const auditorUrl = asDatabase(database.adminUrl, database.name, login);
  const auditor = new pg.Client({ connectionString: auditorUrl, options: '-c jit=off' });
  await auditor.connect();
  return {
    ...world,
    name: database.name,
    adminUrl: database.adminUrl,
    auditor,
    auditorUrl,
    close: async () => {
      await auditor.end();
      await world.close();
      await withAdmin(database.adminUrl, (admin) => admin.query(`drop role ${login.name}`));
      await reporting.drop();
      await database.close();
    },
  };
}
