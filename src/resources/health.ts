import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { readObjections } from '../db/objections.ts';
import { RequestError } from '../errors.ts';
import { publicEndpoint, type PublicEndpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { HEALTH_CHECK_TIMEOUT_MS } from '../limits.ts';
import { createCachedFunction } from '../retries.ts';
import { VERSION } from '../version.ts';
import { withTimeout } from '../timeout.ts';

const health = z.strictObject({ status: field.enumOf('HealthStatus'), version: field.text(20) }).meta({
  id: 'Health',
  'x-said': {
    status: 'Always ok; an unhealthy service returns 503.',
    version: 'Version of the service, as in CHANGELOG.md.',
  },
});
const HEALTHY_BODY = JSON.stringify({ status: 'ok', version: VERSION });

/** Gives the instance no requests if the database is read-only or would show a tenant another tenant's rows. */
async function refuseObjections(database: Database): Promise<void> {
  const objections = await readObjections(database);
  if (objections.length > 0) throw new RequestError('ERROR_UNAVAILABLE', objections.join('; '), { kind: 'health' });
}

/** Health probes have no rate limit, so the result of a check is reused for `ms` milliseconds. */
export function createHealthProbes(ms: number): readonly PublicEndpoint[] {
  const checks = new WeakMap<Database, () => Promise<void>>();
  const check = (database: Database): Promise<void> => {
    const ask = checks.get(database) ?? createCachedFunction(() => refuseObjections(database), ms);
    checks.set(database, ask);
    return withTimeout(
      HEALTH_CHECK_TIMEOUT_MS,
      ask(),
      () => new DatabaseUnavailable('The database did not answer in time.'),
    );
  };
  const createProbe = (path: string, operationId: string): PublicEndpoint =>
    publicEndpoint({
      method: 'get',
      path,
      operationId,
      summary: 'Check the health of the service',
      tag: 'Health',
      resource: 'health',
      roles: 'public',
      isProbe: true,
      query: z.looseObject({}),
      responses: { 200: health },
      handle: async (_input, database) => {
        await check(database);
        return { status: 200, body: HEALTHY_BODY };
      },
    });
  return [createProbe('/', 'checkHealthAtRoot'), createProbe('/health', 'checkHealth')];
}
