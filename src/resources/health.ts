import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { objections } from '../db/objections.ts';
import { RequestError } from '../errors.ts';
import { publicEndpoint } from '../http/endpoint.ts';
import type { PublicEndpoint } from '../http/endpoint.ts';
import { within } from '../within.ts';
import { HEALTH_MS } from '../limits.ts';

const health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

/** Gives what was found of a database so lately, or is being found. */
function checkEvery(ms: number): (database: Database) => Promise<void> {
  const checks = new WeakMap<Database, Promise<void>>();
  function begin(database: Database): Promise<void> {
    const outcome = unobjectionable(database);
    checks.set(database, outcome);
    const over = new Promise((resolve) => setTimeout(resolve, ms).unref());
    void Promise.allSettled([outcome, over]).then(() => checks.delete(database));
    return outcome;
  }
  return async (database) => {
    const running = checks.get(database) ?? begin(database);
    await within(HEALTH_MS, running, () => new DatabaseUnavailable('The database did not answer in time.'));
  };
}

/** A service whose database would show one tenant another's rows, or takes no writes, must get no traffic. */
async function unobjectionable(database: Database): Promise<void> {
  const found = await objections(database);
  if (found.length > 0) throw new RequestError('ERROR_UNAVAILABLE', found.join('; '), { kind: 'health' });
}

function healthCheck(
  path: string,
  operationId: string,
  check: (database: Database) => Promise<void>,
): PublicEndpoint {
  return publicEndpoint({
    method: 'get',
    path,
    operationId,
    summary: 'Tell whether the service can serve',
    tag: 'Health',
    resource: 'health',
    roles: 'public',
    isProbe: true,
    // Probes add parameters of their own, against caches.
    query: z.looseObject({}),
    responses: { 200: health },
    handle: async (_input, database) => {
      await check(database);
      return { status: 200, body: '{"status":"ok"}' };
    },
  });
}

/** Probes are not limited: however many ask, the database is asked once in this time, on the one connection for it. */
export function probesEvery(ms: number): readonly PublicEndpoint[] {
  const check = checkEvery(ms);
  return [healthCheck('/', 'checkHealthAtRoot', check), healthCheck('/health', 'checkHealth', check)];
}
