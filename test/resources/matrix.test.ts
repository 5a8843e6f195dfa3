import { describe, expect, test } from '@jest/globals';
import { allEndpoints, authenticatedEndpoints } from '../../src/resources/index.ts';
import { connected } from '../support/database.ts';
import type { Answer, Question } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { newTenant } from '../support/tenant.ts';
import { OF_ONESELF, OPEN, RIGHTS, ROWS } from './access.ts';
import type { Row } from './access.ts';
import { CASTS, fill, giveTo, isWrite, rightOf, situationsOf } from './situations.ts';
import type { Cast, Situation, Verdict } from './situations.ts';
import { sampledByDay } from '../support/day.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite calls every endpoint with every role: with the caller’s own records, records of another tenant, unknown
 * records, malformed ids and malformed bodies. The expected outcomes come from access.ts alone, not from the endpoints.
 */

const existing = new Set(allEndpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
const whole = ROWS.flatMap((row) =>
  CASTS.flatMap((cast) => situationsOf(row, cast).map((situation) => ({ row, cast, situation }))),
);
const drawn = sampledByDay(whole);

const service = await forSuite(startService());
const admin = await forSuite(connected(service.postgres.adminUrl));
const own = await service.furnishedTenant('Boulangerie Martin');
const foreign = await service.furnishedTenant('Boulangerie Martin');
// Inserts for each tenant a claim that has a deadline in a few days, so that GET /api/deadlines lists it.
for (const { clients, sites } of [own, foreign])
  await admin.query(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, status, submitted_at)
       values ($1, $2, 'TF', 1, 'SUBMITTED', now() - interval '6 months' + interval '5 days')`,
    [clients, sites],
  );
// Changes each record of the test’s tenant once, so that GET …/changes of each record has an entry.
for (const row of ROWS)
  if (row.line.startsWith('PUT') && row.body !== undefined) {
    await giveTo(service, 'ADMIN', row, own);
    expect(
      (await service.ask(fill(row, own), { body: row.body(own), token: await service.token('ADMIN') })).status,
    ).toBe(200);
  }
await admin.query(`update public.users set name = 'Ada' where id = $1`, [own.users]);
const digest = await digestQuery();

/**
 * An SQL query whose result changes after every insert, update or delete outside the audit log. Each write gives its
 * row a higher transaction id (xmin), so two writes cannot cancel each other out.
 */
async function digestQuery(): Promise<string> {
  const { rows: tables } = await admin.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'audit_logs' order by 1`,
  );
  return tables
    .map(({ name }) => `select '${name}', count(*), sum(xmin::text::bigint) from ${name}`)
    .join(' union all ');
}

async function stored(): Promise<unknown> {
  return (await admin.query(digest)).rows;
}

test('the test’s digest of all stored rows changes after every insert, update and delete, even after an update that changes no value', async () => {
  const { clients, sites } = await service.furnishedTenant('Boulangerie Martin');
  const states = [JSON.stringify(await stored())];
  for (const sql of [
    `insert into public.sites (client_id, site_name) values ('${clients}', 'Annexe')`,
    `update public.sites set site_name = site_name where id = '${sites}'`,
    `delete from public.sites where client_id = '${clients}' and site_name = 'Annexe'`,
  ]) {
    await admin.query(sql);
    states.push(JSON.stringify(await stored()));
  }
  expect(new Set(states).size).toBe(states.length);
});

async function recordsOf(answer: Answer): Promise<Record<string, unknown>[]> {
  const id = answer.headers['x-request-id'];
  return (await admin.query<Record<string, unknown>>('select * from public.audit_logs where request_id = $1', [id]))
    .rows;
}

function tokenOf({ role, isUnlimited }: Cast, ...clients: readonly string[]): Promise<string> {
  return service.token(role, isUnlimited ? [] : clients);
}

/** Returns the resource_type that the audit record of a refused request to an endpoint must have. */
function tableOf(row: Row): string {
  const [kind] = Object.values(row.ids ?? {});
  if (kind !== undefined) return kind === 'newcomer' ? 'users' : kind;
  return row.right[0] === 'everyone' ? row.right[1] : row.right[0];
}

async function expectSituation(row: Row, cast: Cast, situation: Situation): Promise<void> {
  const mine = situation.writes ? await service.furnishedTenant('Boulangerie Martin') : own;
  if (mine !== own) await giveTo(service, cast.role, row, mine);
  const { line, question, verdict } = situation.request(mine, foreign);
  const token = await tokenOf(cast, mine.clients);
  const before = { stored: await stored(), runs: service.runs };
  const answer = await service.ask(line, { ...question, token });
  const records = await recordsOf(answer);
  if (verdict.is === 'success') {
    await expectSuccess(row, cast, line, answer, verdict.of ?? mine);
    expect(records.map(({ success }) => success)).not.toContain(false);
    if (isWrite(row)) expectWriteRecord(row, line, answer, records, mine);
    else expect([records, await stored()]).toEqual([[], before.stored]);
    return;
  }
  expectVerdict(verdict, answer);
  expect(await stored()).toEqual(before.stored);
  if (verdict.is === 'refused') {
    expect(records).toEqual([
      expect.objectContaining({
        success: false,
        actor: `idp|${cast.role}`,
        action: line.replace(/\?.*/, '').slice(0, 100),
        resource_type: tableOf(row),
        resource_id: verdict.id,
        client_context: verdict.client,
      }),
    ]);
    if (verdict.early) expect(service.runs).toBe(before.runs);
  } else {
    expect(records).toHaveLength(answer.status === 403 ? 1 : 0);
  }
}

async function expectUnauthorized(line: string, question?: Question): Promise<void> {
  const before = { stored: await stored(), runs: service.runs };
  const answer = await service.ask(line, question);
  expectError(answer, 'ERROR_UNAUTHORIZED');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(await recordsOf(answer)).toEqual([
    expect.objectContaining({ success: false, actor: 'anonymous', action: line.slice(0, 100) }),
  ]);
  expect([await stored(), service.runs]).toEqual([before.stored, before.runs]);
}

function expectVerdict(verdict: Exclude<Verdict, { is: 'success' }>, answer: Answer): void {
  if (answer.text === '' && answer.status >= 400) {
    // A response to a HEAD request has no body, so only the status shows that the request was refused.
    expect([verdict.is, answer.status]).toEqual(['refused', 403]);
    return;
  }
  switch (verdict.is) {
    case 'refused':
      expectError(answer, 'ERROR_FORBIDDEN');
      break;
    case 'absent':
      expectError(answer, 'ERROR_NOT_FOUND');
      break;
    case 'conflict':
      expectError(answer, 'ERROR_CONFLICT');
      break;
    case 'invalid':
      expectError(answer, 'ERROR_VALIDATION');
      expect(Object.keys(details(answer) as object)).toEqual(verdict.fields);
      break;
    case 'out of reach':
      expect(verdict.isForeign ? [403] : [403, 404, 409]).toContain(answer.status);
  }
}

const STATUSES: Readonly<Record<string, number>> = { GET: 200, HEAD: 200, POST: 201, PUT: 200, DELETE: 204 };

async function expectSuccess(
  row: Row,
  cast: Cast,
  line: string,
  answer: Answer,
  mine: Tenant | 'nobody',
): Promise<void> {
  const [method = ''] = line.split(' ');
  const isRecord = row.untagged !== true && /[PU]|\}$/.test(row.line) && method !== 'DELETE';
  const status = row.erases ? 204 : STATUSES[method];
  expect(answer.status).toBe(row.changes === true || row.writesNothing === true ? 200 : status);
  const isOfEverybody = ['description', 'words'].includes(row.right[1]);
  expect(answer.headers['cache-control']).toBe(isOfEverybody ? 'private, no-cache' : 'no-store');
  if (isRecord) expect(answer.headers.etag).toMatch(/^"[^"]+"$/);
  if (!cast.isUnlimited && row.right[1] !== 'description') expect(answer.text).not.toContain(foreign.clients);
  if (row.right[1] !== 'description') {
    expect(answer.text).not.toMatch(/"(?:password|password_hash|subject)":/);
    expect(answer.text).not.toMatch(/"file_path":"(?!\/api\/documents\/[0-9a-f-]{36}\/content")/);
  }
  if (method === 'HEAD') expect(answer.text).toBe('');
  if (method === 'GET' && Array.isArray(answer.json)) expectOwn(row, cast, answer.json as { id: string }[], mine);
  if (method === 'POST' && isWrite(row) && !row.changes && !row.erases && mine !== 'nobody')
    await expectLocation(row, cast, answer, mine);
}

/** Expects a list to contain the record of the caller’s client, which proves that the list is not just empty. */
function expectOwn(row: Row, cast: Cast, list: { id: string }[], mine: Tenant | 'nobody'): void {
  // If a list fills its first page, the expected record is possibly on a later page. The test then filters the list by
  // one client, because the records of one client never fill a page.
  if (list.length === 1000) return;
  if (mine === 'nobody' || rightOf(row, cast) === 'self') {
    expect(list).toEqual([]);
    return;
  }
  if (row.line.endsWith('/changes')) {
    expect(list).toContainEqual(expect.objectContaining({ user: null, at: expect.any(String) as unknown }));
    return;
  }
  if (row.line.endsWith('/moves')) {
    // This suite tests only whether GET …/moves lists a status change at all; possible-moves.test.ts tests which ones.
    expect(list.length > 0).toBe(RIGHTS[row.right[0] as keyof typeof RIGHTS][cast.role].includes('u'));
    return;
  }
  if (row.shows !== undefined) {
    expect(list).toContainEqual(expect.objectContaining(row.shows(mine)));
    return;
  }
  const kind = row.line.endsWith('/history') ? 'reclamation_history' : (row.right[0] as keyof Tenant);
  expect(list.map(({ id }) => id)).toContain(mine[kind]);
}

/** Expects that the caller who created a record can read it at the address in the Location header. */
async function expectLocation(row: Row, cast: Cast, answer: Answer, mine: Tenant): Promise<void> {
  const id = idOfMade(answer);
  expect(answer.headers.location).toMatch(new RegExp(`^/api/[a-z-]+/${id}$`));
  const token = await tokenOf(cast, mine.clients, ...(row.right[0] === 'clients' ? [id] : []));
  const read = await service.ask(`GET ${answer.headers.location ?? ''}`, { token });
  if (row.many) {
    expect([read.status, read.json]).toEqual([200, expect.objectContaining({ id })]);
    return;
  }
  expect([read.status, read.json]).toEqual([200, answer.json]);
  expect(read.headers.etag).toBe(answer.headers.etag);
}

/** Returns the id of the record that a POST created, or of the first of several created records. */
function idOfMade({ json }: Answer): string {
  const { id, ids } = json as { id?: string; ids?: readonly string[] };
  return id ?? ids?.[0] ?? '';
}

/**
 * Expects one audit record of a successful write, besides the audit records of other tables that the endpoint also
 * writes.
 */
function expectWriteRecord(
  row: Row,
  line: string,
  answer: Answer,
  records: Record<string, unknown>[],
  mine: Tenant,
): void {
  const table = row.right[0];
  const [kind] = Object.values(row.ids ?? {});
  const isNew = line.startsWith('POST') && !row.changes && !row.erases;
  const of = row.changes ? (table as keyof Tenant) : kind;
  const id = isNew ? idOfMade(answer) : of === undefined ? null : mine[of];
  const along = (row.along ?? []) as unknown[];
  expect(records.filter((record) => !along.includes(record['resource_type']))).toEqual([
    expect.objectContaining({ action: line.slice(0, 100), resource_type: table, resource_id: id }),
  ]);
}

const OUTCOMES: Readonly<Record<Verdict['is'], string>> = {
  success: 'succeeds',
  refused: 'gets 403',
  absent: 'gets 404',
  conflict: 'gets 409',
  invalid: 'gets 400',
  'out of reach': 'gets 403, 404 or 409',
};

describe(`${drawn.length} of ${whole.length} requests: ${ROWS.length} endpoints, called by ${CASTS.length} kinds of callers`, () => {
  for (const row of ROWS) {
    const { line: endpoint } = row;
    describe(endpoint, () => {
      test.each([
        { sent: 'no token', token: undefined },
        { sent: 'no valid token', token: 'nonsense' },
      ])(
        `the request ${endpoint} with $sent gets a 401 and one audit record, and the service runs no query for it`,
        ({ token }) => {
          const [situation] = situationsOf(row, CASTS[0] as Cast);
          const { line, question } = (situation as Situation).request(own, foreign);
          return expectUnauthorized(line, token === undefined ? question : { ...question, token });
        },
      );

      for (const { cast, situation } of drawn.filter((one) => one.row === row)) {
        const { verdict } = situation.request(newTenant(), newTenant());
        const [caller, request, outcome] = [cast.name, `${row.line} ${situation.name}`, OUTCOMES[verdict.is]];
        test(`the caller ${caller} sends ${request}, and ${outcome}`, () => expectSituation(row, cast, situation));
      }
    });
  }
});

test.each(OF_ONESELF)(
  'the request %s without a token gets a 401 and one audit record, and the service runs no query for it',
  (line) => expectUnauthorized(line),
);

test('the table of rights in access.ts lists every endpoint of the service', () => {
  const named = new Set([...OPEN, ...OF_ONESELF, ...ROWS.map(({ line }) => line)]);
  expect([...existing].filter((line) => !named.has(line))).toEqual([]);
  expect(allEndpoints).toHaveLength(existing.size);
});

test('the table of rights in access.ts lists no endpoint that does not exist', () => {
  expect(ROWS.map(({ line }) => line).filter((line) => !existing.has(line))).toEqual([]);
});

test('the table of rights in access.ts allows every endpoint to at least one caller', () => {
  for (const row of ROWS) expect(CASTS.map((cast) => rightOf(row, cast))).toContain('yes');
});

describe.each(authenticatedEndpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  'the OpenAPI description of the endpoint %s',
  (_line, { params, query, body, path }) => {
    test(`the OpenAPI description of ${_line} has strict request schemas, and a schema for each placeholder of the path`, () => {
      for (const schema of [params, query, body].filter((part) => part !== undefined)) {
        expect(schema.safeParse({ surprise: 1 }).error?.issues).toContainEqual(
          expect.objectContaining({ code: 'unrecognized_keys', keys: ['surprise'] }),
        );
      }
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(params?.shape ?? {})).toEqual(placeholders);
    });
  },
);
