import { writeFile } from 'node:fs/promises';
import { loadAdminConfig } from '../../config.ts';
import { renderAuditHtml } from '../audit/html.ts';
import { readAuditReport } from '../audit/read.ts';
import { findAdminServerUrl } from '../deploy/admin-connection.ts';
import { renderAuditText } from '../audit/text.ts';
import { runCommand } from './run-command.ts';

const USAGE = `usage: npm run db:audit -- [options]
Prints who may do what in the database at DATABASE_ADMIN_URL, for which a login in taxclaims_auditor is enough.
  --html FILE   also writes it there, with the matrix drawn
  --help, --version
Exit codes: 0 nothing is wrong that an administrator of this database can mend; 1 a finding or a drift that nobody
accepted, or an audit that is not the repository's; 2 nothing could be read.`;

await runCommand(
  { usage: USAGE, failureExitCode: 2, options: { html: { type: 'string' } } },
  async ({ values: { html } }) => {
    const { databaseAdminUrl } = loadAdminConfig(process.env);
    const report = await readAuditReport(await findAdminServerUrl(databaseAdminUrl));
    process.stdout.write(renderAuditText(report));
    if (html !== undefined) await writeFile(html, renderAuditHtml(report));
    return report.findings.length + report.drift.length + report.auditDifferences.length > 0 ? 1 : 0;
  },
);
