import { writeFile } from 'node:fs/promises';
import { loadAdminConfig } from '../../config.ts';
import { renderAuditHtml } from '../audit/html.ts';
import { readAuditReport } from '../audit/read.ts';
import { findAdminServerUrl } from '../deploy/admin-connection.ts';
import { renderAuditText } from '../audit/text.ts';
import { runCommand } from './run-command.ts';

const USAGE = `usage: npm run db:audit -- [options]
Prints the rights in the database at DATABASE_ADMIN_URL. A login in taxclaims_auditor is enough.
  --html FILE   also write the report to FILE, with the matrix of rights as a table
  --help, --version
Exit codes: 0 no findings that an administrator of this database can mend; 1 such a finding or a drift that is not
accepted, or audit functions that differ from the repository's; 2 the database could not be read.`;

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
