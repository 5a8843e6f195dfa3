import { pino } from 'pino';
import { loadAdminConfig } from '../config.ts';
import { migrate } from '../db/migrate.ts';

/** `npm run db:migrate`: roles, migrations and policies of the database at DATABASE_ADMIN_URL. */
try {
  const { databaseAdminUrl } = loadAdminConfig(process.env);
  await migrate({ adminUrl: databaseAdminUrl, log: pino({ level: 'info' }) });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
