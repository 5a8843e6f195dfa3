import type { World } from './world.ts';

/** The figures of one fault, which are one row in the table of deploy:check. */
export interface Result {
  readonly requests: number;
  /** The number of requests in the load test that got no answer, a 503, or an unexpected answer. */
  readonly failed: number;
  /** The number of acknowledged writes and refusal records that are missing in the database after the load test. */
  readonly lost: number;
  /**
   * The number of answers that lack a write of their caller or show an older version of a record than an earlier
   * answer.
   */
  readonly stale: number;
  /** The number of answers in the load test that contain anything of another tenant. */
  readonly foreign: number;
  /** Milliseconds from the beginning of the fault to the last failed request of the load test. */
  readonly backAfterMs: number;
  /** The number of requests in the load test that got 401 or 403. */
  readonly refused?: number;
  /** The number of lost writes, outdated answers and answers with another tenant’s data, by kind. */
  readonly named?: Readonly<Record<string, number>>;
  /** The failed requests in words, if the fault may fail no request. */
  readonly failures?: readonly string[];
  /**
   * Further violations in words, which count neither as lost writes nor as outdated answers nor as another tenant’s
   * data.
   */
  readonly wrong?: readonly string[];
}

/** The upper bounds of a fault’s figures. Lost writes, outdated answers and another tenant’s data are never allowed. */
export interface Bounds {
  readonly failed?: number;
  readonly backAfterMs?: number;
}

/** A fault of one part of a deployment that deploy:check makes, for example a killed Redis. */
export interface Fault {
  readonly part: string;
  readonly fault: string;
  readonly bounds?: Bounds;
  /** The services of deploy/compose that this fault breaks. */
  readonly breaks?: readonly string[];
  run(world: World): Promise<Result>;
}

/** Returns the violations of a fault’s figures in words; empty if every upper bound holds. */
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
