import type { LoadProcess } from './load-process.ts';
import type { World, WorldOptions } from './world.ts';

/** A fault, for example a killed process, that a test makes while a load test sends real requests. */
export interface Fault {
  readonly name: string;
  readonly what: string;
  /** What the service must do during this fault, in words. The checks that follow every fault are not named here. */
  readonly must: string;
  readonly world?: WorldOptions;
  /**
   * The duration of the fault in milliseconds. A fault that makes requests wait lasts longer than the service’s
   * time-outs.
   */
  readonly holdMs: number;
  /** Tells which requests of the load test must get an answer despite the fault, for example the health check. */
  readonly spares?: (operation: string) => boolean;
  /**
   * The names of operations (kinds of requests) that the load test does not send, because they would hide the effect of
   * this fault.
   */
  readonly without?: readonly string[];
  /**
   * SQL queries by name over the load test’s list of requests. Each query must return rows, which proves that the fault
   * affected such requests.
   */
  readonly meets?: Readonly<Record<string, string>>;
  /** True if the fault ends the process of the service, after which a new process of the service answers requests. */
  readonly endsService?: true;
  /** Makes the fault, for example kills the service, and returns the function that repairs the damage. */
  begin(world: World, load: LoadProcess): Promise<() => Promise<void>>;
}

/** The repair function of a fault that ends by itself. */
export const nothing = (): Promise<void> => Promise.resolve();
