import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { objections } from '../db/objections.ts';
import { RequestError } from '../errors.ts';
import { publicEndpoint, type PublicEndpoint } from '../http/endpoint.ts';
import { HEALTH_MS } from '../limits.ts';
import { askedOnce } from '../retries.ts';
import { within } from '../within.ts';

const health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

/** Takes a service out of traffic whose database would show one tenant another's rows, or is read-only. */
async function refuseObjections(database: Database): Promise<void> {
  const found = await objections(database);
  if (found.length > 0) throw new RequestError('ERROR_UNAVAILABLE', found.join('; '), { kind: 'health' });
}

/** No limit counts probes, so the database is asked at most once in this time, on a connection of its own. */
export function probesEvery(ms: number): readonly PublicEndpoint[] {
  const checks = new WeakMap<Database, () => Promise<void>>();
  const check = (database: Database): Promise<void> => {
    const ask = checks.get(database) ?? askedOnce(() => refuseObjections(database), ms);
    checks.set(database, ask);
    return within(HEALTH_MS, ask(), () => new DatabaseUnavailable('The database did not answer in time.'));
  };
  const probe = (path: string, operationId: string): PublicEndpoint =>
    publicEndpoint({
      ...{ method: 'get', path, operationId, summary: 'Tell whether the service can serve', tag: 'Health' },
      ...{ resource: 'health', roles: 'public', isProbe: true },
      query: z.looseObject({}),
      responses: { 200: health },
      handle: async (_input, database) => {
        await check(database);
        return { status: 200, body: '{"status":"ok"}' };
      },
    });
  return [probe('/', 'checkHealthAtRoot'), probe('/health', 'checkHealth')];
}
