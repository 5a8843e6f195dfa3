import { createLabFolder } from '../lab/reaper.ts';
import type { Result } from './fault.ts';
import { tryUnderLoad } from './under-load.ts';
import type { UnderLoad } from './under-load.ts';

/** What every fault is given. */
export interface World {
  /** The revision of the release from which a deploy comes; the last one without the latest migration when absent. */
  readonly from: string | undefined;
  /** Of what the load sends. */
  readonly seed: number;
  /** Makes a folder of that name, which goes at the end of the run with whatever works in it. */
  folder(name: string): string;
  /** Starts a part, or a whole cluster, when it is first asked for; the faults after it have the same. */
  once<T extends Closable>(name: string, start: (folder: string) => Promise<T>): Promise<T>;
  /** Real load on the service, and something that breaks in the middle of it. */
  underLoad(options: UnderLoad): Promise<Result>;
}

export interface Closable {
  close(): Promise<void>;
}

export interface OpenWorld extends World {
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
