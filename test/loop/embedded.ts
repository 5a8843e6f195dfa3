import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/embedded/postgres/free-port.ts';
import { createServiceProcess } from '../faults/service-process.ts';
import { logIn } from '../support/login.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { until } from '../support/upload.ts';
import { victimOf } from './beside.ts';
import { newSeed } from './world.ts';
import type { LoopWorld } from './world.ts';
import { UNLIMITED, adminOf, embeddedAdminUrl } from '../support/world.ts';

/* `npm start`: the API, its delivery, the provider and Postgres are one process and its children. */

/**
 * How often somebody logs in from one address before they do from the next. Whoever is inactive goes on trying, and a
 * process that is killed meanwhile makes any login one that has failed: ten from one address keep a user out of it.
 */
const LOGINS_AT_AN_ADDRESS = 8;

export async function openEmbedded(): Promise<LoopWorld> {
  const folder = await createScratchFolder();
  const data = join(folder, 'data');
  const identityPort = await findFreePort(0);
  const service = await createServiceProcess(folder, {
    ...{ DATA_DIR: data, IDENTITY_PORT: String(identityPort), LOG_LEVEL: 'error' },
    TRUST_PROXY: '1',
    ...UNLIMITED,
  });
  await service.start();
  const issuer = `http://127.0.0.1:${identityPort}`;
  const admin = adminOf(() => embeddedAdminUrl(data));
  // Until the provider's clock is measured, whoever was made inactive and active again waits two minutes for a login.
  await until(async () => (await admin('select from app.provider_clock where ahead is not null')).length > 0);
  const seed = newSeed();
  await seed.into(admin);
  const victim = victimOf('API', service);
  const people = [...seed.admins, ...seed.people].map(({ email }) => email);
  const logins = people.map(() => 0);
  let turnedAway = 0;

  function nextAddress(email: string): string {
    const index = people.indexOf(email);
    const place = Math.floor((logins[index] ?? 0) / LOGINS_AT_AN_ADDRESS);
    logins[index] = (logins[index] ?? 0) + 1;
    return `10.${index}.${Math.floor(place / 256)}.${place % 256}`;
  }

  return {
    ...seed,
    admin,
    get turnedAway() {
      return turnedAway;
    },
    victims: [victim],
    ports: [service.port],
    async logIn({ email }) {
      const tokens = await logIn(issuer, email, seed.password, { from: nextAddress(email) }).catch((error: unknown) => {
        if (/answered 429/.test(String(error))) turnedAway += 1;
        return undefined;
      });
      return tokens?.access_token;
    },
    providerUpdates: () => Promise.resolve(undefined),
    // The database would end with it, which is asked later.
    end: () => Promise.resolve(),
    async close() {
      service.signal('SIGTERM');
      await service.ended();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
