import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { embeddedAdminUrl } from '../faults/embedded-admin.ts';
import { createServiceProcess } from '../faults/service-process.ts';
import { withAdmin } from '../support/database.ts';
import { logIn } from '../support/login.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { victimOf } from './beside.ts';
import { newSeed } from './world.ts';
import type { LoopWorld } from './world.ts';

/* `npm start`: the API, its delivery, the provider and Postgres are one process and its children. */

export async function openEmbedded(): Promise<LoopWorld> {
  const folder = await createScratchFolder();
  const data = join(folder, 'data');
  const identityPort = await freePort(0);
  const service = await createServiceProcess(folder, {
    ...{ DATA_DIR: data, IDENTITY_PORT: String(identityPort), LOG_LEVEL: 'error' },
    ...{ RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000' },
  });
  await service.start();
  const issuer = `http://127.0.0.1:${identityPort}`;
  const admin: LoopWorld['admin'] = async (text, values) =>
    withAdmin(
      await embeddedAdminUrl(data),
      async (client) => (await client.query<Record<string, unknown>>(text, values)).rows,
    );
  const seed = newSeed();
  await seed.into(admin);
  const victim = victimOf('API', service);
  return {
    ...seed,
    admin,
    victims: [victim],
    ports: [service.port],
    async logIn({ email }) {
      const tokens = await logIn(issuer, email, seed.password).catch(() => undefined);
      return tokens?.access_token;
    },
    told: () => Promise.resolve(undefined),
    // The database would end with it, which is asked later.
    end: () => Promise.resolve(),
    async close() {
      service.signal('SIGTERM');
      await service.ended();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
