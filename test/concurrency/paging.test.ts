import { beforeEach, expect, test } from '@jest/globals';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';
import { connected } from '../support/database.ts';

/* What a client that keeps a copy needs: a walk in the order of change that misses nothing. */

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

/** Every record along `next`, in the order of change; between two pages others do what they do. */
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

const highest = (sites: readonly Site[]) =>
  sites
    .map((site) => site.updated_at)
    .toSorted()
    .at(-1) ?? '';

/** Whether the sites are older than every transaction under way: another suite's counts as one that may change them. */
async function isOlderThanAllTransactions(): Promise<boolean> {
  const [row] =
    await service.sql`select bool_and(age(s.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) as "isSo"
   from public.sites as s where s.id = any (${ids})`;
  return row?.['isSo'] === true;
}

test('a walk by updated_at meets every record at least once, whatever changes meanwhile', async () => {
  let turn = 0;
  const readSites = await readAllPages(undefined, async (page) => {
    turn += 1;
    // One that was met and one that is still to come, as long as the walk is in its first rows.
    if (turn <= 6) await Promise.all([rename(page[0]?.id ?? '', 'again'), rename(ids[29 - turn] ?? '', 'early')]);
  });
  expect(new Set(readSites.map(({ id }) => id)).size).toBeGreaterThanOrEqual(ids.length);
  for (const id of ids) expect(readSites.map((site) => site.id)).toContain(id);
  const last = new Map(readSites.map((site) => [site.id, site.site_name]));
  const stored = await service.admin('select id, site_name from public.sites where id = any ($1)', [ids]);
  for (const { id, site_name } of stored) expect(last.get(String(id))).toBe(site_name);
});

test('a change that was under way during a walk and came true after it is in the next one', async () => {
  const [late = '', after = ''] = ids;
  const writer = await connected(service.postgres.adminUrl);
  try {
    await until(isOlderThanAllTransactions);
    await writer.query('begin');
    await writer.query(`update public.sites set site_name = 'late' where id = $1`, [late]);
    await rename(after, 'after');
    const first = await readAllPages();
    expect(first.find(({ id }) => id === late)?.site_name).not.toBe('late');
    const from = highest(first);
    await writer.query('commit');
    const second = await readAllPages(from);
    expect(second).toContainEqual(expect.objectContaining({ id: late, site_name: 'late' }));
    // Dated before the end of the walk that could not see it.
    expect(second.find(({ id }) => id === late)?.updated_at.localeCompare(from)).toBe(-1);
    // What did not change does not come again.
    expect(second.length).toBeLessThan(5);
  } finally {
    await writer.end();
  }
});

test('a record that was made in a long transaction is in the next walk, too', async () => {
  const writer = await connected(service.postgres.adminUrl);
  try {
    await writer.query('begin');
    const { rows } = await writer.query<{ id: string }>(
      `insert into public.sites (client_id, site_name) values ($1, 'long') returning id`,
      [client],
    );
    await rename(ids[0] ?? '', 'meanwhile');
    const from = highest(await readAllPages());
    await writer.query('commit');
    expect((await readAllPages(from)).map(({ id }) => id)).toContain(rows[0]?.id);
  } finally {
    await writer.end();
  }
});

test('in any other order updated_from and updated_to are times and nothing else', async () => {
  const [one = '', two = ''] = ids;
  await rename(one, 'one');
  const { updated_at: from } = (await rename(two, 'two')).json as Site;
  const list = async (query: string) =>
    ((await service.ask(`GET /api/sites?sort=site_name&${query}`, { token })).json as Site[]).map(({ id }) => id);
  expect(await list(`updated_from=${from}`)).toEqual([two]);
  expect(await list(`updated_to=${from}`)).toContain(one);
});

test('another tenant’s changes are in no walk', async () => {
  const foreign = await service.tenant('Garage Dupont');
  const from = highest(await readAllPages());
  await service.admin(`update public.sites set site_name = 'x' where id = $1`, [foreign.sites]);
  expect((await readAllPages(from)).map(({ id }) => id)).not.toContain(foreign.sites);
});
