import type { LoadProcess } from './load-process.ts';
import type { World, WorldOptions } from './world.ts';

/** A failure, for example a killed process, that a test causes while a load test sends real requests. */
export interface Fault {
  readonly name: string;
  readonly what: string;
  /**
   * What the service must do during a failure that the test causes, in words. Checks that follow every failure are not
   * described here.
   */
  readonly must: string;
  readonly world?: WorldOptions;
  /**
   * How long the failure lasts, in milliseconds. If the failure makes requests wait, it lasts longer than the service’s
   * time-outs.
   */
  readonly holdMs: number;
  /** True for a kind of request that must get an answer even during the failure, for example the health check. */
  readonly spares?: (operation: string) => boolean;
  /**
   * The kinds of requests that the load test leaves out, because they would hide how the failure affects the service.
   */
  readonly without?: readonly string[];
  /**
   * SQL queries by name. Each query finds the requests of a load test that the failure was meant to hit. If a query
   * finds no request, the test fails.
   */
  readonly meets?: Readonly<Record<string, string>>;
  /** True if the failure ends the service’s process. A new process of the service must then answer the requests. */
  readonly endsService?: true;
  /** Causes the failure, for example kills the service, and returns the function that repairs the damage. */
  begin(world: World, load: LoadProcess): Promise<() => Promise<void>>;
}

/** Repairs nothing, for a failure that ends by itself. */
export const nothing = (): Promise<void> => Promise.resolve();
