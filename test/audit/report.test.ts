import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import { durabilityFindings, isOfAnotherSuite } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { audit } from './command.ts';

describe('npm run db:audit', () => {
  let database: TestDatabase;
  /** What is wrong with the server itself, and how a command ends that finds nothing else. */
  let ofServer: readonly Found[];
  let well: 0 | 1;

  beforeAll(async () => {
    database = await createTestDatabase();
    ofServer = await withAdmin(database.adminUrl, durabilityFindings);
    well = ofServer.length === 0 ? 0 : 1;
  });

  afterAll(async () => {
    await database.close();
  });

  test('prints the matrix of a sound database and ends well', async () => {
    const { code, out, err } = await audit(database.adminUrl);
    expect([code, err]).toEqual([well, '']);
    // owner, definer, api, admin, scoped admin, account manager, tax specialist, client, reporting, reporting all, auditor,
    // identity provider
    expect(out).toMatch(
      /^public\.sites +···· +-R-- +---- +---- +CRUD +crud +crud +cru- +-r-- +-r-- +---- +---- +----$/m,
    );
    const findings = [...out.matchAll(/^ *(?:ERROR|WARNING) (\w+): (\w+)$/gm)]
      .map(([, finding = '', object = '']) => ({ finding, object }))
      .filter(({ object }) => !isOfAnotherSuite(object, database.name));
    expect(findings).toEqual(ofServer);
    expect(out).toContain('No drift');
  });

  test('shows what somebody broke, in the matrix too, and fails until it is mended', async () => {
    const sql = (text: string): Promise<unknown> =>
      withAdmin(database.adminUrl, (admin) => admin.query(text));
    await sql('alter table public.sites disable row level security');
    const { code, out } = await audit(database.adminUrl);
    await sql('alter table public.sites enable row level security');
    expect(code).toBe(1);
    expect(out).toMatch(/^public\.sites .* -R-- /m);
    expect(out).toContain('ERROR rls_disabled: public.sites');
    expect(out).toContain('→ alter table public.sites enable row level security;');
    expect(out).toMatch(/^    - .*; relrowsecurity\n    \+ .*relowner taxclaims_owner$/m);
    const mended = await audit(database.adminUrl);
    expect(mended.code).toBe(well);
    expect(mended.out).not.toContain('rls_disabled');
  });

  test('lists what was accepted with its reason, and fails for nothing of it', async () => {
    const sql = (text: string): Promise<unknown> =>
      withAdmin(database.adminUrl, (admin) => admin.query(text));
    await sql(`
      alter table public.sites no force row level security;
      select audit.accept('rls_not_forced', 'public.sites', 'while the copy is made');
      select audit.accept('table', 'public.sites', 'while the copy is made')`);
    const accepted = await audit(database.adminUrl);
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
    expect(accepted.out).not.toContain('no longer there');
    expect(gone.out.match(/no longer there/g)).toHaveLength(2);
    expect((await audit(database.adminUrl)).out).not.toMatch(/^\d+ acceptances/m);
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
