import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readCode, readLine, readParagraphs } from '../../src/http/typed-text.ts';
import { foreignRowsSql } from '../support/tenant.ts';
import type { Answer } from '../support/http.ts';
import { startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { undescribedRules } from './refusals.ts';
import { anyRequest, CALLERS, OPERATIONS, writableFields } from './requests.ts';
import type { Caller, Request } from './requests.ts';
import { forSuite } from '../support/suite.ts';

/* This test generates random requests from the OpenAPI description. Each response must match the description. */

const REQUESTS = Number(process.env['PROPERTY_REQUESTS'] ?? 10_000);
const SEED = 20_260_101;
/** After this many requests the callers get a new tenant, because the requests also delete records. */
const TENANT_LASTS = 50;

let own: Tenant;

let tokens: Readonly<Partial<Record<Caller, string>>>;

const service = await forSuite(startService());
const foreign = await service.furnishedTenant('Garage Dupont');

async function renew(): Promise<void> {
  own = await service.furnishedTenant('Boulangerie Martin');
  const roles = CALLERS.filter((caller) => caller !== 'nobody');
  tokens = Object.fromEntries(
    await Promise.all(roles.map(async (role) => [role, await service.token(role, [own.clients])] as const)),
  );
}

/** Reads all rows of a tenant to which no caller of the generated requests has access. */
const foreignRows = (): Promise<unknown> => service.admin(foreignRowsSql(foreign));

function fillIds(text: string): string {
  const filled = text.replaceAll('<token>', tokens.CLIENT ?? '');
  return filled.replaceAll(/<(own|foreign)\.(\w+)>/g, (_name, whose: string, kind: string) => {
    const tenant = whose === 'own' ? own : foreign;
    return tenant[kind as keyof Tenant];
  });
}

/** Expects a response to contain every value that the request sent, without rounding or truncation. */
function expectSentValues({ operation, body = '{}' }: Request, { json }: Answer): void {
  const fields = writableFields(operation);
  // An upload’s body is a form without JSON fields, so nothing is compared.
  const sent = (fields.length === 0 ? {} : JSON.parse(fillIds(body))) as Record<string, unknown>;
  const kept = json as Record<string, unknown>;
  for (const field of fields) {
    // If a request sends null in a field, the database calculates the field’s value.
    if (sent[field] == null || !(field in kept)) continue;
    const value = operation.includes('/cadastres') ? asOnNotice(field, sent[field]) : sent[field];
    expect([operation, field, plain(value, kept[field])]).toEqual([operation, field, plain(kept[field])]);
  }
}

const PARCEL_LENGTHS: Readonly<Record<string, number>> = { prefix: 3, section: 2, number: 4 };

/** The service stores the parts of a parcel’s reference as a tax notice prints them. */
function asOnNotice(field: string, value: unknown): unknown {
  const length = PARCEL_LENGTHS[field];
  return length === undefined ? value : String(value).toUpperCase().padStart(length, '0');
}

/** Converts a sent value or a stored value to a form in which the two can be compared. */
function plain(value: unknown, like = value): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((one) => String(one).toLowerCase()))].toSorted();
  // The database stores minus zero as zero.
  if (typeof like === 'number') return Number(value) + 0;
  if (typeof value !== 'string') return value;
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return Date.parse(value);
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value.toLowerCase();
  // The service reads a text as people type it, and stores an empty one as null.
  return (
    [value, ...[readLine, readParagraphs, readCode].map((read) => read(value) || null)].find((one) => one === like) ??
    value
  );
}

async function send({ target, caller, headers, body }: Request): Promise<Answer> {
  const token = tokens[caller];
  return service.ask(fillIds(target), {
    headers,
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body: fillIds(body) }),
  });
}

test(`the service answers ${REQUESTS} generated requests as described, without 5xx and without a record of another tenant`, async () => {
  const before = await foreignRows();
  const statuses = new Map<string, Set<number>>();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      if (count % TENANT_LASTS === 0) await renew();
      count += 1;
      const answer = await send(request);
      // While the machine is busy, Postgres may take longer than a health check waits.
      if (!(request.target.endsWith('/health') && answer.status === 503)) expect(answer.status).toBeLessThan(500);
      if (answer.status < 400) expect(answer.text).not.toContain(foreign.clients);
      if (answer.status === 201 || (answer.status === 200 && request.target.startsWith('PUT')))
        expectSentValues(request, answer);
      expect(undescribedRules({ ...request, target: fillIds(request.target) }, answer)).toEqual([]);
      statuses.set(request.operation, (statuses.get(request.operation) ?? new Set()).add(answer.status));
    }),
    { numRuns: REQUESTS, seed: SEED, includeErrorInReport: true },
  );
  expect(await foreignRows()).toEqual(before);
  // The requests must have called each operation of the OpenAPI description. In long runs, each operation must also
  // have succeeded at least once.
  for (const { name } of OPERATIONS) {
    const statusesOfOperation = [...(statuses.get(name) ?? [])];
    expect([name, statusesOfOperation]).toEqual([name, expect.arrayContaining([expect.any(Number)])]);
    if (REQUESTS >= 20_000) expect([name, statusesOfOperation.some((status) => status < 300)]).toEqual([name, true]);
  }
}, 3_600_000);
