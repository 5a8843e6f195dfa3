import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { renderAuditHtml } from '../../../src/admin/audit/html.ts';
import { asDatabase, createTestDatabase, withAdmin } from '../../support/database.ts';
import { durabilityFindings, isOfAnotherSuite } from '../../support/durability.ts';
import { folderForSuite, forSuite } from '../../support/suite.ts';
import { audit } from '../command.ts';

const database = await forSuite(createTestDatabase());
const folder = await folderForSuite();
/** Problems that the audit reports about the test server itself. Only without such problems can db:audit exit with 0. */
const ofServer = await withAdmin(database.adminUrl, durabilityFindings);
const well = ofServer.length === 0 ? 0 : 1;

const sql = (text: string): Promise<unknown> => withAdmin(database.adminUrl, (admin) => admin.query(text));

describe('npm run db:audit', () => {
  test('db:audit prints the rights of each role in a migrated database, and exits with 0', async () => {
    const { code, out, err } = await audit(database.adminUrl);
    expect([code, err]).toEqual([well, '']);
    // The printed table has one column for each role of the service, from taxclaims_owner to taxclaims_auditor.
    expect(out).toMatch(
      /^public\.sites +···· +-R-- +---- +---- +CRUD +crud +crud +cru- +-r-- +-r-- +---- +---- +----$/m,
    );
    const findings = [...out.matchAll(/^ *(?:ERROR|WARNING) (\w+): (\w+)$/gm)]
      .map(([, finding = '', object = '']) => ({ finding, object }))
      .filter(({ object }) => !isOfAnotherSuite(object, database.name));
    expect(findings).toEqual(ofServer);
    expect(out).toContain('No drift');
  });

  test('db:audit reports a table without row-level security, and exits with 1 until a DBA switches row-level security on again', async () => {
    await sql('alter table public.sites disable row level security');
    const file = join(folder, 'broken.html');
    const { code, out } = await audit(database.adminUrl, '--html', file);
    await sql('alter table public.sites enable row level security');
    expect(code).toBe(1);
    expect(out).toMatch(/^public\.sites .* -R-- /m);
    expect(out).toContain('ERROR rls_disabled: public.sites');
    expect(out).toContain('→ alter table public.sites enable row level security;');
    expect(out).toMatch(/^    - .*; relrowsecurity\n    \+ .*relowner taxclaims_owner$/m);
    const html = await readFile(file, 'utf8');
    expect(html).toContain('row-level security is off');
    const mended = await audit(database.adminUrl);
    expect(mended.code).toBe(well);
    expect(mended.out).not.toContain('rls_disabled');
  });

  test('db:audit lists the problems that a DBA accepted, each with the DBA’s reason, and exits with 0', async () => {
    await sql(`
      alter table public.sites no force row level security;
      select audit.accept('rls_not_forced', 'public.sites', 'while the copy is made');
      select audit.accept('table', 'public.sites', 'while the copy is made')`);
    const file = join(folder, 'accepted.html');
    const accepted = await audit(database.adminUrl, '--html', file);
    await sql('alter table public.sites force row level security');
    const gone = await audit(database.adminUrl);
    await sql(
      `select audit.withdraw('rls_not_forced', 'public.sites'); select audit.withdraw('table', 'public.sites')`,
    );
    expect(accepted.code).toBe(well);
    expect(accepted.out).toContain('No drift');
    expect(accepted.out).toMatch(
      /^2 acceptances:\n {2}rls_not_forced: public\.sites\n {6}error: row-level .*\n {6}accepted by postgres on \d{4}-\d\d-\d\d: while the copy is made\n {2}table: /m,
    );
    expect(accepted.out).not.toContain('no longer exists');
    expect(await readFile(file, 'utf8')).toContain('while the copy is made');
    expect(gone.out.match(/no longer exists/g)).toHaveLength(2);
    expect((await audit(database.adminUrl)).out).not.toMatch(/^\d+ acceptances/m);
  });

  test('db:audit --html writes a page with every row-level security policy, and the page loads nothing from another address', async () => {
    const file = join(folder, 'sound.html');
    await audit(database.adminUrl, '--html', file);
    const html = await readFile(file, 'utf8');
    for (const { finding, object } of ofServer) {
      expect(html).toContain(finding);
      expect(html).toContain(object);
    }
    expect(html).toMatch(well === 0 ? /No finding and no drift\./ : /findings, 0 drifts\./);
    expect(html).toContain('policy: sites_select_tenant');
    expect(html).not.toMatch(/(src|href)=|@import|url\(/);
  });

  test('db:audit --html escapes every name and expression of the database', () => {
    const hostile = (where: string): string => `<${where} title="x">&`;
    const row = { role: 'taxclaims_client', granted: true, columns: hostile('columns'), isView: false };
    const rules = { policies: hostile('policies'), using: hostile('using'), check: hostile('check') };
    const html = renderAuditHtml({
      database: hostile('database'),
      server: hostile('server'),
      matrix: [
        { ...row, ...rules, object: hostile('table'), command: 'SELECT' },
        { ...row, ...rules, role: hostile('role'), object: hostile('function'), command: 'EXECUTE' },
      ],
      findings: [
        {
          ...{ level: hostile('level'), finding: hostile('finding'), object: hostile('object') },
          ...{ detail: hostile('detail'), remedy: hostile('remedy'), who: 'dba' },
        },
      ],
      ofProvider: [
        {
          ...{ level: 'error', finding: 'server_function_open', object: hostile('weaker') },
          ...{ detail: hostile('weakness'), remedy: hostile('instead'), who: 'provider' },
        },
      ],
      drift: [
        {
          ...{ kind: hostile('kind'), object: hostile('drifted'), change: hostile('change') },
          ...{ applied: hostile('applied'), present: hostile('present') },
        },
      ],
      isDriftRead: true,
      auditDifferences: [hostile('blinded')],
      accepted: [
        {
          ...{ what: hostile('what'), object: hostile('accepted'), asItStood: hostile('as it stood') },
          ...{ reason: hostile('reason'), acceptedBy: hostile('by'), acceptedOn: hostile('on') },
          stillStands: true,
        },
      ],
    });
    const places =
      'database server columns policies using check table function role level finding object detail remedy kind drifted ' +
      'weaker weakness instead change applied present blinded what accepted reason by on';
    for (const where of [...places.split(' '), 'as it stood']) {
      expect(html).toContain(`&lt;${where} title=&quot;x&quot;&gt;&amp;`);
      expect(html).not.toContain(hostile(where));
    }
    expect(html).not.toMatch(/title="x"|&(?!lt;|gt;|quot;|amp;)/);
  });

  test.each([
    [
      'it cannot reach the database',
      () => 'postgres://nobody@127.0.0.1:1/none',
      /^no connection to the database at DATABASE_ADMIN_URL: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    ],
    ['no database address is set', () => '', /^DATABASE_ADMIN_URL must be set\n$/],
    [
      'nobody deployed to the database',
      (adminUrl: string) => asDatabase(adminUrl, 'postgres'),
      /^the database at DATABASE_ADMIN_URL has no audit: npm run db:migrate was not run there, or its schema audit is gone\n$/,
    ],
  ])('db:audit exits with 2 and prints one line if %s', async (_what, urlOf, message) => {
    const { code, err } = await audit(urlOf(database.adminUrl));
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
