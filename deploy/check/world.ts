import { createLabFolder } from '../lab/reaper.ts';
import type { Result } from './fault.ts';
import { tryUnderLoad } from './under-load.ts';
import type { UnderLoad } from './under-load.ts';

/**
 * What each test of deploy:check gets: folders, servers that it shares with other tests, and the function that runs a
 * load test.
 */
export interface World {
  /**
   * The revision of the release from which the test upgrades. If undefined, this is the last release before the latest
   * migration.
   */
  readonly from: string | undefined;
  /** The seed from which the load test generates its random requests. */
  readonly seed: number;
  /**
   * Creates a folder with the given name. When deploy:check ends, the folder is removed and all processes that work in
   * it are ended.
   */
  folder(name: string): string;
  /**
   * Starts a server of the deployment (Redis, for example) at the first call with its name. Later calls with this name
   * return the same server.
   */
  once<T extends Closable>(name: string, start: (folder: string) => Promise<T>): Promise<T>;
  /** Runs a load test of real requests, and breaks a part of the deployment in the middle of it. */
  underLoad(options: UnderLoad): Promise<Result>;
}

export interface Closable {
  close(): Promise<void>;
}

interface OpenWorld extends World {
  close(): Promise<void>;
}

export async function openWorld(seed: number, from?: string): Promise<OpenWorld> {
  const lab = await createLabFolder();
  const parts = new Map<string, Promise<Closable>>();
  let trials = 0;
  const folder = (name: string): string => `${lab.path}/${name}`;
  return {
    ...{ from, seed, folder },
    once: async <T extends Closable>(name: string, start: (folder: string) => Promise<T>): Promise<T> => {
      const part = (parts.get(name) as Promise<T> | undefined) ?? start(folder(name));
      parts.set(name, part);
      return part;
    },
    underLoad: (options) => tryUnderLoad(folder(`trial-${(trials += 1)}`), seed, options),
    async close() {
      for (const part of [...parts.values()].reverse()) {
        await part.then(
          (one) => one.close(),
          () => undefined,
        );
      }
      await lab.remove();
    },
  };
}
