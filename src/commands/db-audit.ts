import { writeFile } from 'node:fs/promises';
import { loadAdminConfig } from '../config.ts';
import { renderHtml } from '../db/audit/html.ts';
import { readAudit } from '../db/audit/read.ts';
import { adminServer } from '../db/deploy/admin-connection.ts';
import { renderText } from '../db/audit/text.ts';
import { runCommand } from './run-command.ts';

const USAGE = `usage: npm run db:audit -- [options]
Prints who may do what in the database at DATABASE_ADMIN_URL, for which a login in taxclaims_auditor is enough.
  --html FILE   also writes it there, with the matrix drawn
  --help, --version
Exit codes: 0 nothing is wrong; 1 a finding or a drift that nobody accepted, or an audit that is not the repository's;
2 nothing could be read.`;

await runCommand(
  { usage: USAGE, failureExitCode: 2, options: { html: { type: 'string' } } },
  async ({ values: { html } }) => {
    const { databaseAdminUrl } = loadAdminConfig(process.env);
    const audit = await readAudit(await adminServer(databaseAdminUrl));
    process.stdout.write(renderText(audit));
    if (html !== undefined) await writeFile(html, renderHtml(audit));
    return audit.findings.length + audit.drift.length + audit.auditDifferences.length > 0 ? 1 : 0;
  },
);
