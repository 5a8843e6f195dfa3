import type pg from 'pg';

/** Two columns of the view audit.findings, which lists problems of the database. */
export interface Found {
  readonly finding: string;
  readonly object: string;
}

/**
 * The problems that the view audit.findings reports about a server with fsync or a similar setting off. The tests run
 * on such a server.
 */
export async function durabilityFindings(admin: pg.Client): Promise<Found[]> {
  const found: Found[] = [];
  for (const object of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    const { rows } = await admin.query<Record<string, string>>(`show ${object}`);
    if (rows[0]?.[object] === 'off') found.push({ finding: 'durability_off', object });
  }
  return found;
}

/**
 * Returns the given rows of the view audit.findings, which lists problems of the database. Leaves out problems of the
 * test server’s settings, and of logins that other suites created on this server.
 * @throws Error if the given rows lack a problem of the server’s settings
 */
export async function findingsBeside<T extends Found>(admin: pg.Client, rows: readonly T[]): Promise<readonly T[]> {
  const isOf =
    ({ finding, object }: Found) =>
    (row: Found): boolean =>
      row.finding === finding && row.object === object;
  const expected = await durabilityFindings(admin);
  const missing = expected.filter((one) => !rows.some(isOf(one)));
  if (missing.length > 0) throw new Error(`audit.findings lacks: ${JSON.stringify(missing)}`);
  return rows.filter(
    (row) => !expected.some((one) => isOf(one)(row)) && !isOfAnotherSuite(row.object, String(admin.database)),
  );
}

/**
 * True if a row of the view audit.findings is about a login that another test suite created for its own database on the
 * same server.
 */
export function isOfAnotherSuite(object: string, database: string): boolean {
  return object.startsWith('taxclaims_run_') && !object.startsWith(database);
}
