import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadAdminConfig } from '../config.ts';
import { renderHtml } from '../db/audit/html.ts';
import { readAudit } from '../db/audit/read.ts';
import { adminServer } from '../db/deploy/admin-connection.ts';
import { renderText } from '../db/audit/text.ts';

/**
 * `npm run db:audit -- [--html FILE]`: prints who may do what in the database at DATABASE_ADMIN_URL, for which a login
 * in taxclaims_auditor is enough. Exits with 1 on a finding or a drift that nobody accepted, or an audit that is not the
 * repository's, with 2 when nothing could be read.
 */
try {
  const { values } = parseArgs({ options: { html: { type: 'string' } } });
  const { databaseAdminUrl } = loadAdminConfig(process.env);
  const audit = await readAudit(await adminServer(databaseAdminUrl));
  process.stdout.write(renderText(audit));
  if (values.html !== undefined) await writeFile(values.html, renderHtml(audit));
  if (audit.findings.length + audit.drift.length + audit.blinded.length > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
