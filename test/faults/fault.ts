import type { LoadProcess } from './load-process.ts';
import type { World, WorldOptions } from './world.ts';

/** A fault that is made while a load of real requests runs. */
export interface Fault {
  readonly name: string;
  readonly what: string;
  /** What must hold after this fault in addition to the checks of every fault, in words. */
  readonly must: string;
  readonly world?: WorldOptions;
  /** The duration of the fault in milliseconds. A fault about waiting lasts longer than the service’s time-outs. */
  readonly holdMs: number;
  /** Tells which operations the fault must not fail, for example the health check. */
  readonly spares?: (operation: string) => boolean;
  /** The names of operations that the load leaves out, because they would hide the effect of this fault. */
  readonly without?: readonly string[];
  /**
   * SQL queries by name, each of which must return rows from the journal. They prove that the fault met such a request.
   */
  readonly meets?: Readonly<Record<string, string>>;
  /** True if the fault ends the service, and a new process of the service serves afterwards. */
  readonly endsService?: true;
  /** Makes the fault, and returns the function that repairs it. */
  begin(world: World, load: LoadProcess): Promise<() => Promise<void>>;
}

/** The repair of a fault that needs no repair. */
export const nothing = (): Promise<void> => Promise.resolve();
