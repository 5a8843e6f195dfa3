import { beforeEach, expect, test } from '@jest/globals';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';
import { connected } from '../support/database.ts';

/*
 * These tests read sites like a program that keeps its own copy of them: first all pages sorted by updated_at, and
 * later only the sites that have changed.
 */

interface Site {
  readonly id: string;
  readonly site_name: string;
  readonly updated_at: string;
}

let client: string;
let token: string;
let ids: string[];

const service = await forSuite(startService());

beforeEach(async () => {
  client = (await service.tenant('Boulangerie Martin')).clients;
  token = await service.token('ACCOUNT_MANAGER', [client]);
  const rows = await service.sql`insert into public.sites (client_id, site_name) select ${client}, 'Site ' || n
    from generate_series(1, 30) as n returning id`;
  ids = rows.map(({ id }) => String(id));
});

const rename = (id: string, site_name: string) => service.ask(`PUT /api/sites/${id}`, { token, body: { site_name } });

/** Reads all pages of the sites sorted by updated_at, and runs `meanwhile` between two pages. */
async function readAllPages(from?: string, meanwhile?: (page: readonly Site[]) => Promise<unknown>): Promise<Site[]> {
  const readSites: Site[] = [];
  const since = from === undefined ? '' : `&updated_from=${from}`;
  let next: string | undefined = `/api/sites?sort=updated_at&limit=4${since}`;
  while (next !== undefined) {
    const { json, headers } = await service.ask(`GET ${next}`, { token });
    const page = json as Site[];
    readSites.push(...page);
    next = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
    if (next !== undefined) await meanwhile?.(page);
  }
  return readSites;
}

const lastChangeOf = (sites: readonly Site[]) =>
  sites
    .map(({ updated_at }) => updated_at)
    .toSorted()
    .at(-1) ?? '';

/**
 * True if every stored site is older than all open transactions, even those of other test suites, because each open
 * transaction could still change a site.
 */
async function isOlderThanAllTransactions(): Promise<boolean> {
  const [row] =
    await service.sql`select bool_and(age(s.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) as "isSo"
   from public.sites as s where s.id = any (${ids})`;
  return row?.['isSo'] === true;
}

test('a program that reads all pages of sites sorted by updated_at gets every site in its last state, although other callers change sites meanwhile', async () => {
  let turn = 0;
  const readSites = await readAllPages(undefined, async (page) => {
    turn += 1;
    // During the reading, the test changes one site that the program has already read, and one that it has not read
    // yet.
    if (turn <= 6) await Promise.all([rename(page[0]?.id ?? '', 'again'), rename(ids[29 - turn] ?? '', 'early')]);
  });
  const last = new Map(readSites.map((site) => [site.id, site.site_name]));
  const stored = await service.admin('select id, site_name from public.sites where id = any ($1)', [ids]);
  expect(stored).toHaveLength(ids.length);
  for (const { id, site_name } of stored) expect(last.get(String(id))).toBe(site_name);
});

test('a program that reads changes with the filter updated_from also gets a change that was committed late and has an earlier date', async () => {
  const [late = '', after = ''] = ids;
  const writer = await connected(service.postgres.adminUrl);
  try {
    await until(isOlderThanAllTransactions);
    await writer.query('begin');
    await writer.query(`update public.sites set site_name = 'late' where id = $1`, [late]);
    await rename(after, 'after');
    const first = await readAllPages();
    expect(first.find(({ id }) => id === late)?.site_name).not.toBe('late');
    const from = lastChangeOf(first);
    await writer.query('commit');
    const second = await readAllPages(from);
    expect(second).toContainEqual(expect.objectContaining({ id: late, site_name: 'late' }));
    // The change was committed late. Its date is earlier than the end of the first reading, which could not see it.
    expect(second.find(({ id }) => id === late)?.updated_at.localeCompare(from)).toBe(-1);
    expect(second.length).toBeLessThan(5);
  } finally {
    await writer.end();
  }
});
