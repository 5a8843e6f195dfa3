import type { World } from './world.ts';

/** What deploy:check measures while one part of a deployment fails. Each of these results is one row in its table. */
export interface Result {
  readonly requests: number;
  /** How many requests of the load test got no answer, a 503, or an unexpected answer. */
  readonly failed: number;
  /**
   * How many acknowledged writes are missing in the database after the load test. Missing audit records of refused
   * requests count too.
   */
  readonly lost: number;
  /**
   * How many answers are outdated. An outdated answer lacks an earlier write of its caller, or shows a record in an
   * older version than an earlier answer.
   */
  readonly stale: number;
  /** How many answers of the load test contain data of another tenant. */
  readonly foreign: number;
  /** How many milliseconds after the beginning of the failure the last request failed. */
  readonly backAfterMs: number;
  /** How many requests of the load test got 401 or 403. */
  readonly refused?: number;
  /** The numbers of lost writes, outdated answers and answers with data of another tenant, by the kind of violation. */
  readonly named?: Readonly<Record<string, number>>;
  /** The failed requests in words, if no request was allowed to fail. */
  readonly failures?: readonly string[];
  /**
   * Problems that deploy:check found during a failure, in words. They are neither lost writes nor outdated answers nor
   * data of another tenant.
   */
  readonly wrong?: readonly string[];
}

/**
 * The limits of what deploy:check measures during a failure. Lost writes, outdated answers and data of another tenant
 * are never allowed.
 */
export interface Bounds {
  readonly failed?: number;
  readonly backAfterMs?: number;
}

/** A failure of one part of a deployment, which deploy:check causes, for example by killing Redis. */
export interface Fault {
  readonly part: string;
  readonly fault: string;
  readonly bounds?: Bounds;
  /** The services of deploy/compose that fail in this test. */
  readonly breaks?: readonly string[];
  run(world: World): Promise<Result>;
}

/** Returns in words which limits were exceeded during a failure; empty if all limits were kept. */
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
