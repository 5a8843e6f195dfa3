import { createLabFolder } from '../lab/reaper.ts';
import type { Result } from './fault.ts';
import { tryUnderLoad } from './under-load.ts';
import type { UnderLoad } from './under-load.ts';

/** What every fault gets: folders, shared parts and a load. */
export interface World {
  /**
   * The revision of the release from which a deploy starts; the last release without the latest migration if undefined.
   */
  readonly from: string | undefined;
  /** The seed of the random requests that the load sends. */
  readonly seed: number;
  /** Creates a folder of this name. At the end of the run it is removed with all processes that work in it. */
  folder(name: string): string;
  /** Starts a part at the first call with this name, and returns the same part to later faults. */
  once<T extends Closable>(name: string, start: (folder: string) => Promise<T>): Promise<T>;
  /** Runs a load of real requests with a fault in its middle. */
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
