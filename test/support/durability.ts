import type pg from 'pg';

/** A row of `audit.findings`, as far as a test reads it. */
export interface Found {
  readonly finding: string;
  readonly object: string;
}

/** What the audit must find wrong with the server of the tests, which writes nothing for keeps. Another may have none. */
export async function durabilityFindings(admin: pg.Client): Promise<Found[]> {
  const found: Found[] = [];
  for (const object of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    const { rows } = await admin.query<Record<string, string>>(`show ${object}`);
    if (rows[0]?.[object] === 'off') found.push({ finding: 'durability_off', object });
  }
  return found;
}

/**
 * The findings beside those of the server, and without the logins of other suites, which are the server's too.
 * @throws when one of the server's is missing.
 */
export async function findingsBeside<T extends Found>(admin: pg.Client, rows: readonly T[]): Promise<readonly T[]> {
  const isOf =
    ({ finding, object }: Found) =>
    (row: Found): boolean =>
      row.finding === finding && row.object === object;
  const expected = await durabilityFindings(admin);
  const missing = expected.filter((one) => !rows.some(isOf(one)));
  if (missing.length > 0) throw new Error(`not found: ${JSON.stringify(missing)}`);
  return rows.filter(
    (row) => !expected.some((one) => isOf(one)(row)) && !isOfAnotherSuite(row.object, String(admin.database)),
  );
}

/** Whether an object has the name of a login that a suite on another database of this server made. */
export function isOfAnotherSuite(object: string, database: string): boolean {
  return object.startsWith('taxclaims_run_') && !object.startsWith(database);
}
