import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { renderAuditText } from '../../src/admin/audit/text.ts';
import { readAuditReport } from '../../src/admin/audit/read.ts';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { forSuite } from '../support/suite.ts';
import { openHome } from './homes.ts';

/* These tests deploy to a bought Postgres 15, the oldest release that the service supports and Debian installs. */

const home = await forSuite(openHome('rds', 'debian'));
await migrate({
  ...{ adminUrl: home.adminUrl, strict: true, acceptedHome: 'bought' },
  log: pino({ level: 'silent' }),
});

test('on Postgres 15 db:audit reads every part, and finds nothing that an administrator could mend', async () => {
  const report = await readAuditReport(home.adminUrl);
  const { server, isDriftRead, findings, ofProvider, drift, auditDifferences, accepted, matrix } = report;
  expect(server).toMatch(/^15\./);
  expect([isDriftRead, findings, ofProvider, drift, auditDifferences]).toEqual([true, [], [], [], []]);
  expect(accepted.map(({ what }) => what)).toEqual(['home']);
  expect(matrix.length).toBeGreaterThan(100);
  // Each accepted finding has a line of its own.
  expect(renderAuditText(report)).toMatch(
    /^ {6}error: login_reaches_privilege postgres: .*\n {6}error: server_function_open /m,
  );
});
