import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { allEndpoints } from '../../src/resources/index.ts';
import { expectError, expectInvalid, startService } from '../support/service.ts';
import type { Answer } from '../support/http.ts';
import type { Tenant } from '../support/tenant.ts';
import { ROWS } from './access.ts';
import { giveTo } from './situations.ts';
import type { Row } from './access.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests ETag, If-Match and If-None-Match of every resource that can be changed. */

let tenant: Tenant;
let token: string;

const service = await forSuite(startService());

const existing = new Set(allEndpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
const changes = ROWS.filter(({ line, body }) => line.startsWith('PUT') && body !== undefined && existing.has(line));

describe.each(changes.map((row) => [row.line.slice('PUT '.length), row] as const))('ETags of %s', (url, row: Row) => {
  const [kind] = Object.values(row.ids ?? {});
  let path: string;

  beforeEach(async () => {
    tenant = await service.furnishedTenant('Boulangerie Martin');
    token = await service.token('ADMIN', [tenant.clients]);
    await giveTo(service, 'ADMIN', row, tenant);
    path = row.line.replace('PUT ', '').replace(/\{\w+\}/, kind === undefined ? '' : tenant[kind]);
  });

  const read = (headers = {}): Promise<Answer> => service.ask(`GET ${path}`, { token, headers });
  const change = (headers = {}): Promise<Answer> =>
    service.ask(`PUT ${path}`, { token, headers, body: row.body?.(tenant) ?? {} });
  const tag = async (): Promise<string> => (await read()).headers.etag ?? '';

  test(`of 20 simultaneous PUT ${url} with one ETag exactly one succeeds, and all others get 412`, async () => {
    const headers = { 'if-match': await tag() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => change(headers)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectError(answer, 'ERROR_PRECONDITION_FAILED');
    expect(won[0]?.headers.etag).not.toBe(headers['if-match']);
    expect(await tag()).toBe(won[0]?.headers.etag);
    const records = await service.sql`select from public.audit_logs
        where success and request_id = any (${answers.map((answer) => answer.headers['x-request-id'])})`;
    expect(records).toHaveLength(1);
  });

  test(`PUT ${url} with a changed field gives the record a new ETag, in a later millisecond`, async () => {
    const [before, answer] = [await read(), await change()];
    expect(answer.headers.etag).not.toBe(before.headers.etag);
    const [earlier, later] = [before, answer].map(({ json }) => (json as Record<string, string>)['updated_at'] ?? '');
    expect([later, new Date(later ?? '').toISOString() > new Date(earlier ?? '').toISOString()]).toEqual([later, true]);
  });

  test(`PUT ${url} with what GET returned changes nothing: no ETag, no updated_at, no audit record`, async () => {
    await change();
    const before = await read();
    for (const body of [before.json as object, before.json as object, {}]) {
      const answer = await service.ask(`PUT ${path}`, { token, body });
      expect([answer.status, answer.headers.etag, answer.json]).toEqual([200, before.headers.etag, before.json]);
      expect(
        await service.sql`select from public.audit_logs where request_id = ${answer.headers['x-request-id']}`,
      ).toEqual([]);
    }
    expect((await read()).headers.etag).toBe(before.headers.etag);
  });

  test(`GET ${url} with the present ETag in If-None-Match gets 304 without a body`, async () => {
    const etag = await tag();
    for (const header of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
      const answer = await read({ 'if-none-match': header });
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await read({ 'if-none-match': '"other"' })).status).toBe(200);
    await change();
    expect((await read({ 'if-none-match': etag })).status).toBe(200);
  });

  test(`PUT ${url} succeeds if If-Match is missing, is *, or lists the present ETag as strong or weak`, async () => {
    for (const header of [
      (tag: string) => tag,
      (tag: string) => `W/${tag}`,
      (tag: string) => `"other" , ${tag}`,
      () => '*',
    ])
      expect((await change({ 'if-match': header(await tag()) })).status).toBe(200);
    expect((await change()).status).toBe(200);
  });

  test(`PUT ${url} with a strong or weak ETag of another version in If-Match gets 412`, async () => {
    const etag = await tag();
    for (const header of ['"other"', 'W/"other"', '""', `"${etag.replaceAll('"', '')}x"`])
      expectError(await change({ 'if-match': header }), 'ERROR_PRECONDITION_FAILED');
    expect(await tag()).toBe(etag);
  });

  test.each(['other', '"', '"a" "b"', '*, "a"', '"a",', "'a'", 'w/"a"', ''])(
    `a request to ${url} with the malformed If-Match or If-None-Match %s is refused`,
    async (header) => {
      expectInvalid(await change({ 'if-match': header }), ['If-Match']);
      expectError(await read({ 'if-none-match': header }), 'ERROR_VALIDATION');
    },
  );

  test(`PUT ${url} with another tenant’s record and a wrong ETag gets 403, not 412`, async () => {
    const foreign = await service.furnishedTenant('Garage Dupont');
    const foreignPath = path.replace(kind === undefined ? '' : tenant[kind], kind === undefined ? '' : foreign[kind]);
    const body = row.body?.(foreign) ?? {};
    const answer = await service.ask(`PUT ${foreignPath}`, { token, headers: { 'if-match': '"other"' }, body });
    expectError(answer, 'ERROR_FORBIDDEN');
  });

  if (!existing.has(row.line.replace('PUT', 'DELETE'))) return;

  test(`DELETE ${url} succeeds only with the present ETag in If-Match`, async () => {
    const remove = (header: string): Promise<Answer> =>
      service.ask(`DELETE ${path}`, { token, headers: { 'if-match': header } });
    const before = await tag();
    await change();
    for (const header of [before, `W/${before}`, '"other"'])
      expectError(await remove(header), 'ERROR_PRECONDITION_FAILED');
    expect((await read()).status).toBe(200);
    const present = await tag();
    const answers = await Promise.all([remove(present), remove(`W/${present}`), remove(present)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
    expect((await read()).status).toBe(404);
  });
});

test.each([
  'POST /api/reclamations/changes',
  'POST /api/sites',
  `POST /api/users/${randomUUID()}/erasure`,
  'PUT /api/users/me/password',
  'PUT /api/users/me/reminders',
])('the endpoint %s refuses the header If-Match with 400, because that endpoint compares no version', async (line) => {
  const token = await service.token('ADMIN');
  for (const tag of ['"1"', '*'])
    expectInvalid(await service.ask(line, { token, headers: { 'if-match': tag }, body: {} }), ['If-Match']);
});
