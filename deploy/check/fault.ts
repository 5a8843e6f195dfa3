import type { World } from './world.ts';

/** The figures of one fault, which are one row of the table. */
export interface Result {
  readonly requests: number;
  /** The number of requests without an answer, with a 503, or with an unexpected answer. */
  readonly failed: number;
  /** The number of acknowledged writes and refusal records that are missing at the end. */
  readonly lost: number;
  /** The number of answers that lack a write of their caller or show an older version. */
  readonly stale: number;
  /** The number of answers that contain anything of another tenant. */
  readonly foreign: number;
  /** Milliseconds from the beginning of the fault to the last request that failed. */
  readonly backAfterMs: number;
  /** The number of requests that got 401 or 403. */
  readonly refused?: number;
  /** The number of lost, stale or foreign answers by kind. */
  readonly named?: Readonly<Record<string, number>>;
  /** The failed requests in words, for a fault that may fail no request. */
  readonly failures?: readonly string[];
  /** Violations of checks that count neither as lost nor as stale or foreign, in words. */
  readonly wrong?: readonly string[];
}

/** The upper bounds of a fault’s figures. Lost, stale and foreign answers are never allowed. */
export interface Bounds {
  readonly failed?: number;
  readonly backAfterMs?: number;
}

/** A way in which one part of a deployment breaks. */
export interface Fault {
  readonly part: string;
  readonly fault: string;
  readonly bounds?: Bounds;
  /** The services of deploy/compose that this fault breaks. */
  readonly breaks?: readonly string[];
  run(world: World): Promise<Result>;
}

/** Returns the violations of a result, in words; empty if every bound holds. */
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
