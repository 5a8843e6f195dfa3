import { ConfigError, loadArchiveConfig } from '../../config.ts';
import { archiveAuditLog } from '../archive/archive.ts';
import { verifyArchive } from '../archive/file.ts';
import { createLog } from '../../log.ts';
import { replaceControlCharacters } from '../../single-line.ts';
import { runCommand, parseWholeNumber } from './run-command.ts';

const command = {
  usage: `usage: npm run audit:archive -- --to FOLDER [--before YYYY-MM] [options]
       npm run audit:archive -- --verify FILE...
Writes each whole month of the audit log before a given month to a file in FOLDER, verifies the file, and records it in
audit.archives of the database at DATABASE_ADMIN_URL. You can repeat the command, even after an interrupted run.
  --before    archive the months before this one; default: months older than AUDIT_RETENTION_MONTHS (default 60)
  --remove    remove the archived months from the audit log, after their files were read and verified again
  --keep      number of whole months that always stay, 1 to 1200; default: 12, or the retention if it is shorter
  --verify    read files and compare them with their digests; needs no database
  --help, --version
Exit codes: 0 done; 1 refused or failed, see the message; 2 invalid argument or variable, nothing was done;
3 a lock was not available in time, try again later.`,
  allowPositionals: true,
  failureExitCode: 1,
  options: {
    before: { type: 'string' },
    to: { type: 'string' },
    keep: { type: 'string' },
    remove: { type: 'boolean', default: false },
    verify: { type: 'boolean', default: false },
  },
} as const;

await runCommand(command, async ({ values, positionals }) => {
  const { before, to: folder, remove, verify } = values;
  if (verify) {
    if (positionals.length === 0) throw new ConfigError('--verify needs the names of the files');
    for (const path of positionals) {
      const { month, records, digest } = await verifyArchive(path);
      const text = `${path}: ${month}, ${records} records, digest ${digest}`;
      process.stdout.write(`${replaceControlCharacters(text)}\n`);
    }
    return;
  }
  if (positionals.length > 0) throw new ConfigError(`${positionals.join(' ')} is no option; see --help`);
  if (before !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(before))
    throw new ConfigError('--before must be a month, as 2025-01');
  if (folder === undefined || folder === '') throw new ConfigError('--to must be a folder');
  const { databaseAdminUrl: adminUrl, retentionMonths } = loadArchiveConfig(process.env);
  const keep =
    values.keep === undefined ? Math.min(12, retentionMonths) : parseWholeNumber('keep', values.keep, 'months', 1_200);
  await archiveAuditLog({ adminUrl, before, retentionMonths, folder, remove, keep, log: createLog('info') });
});
