import type { World } from './world.ts';

/** What one row of the table says. */
export interface Result {
  readonly requests: number;
  /** Not answered, answered 503, or answered what nothing explains. */
  readonly failed: number;
  /** Acknowledged, or refused, and not there in the end. */
  readonly lost: number;
  /** A caller did not read what it had written. */
  readonly stale: number;
  /** Answers that held anything of another tenant. */
  readonly foreign: number;
  /** From the break to the last request that failed. */
  readonly backAfterMs: number;
  /** How many were answered 401 or 403; what is wrong with their records is lost, or said. */
  readonly refused?: number;
  /** How often something was lost, stale or foreign, by what it was. */
  readonly named?: Readonly<Record<string, number>>;
  /** What failed, in words, for where none may. */
  readonly failures?: readonly string[];
  /** Whatever else does not hold, in words. */
  readonly wrong?: readonly string[];
}

/** What must hold beside that nothing is lost, stale, foreign or wrong. */
export interface Bounds {
  readonly failed?: number;
  readonly backAfterMs?: number;
}

/** One part of a deployment, broken in one way. */
export interface Fault {
  readonly part: string;
  readonly fault: string;
  readonly bounds?: Bounds;
  /** The services of deploy/compose that it breaks. */
  readonly breaks?: readonly string[];
  run(world: World): Promise<Result>;
}

/** What of its bounds a result breaks, in words; nothing where all of it holds. */
export function violationsOf({ bounds = {} }: Pick<Fault, 'bounds'>, result: Result): readonly string[] {
  const { failures = [], named = {} } = result;
  const none = (['lost', 'stale', 'foreign'] as const)
    .filter((column) => result[column] > 0)
    .map((column) => `${result[column]} ${column}`);
  const beyond = (['failed', 'backAfterMs'] as const).flatMap((column) => {
    const most = bounds[column];
    return most === undefined || result[column] <= most
      ? []
      : [`${column} is ${result[column]}, and may be ${most}`, ...(column === 'failed' ? failures : [])];
  });
  const names = Object.entries(named).map(([name, count]) => `${count} × ${name}`);
  return [...none, ...names, ...beyond, ...(result.wrong ?? [])];
}
