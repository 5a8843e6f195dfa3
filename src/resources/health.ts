import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { publicEndpoint } from '../http/endpoint.ts';
import type { PublicEndpoint } from '../http/endpoint.ts';

const health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

const checks = new WeakMap<Database, Promise<unknown>>();

/** Whoever asks while a check is under way waits for that one: probes are not limited, the pool is. */
function check(database: Database): Promise<unknown> {
  const running =
    checks.get(database) ??
    database.own({ text: 'select 1', values: [] }).finally(() => checks.delete(database));
  checks.set(database, running);
  return running;
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
