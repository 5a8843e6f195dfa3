import { createLabFolder } from '../lab/reaper.ts';
import type { Result } from './fault.ts';
import { tryUnderLoad } from './under-load.ts';
import type { UnderLoad } from './under-load.ts';

/** What every fault test of deploy:check gets: folders, shared servers and the function that runs a load test. */
export interface World {
  /**
   * The revision of the release from which a deploy starts; the last release without the latest migration if undefined.
   */
  readonly from: string | undefined;
  /** The seed of the random requests that the load test sends. */
  readonly seed: number;
  /**
   * Creates a folder with the given name. The end of deploy:check removes the folder and ends all processes that work
   * in it.
   */
  folder(name: string): string;
  /**
   * Starts a server of the deployment, for example Redis, at the first call with its name, and returns the same server
   * to later faults.
   */
  once<T extends Closable>(name: string, start: (folder: string) => Promise<T>): Promise<T>;
  /** Runs a load test of real requests with a fault in its middle. */
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
