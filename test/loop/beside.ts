import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { findFreePort } from '../../src/embedded/postgres/free-port.ts';
import { createServiceProcess } from '../faults/service-process.ts';
import type { ServiceProcess } from '../faults/service-process.ts';
import { createTestDatabase } from '../support/database.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { AUDIENCE, CREDENTIAL, JOURNAL, KEY, readProviderUpdates } from './provider-updates.ts';
import { newSeed } from './world.ts';
import type { LoopWorld, Victim } from './world.ts';
import { adminOf } from '../support/world.ts';

/* Two instances of the API, and a provider beside them that keeps its own state. */

const SUPPORT = join(import.meta.dirname, '..', 'support');

export async function openBeside(): Promise<LoopWorld> {
  const folder = await createScratchFolder();
  const postgres = await createTestDatabase();
  const admin = adminOf(postgres.adminUrl);
  const seed = newSeed();
  await seed.into(admin);
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  await writeFile(join(folder, KEY), JSON.stringify(await exportJWK(privateKey)), { mode: 0o600 });
  const known = [...seed.admins, ...seed.people].map(({ subject, role, clients }) =>
    JSON.stringify({ at: 0, subject, role, clients, isBlocked: false }),
  );
  await writeFile(join(folder, JOURNAL), `${known.join('\n')}\n`, { mode: 0o600 });

  const port = await findFreePort(0);
  const provider = emulatorAt(folder, port);
  await provider.start();
  const issuer = `http://127.0.0.1:${port}/`;
  const instances: ServiceProcess[] = [];
  for (const name of ['one', 'other']) {
    const instance = await createServiceProcess(folder, {
      ...{ DATABASE_URL: postgres.apiUrl, DATA_DIR: join(folder, name) },
      ...{ AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE },
      ...{ AUTH_MANAGEMENT_URL: `${issuer}api/v2`, AUTH_MANAGEMENT_TOKEN: CREDENTIAL },
      ...{ RATE_LIMIT_PER_USER: '1000000', RATE_LIMIT_PER_IP: '1000000', LOG_LEVEL: 'error' },
    });
    await instance.start();
    instances.push(instance);
  }

  return {
    ...seed,
    admin,
    victims: [...instances.map((instance, index) => victimOf(`API ${index + 1}`, instance)), provider],
    ports: instances.map((instance) => instance.port),
    turnedAway: 0,
    async logIn({ subject }) {
      const answer = await fetch(`${issuer}login/${encodeURIComponent(subject)}`).catch(() => undefined);
      if (answer?.status !== 200) return undefined;
      const body = (await answer.json().catch(() => ({}))) as { access_token?: string };
      return body.access_token;
    },
    providerUpdates: () => readProviderUpdates(folder),
    async end() {
      await Promise.all(
        instances.map((instance) => {
          instance.signal('SIGTERM');
          return instance.ended();
        }),
      );
    },
    async close() {
      for (const victim of [...instances.map((one) => victimOf('', one)), provider]) {
        if (victim.isRunning) await victim.kill();
      }
      await postgres.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** A service process that has been started. */
export function victimOf(name: string, process: ServiceProcess): Victim {
  let isServing = true;
  return {
    name,
    get isServing() {
      return isServing && process.isRunning;
    },
    get isRunning() {
      return process.isRunning;
    },
    async kill() {
      process.signal('SIGKILL');
      await process.ended();
    },
    async start() {
      isServing = false;
      await process.start();
      isServing = true;
    },
  };
}

function emulatorAt(folder: string, port: number): Victim {
  let kill = (): Promise<unknown> => Promise.resolve();
  let isRunning = false;
  return {
    name: 'provider',
    get isRunning() {
      return isRunning;
    },
    get isServing() {
      return isRunning;
    },
    async start() {
      const child = spawn(
        process.execPath,
        [
          ...['--import', join(SUPPORT, 'end-with-parent.ts')],
          ...[join(import.meta.dirname, 'emulator.ts'), folder, String(port)],
        ],
        { env: { PATH: process.env['PATH'] }, stdio: ['pipe', 'pipe', 'inherit'] },
      );
      const ended = once(child, 'exit').then(() => (isRunning = false));
      kill = () => {
        child.kill('SIGKILL');
        return ended;
      };
      await Promise.race([
        once(child.stdout, 'data'),
        ended.then(() => {
          throw new Error('the provider ended as it was started');
        }),
      ]);
      isRunning = true;
    },
    kill: () => kill(),
  };
}
