import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { renderHtml } from '../../src/db/audit/html.ts';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import { durabilityFindings } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { createScratchFolder } from '../support/scratch.ts';

const COMMAND = fileURLToPath(new URL('../../src/commands/db-audit.ts', import.meta.url));

interface Ending {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `npm run db:audit`, in a process of its own. */
function audit(url: string, ...args: string[]): Promise<Ending> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], DATABASE_ADMIN_URL: url };
    execFile(process.execPath, [COMMAND, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

describe('npm run db:audit', () => {
  let database: TestDatabase;
  let folder: string;
  /** What is wrong with the server itself, and how a command ends that finds nothing else. */
  let ofServer: readonly Found[];
  let well: 0 | 1;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await createScratchFolder();
    ofServer = await withAdmin(database.adminUrl, durabilityFindings);
    well = ofServer.length === 0 ? 0 : 1;
  });

  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  test('prints the matrix of a sound database and ends well', async () => {
    const { code, out, err } = await audit(database.adminUrl);
    expect([code, err]).toEqual([well, '']);
    // owner, definer, api, admin, scoped admin, account manager, tax specialist, client, reporting, reporting all, auditor
    expect(out).toMatch(
      /^public\.sites +···· +-R-- +---- +CRUD +crud +crud +cru- +-r-- +-r-- +---- +---- +----$/m,
    );
    const findings = [...out.matchAll(/^ *(?:ERROR|WARNING) (\w+): (\w+)$/gm)];
    expect(findings.map(([, finding, object]) => ({ finding, object }))).toEqual(ofServer);
    expect(out).toContain('No drift');
  });

  test('shows what somebody broke, in the matrix too, and fails until it is mended', async () => {
    const sql = (text: string): Promise<unknown> =>
      withAdmin(database.adminUrl, (admin) => admin.query(text));
    await sql('alter table public.sites disable row level security');
    const file = join(folder, 'broken.html');
    const { code, out } = await audit(database.adminUrl, '--html', file);
    await sql('alter table public.sites enable row level security');
    expect(code).toBe(1);
    expect(out).toMatch(/^public\.sites .* -R-- /m);
    expect(out).toContain('ERROR rls_disabled: public.sites');
    expect(out).toContain('→ alter table public.sites enable row level security;');
    expect(out).toContain('row security OFF');
    const html = await readFile(file, 'utf8');
    expect(html).toContain('row-level security is off');
    const mended = await audit(database.adminUrl);
    expect(mended.code).toBe(well);
    expect(mended.out).not.toContain('rls_disabled');
  });

  test('writes a page that needs nothing from elsewhere, with every policy behind its square', async () => {
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

  test('writes whatever a name or an expression says as text, and never as a part of the page', () => {
    const hostile = (where: string): string => `<${where} title="x">&`;
    const row = { role: 'taxclaims_client', granted: true, columns: hostile('columns'), isView: false };
    const rules = { policies: hostile('policies'), using: hostile('using'), check: hostile('check') };
    const html = renderHtml({
      database: hostile('database'),
      server: hostile('server'),
      matrix: [
        { ...row, ...rules, object: hostile('table'), command: 'SELECT' },
        { ...row, ...rules, role: hostile('role'), object: hostile('function'), command: 'EXECUTE' },
      ],
      findings: [
        {
          ...{ level: hostile('level'), finding: hostile('finding'), object: hostile('object') },
          ...{ detail: hostile('detail'), remedy: hostile('remedy') },
        },
      ],
      drift: [
        {
          ...{ kind: hostile('kind'), object: hostile('drifted'), change: hostile('change') },
          ...{ applied: hostile('applied'), present: hostile('present') },
        },
      ],
    });
    const places = [
      ...['database', 'server', 'columns', 'policies', 'using', 'check', 'table', 'function', 'role'],
      ...[
        'level',
        'finding',
        'object',
        'detail',
        'remedy',
        'kind',
        'drifted',
        'change',
        'applied',
        'present',
      ],
    ];
    for (const where of places) {
      expect(html).toContain(`&lt;${where} title=&quot;x&quot;&gt;&amp;`);
      expect(html).not.toContain(hostile(where));
    }
    expect(html).not.toMatch(/title="x"|&(?!lt;|gt;|quot;|amp;)/);
  });

  test.each([
    ['a database that cannot be reached', 'postgres://nobody@127.0.0.1:1/none', /ECONNREFUSED/],
    ['no address', '', /DATABASE_ADMIN_URL must be set/],
  ])('ends with 2 and one line for %s', async (_what, url, message) => {
    const { code, err } = await audit(url);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
