import type { LoadProcess } from './load-process.ts';
import type { World, WorldOptions } from './world.ts';

/** One thing that goes wrong while real load runs. */
export interface Fault {
  readonly name: string;
  readonly what: string;
  /** What must hold beside what holds after every fault. */
  readonly must: string;
  readonly world?: WorldOptions;
  /** How long it lasts: longer than the time-outs of the service where it is about waiting. */
  readonly holdMs: number;
  /** The operations that it must not fail, `health` among them. */
  readonly spares?: (operation: string) => boolean;
  /** Operations that the load must not have in it, because they would hide what is tried. */
  readonly without?: readonly string[];
  /** What the journal must have, as SQL that gives rows: a fault that met nothing proves nothing. */
  readonly meets?: Readonly<Record<string, string>>;
  /** The service ends by it, and another process serves after. */
  readonly endsService?: true;
  /** Makes things wrong; gives what mends them. */
  begin(world: World, load: LoadProcess): Promise<() => Promise<void>>;
}

/** A fault with nothing to mend. */
export const nothing = (): Promise<void> => Promise.resolve();
