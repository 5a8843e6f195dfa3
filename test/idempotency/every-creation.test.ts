import { expect, test } from '@jest/globals';
import { createsRecord } from '../../src/http/endpoint.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { ROWS } from '../resources/access.ts';
import type { Row } from '../resources/access.ts';
import { CASTS, fill, questionOf, rightOf } from '../resources/situations.ts';
import type { Cast } from '../resources/situations.ts';
import type { Answer, Question } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import { countOf, newKey, partsOf, withKey } from './keyed.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests repeat a request with the same Idempotency-Key. They try every endpoint that creates a record, as every
 * kind of caller with the right to it.
 */

const lineOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

const CREATIONS = allEndpoints.filter(createsRecord).map(lineOf);

/**
 * The HTTP status with which an endpoint answers a creation, and the number of rows that the creation adds. A bulk
 * change can be repeated like a creation, and adds no row.
 */
const madeBy = ({ changes }: Row): readonly [status: number, rows: number] => (changes ? [200, 0] : [201, 1]);

/** The POST endpoints whose repetition does not create a second record, so that they need no Idempotency-Key. */
const NO_CREATION: readonly string[] = [
  'POST /api/auth/login',
  'POST /api/documents/{id}/link',
  'POST /api/users/me/calendar',
  'POST /api/users/{id}/erasure',
];

const rows = CREATIONS.map((line): Row => {
  const row = ROWS.find((one) => one.line === line);
  if (row === undefined) throw new Error(`${line} has no row in test/resources/access.ts`);
  return row;
});
const cases = rows.flatMap((row) =>
  CASTS.filter((cast) => rightOf(row, cast) === 'yes').map((cast) => [row.line, cast.name, row, cast] as const),
);

const service = await forSuite(startService());

interface Prepared {
  readonly line: string;
  readonly question: Question;
  readonly table: string;
}

/** Prepares a creation request of a caller with a new tenant. */
async function prepare(row: Row, { role, isUnlimited }: Cast): Promise<Prepared> {
  const own = await service.furnishedTenant('Boulangerie Martin');
  const token = await service.token(role, isUnlimited ? [] : [own.clients]);
  return {
    line: fill(row, own),
    question: { ...questionOf(row, own), token },
    table: `public.${row.right[0] === 'everyone' ? row.right[1] : row.right[0]}`,
  };
}

/** Returns the same request with another body: other bytes of the same JSON, or another content of an uploaded file. */
function otherwise({ body, ...question }: Question): Question {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    ...question,
    body: /^[{[]/.test(text) ? ` ${text}` : text.replace('\r\n\r\nAvis', '\r\n\r\nAutre'),
  };
}

async function recordsOf(answer: Answer): Promise<number> {
  const records = await service.sql`select from public.audit_logs
    where request_id = ${answer.headers['x-request-id']}`;
  return records.length;
}

test('every POST endpoint is tested with an Idempotency-Key, or is listed as an endpoint that creates no record', () => {
  const posts = allEndpoints.filter(({ method }) => method === 'post').map(lineOf);
  expect(posts.toSorted()).toEqual([...CREATIONS, ...NO_CREATION].toSorted());
  expect(CREATIONS.length).toBeGreaterThan(8);
});

test.each(cases)(
  'a repetition of the request %s by %s with the same Idempotency-Key gets the same answer and creates nothing',
  async (_line, _cast, row, cast) => {
    const { line, question, table } = await prepare(row, cast);
    const keyed = withKey(newKey(), question);
    const before = await countOf(service, table);
    const [status, rows] = madeBy(row);
    const first = await service.ask(line, keyed);
    expect(first.status).toBe(status);
    const again = await service.ask(line, keyed);
    expect(partsOf(again)).toEqual(partsOf(first));
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await countOf(service, table)).toBe(before + rows);
    expect([await recordsOf(first), await recordsOf(again)]).toEqual([expect.any(Number), 0]);
    expect(await recordsOf(first)).toBeGreaterThan(0);
    const quoted = {
      ...keyed,
      headers: { ...keyed.headers, 'idempotency-key': `"${String(keyed.headers?.['idempotency-key'])}"` },
    };
    expect(partsOf(await service.ask(line, quoted))).toEqual(partsOf(first));
  },
);

test.each(rows.map((row) => [row.line, row] as const))(
  'a repetition of the request %s with the same Idempotency-Key and another body gets 409 and creates nothing',
  async (_line, row) => {
    const { line, question, table } = await prepare(row, CASTS[0] as Cast);
    const keyed = withKey(newKey(), question);
    const first = await service.ask(line, keyed);
    const before = await countOf(service, table);
    const refused = await service.ask(line, otherwise(keyed));
    expectError(refused, 'ERROR_CONFLICT');
    expect(details(refused)).toEqual({ 'Idempotency-Key': 'was used for another request' });
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(await countOf(service, table)).toBe(before);
    expect(partsOf(await service.ask(line, keyed))).toEqual(partsOf(first));
  },
);

test.each(rows.map((row) => [row.line, row] as const))(
  '20 simultaneous requests %s with one Idempotency-Key create only one record, and each request gets the answer with that record or 409',
  async (_line, row) => {
    const { line, question, table } = await prepare(row, CASTS[0] as Cast);
    const keyed = withKey(newKey(), question);
    const before = await countOf(service, table);
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.ask(line, keyed)));
    const [success, rows] = madeBy(row);
    expect(await countOf(service, table)).toBe(before + rows);
    const made = answers.filter(({ status }) => status === success);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map((answer) => JSON.stringify(partsOf(answer)))).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== success)) {
      expectError(answer, 'ERROR_CONFLICT');
      expect(details(answer)).toEqual({ 'Idempotency-Key': 'belongs to a request that is still running' });
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(partsOf(await service.ask(line, keyed))).toEqual(partsOf(made[0] as Answer));
  },
);
