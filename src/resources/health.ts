import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { inTime } from '../db/in-time.ts';
import { RequestError } from '../errors.ts';
import { publicEndpoint } from '../http/endpoint.ts';
import type { PublicEndpoint } from '../http/endpoint.ts';

const health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

const checks = new WeakMap<Database, Promise<void>>();

/** A load balancer waits for a second or two; a database that takes longer for so little is no place to send it to. */
const PATIENCE_MS = 800;

/** Whoever asks while a check is under way waits for that one: probes are not limited, and have one connection. */
async function check(database: Database): Promise<void> {
  const running = checks.get(database) ?? isolated(database).finally(() => checks.delete(database));
  checks.set(database, running);
  await inTime(running, PATIENCE_MS, new DatabaseUnavailable('The database did not answer in time.'));
}

/** A service whose database would show one tenant another's rows must get no traffic. */
async function isolated(database: Database): Promise<void> {
  const { rows } = await database.callAsLogin({ text: 'select app.isolation_holds()', values: [] });
  if (rows[0]?.[0] === 't') return;
  throw new RequestError(
    'ERROR_UNAVAILABLE',
    'row-level security is off or not forced on a table, or the login in DATABASE_URL could look past it: run db:audit',
  );
}

function healthCheck(path: string): PublicEndpoint {
  return publicEndpoint({
    method: 'get',
    path,
    summary: 'Tell whether the service can serve',
    tag: 'Health',
    resource: 'health',
    roles: 'public',
    responses: { 200: health },
    handle: async (_input, { database }) => {
      await check(database);
      return { status: 200, body: '{"status":"ok"}' };
    },
  });
}

export const healthOfRoot = healthCheck('/');
export const healthOfPath = healthCheck('/health');
