import type { World } from './world.ts';
import { birthChecks } from './birth-checks.ts';
import { columnChecks } from './column-checks.ts';
import { documentCopyChecks } from './document-copy-checks.ts';
import { functionChecks } from './function-checks.ts';
import { goldenChecks } from './golden-checks.ts';
import { privilegeChecks } from './privilege-checks.ts';
import { recordChecks } from './record-checks.ts';
import { reportingChecks } from './reporting-checks.ts';
import { rowChecks } from './row-checks.ts';

/**
 * A guarantee of the database, with a test. The function `run` throws an error if the database breaks the guarantee.
 * policies.test.ts runs each test once. `npm run proofs -- mutation` takes away one right after another, and runs the
 * tests whose titles name the right’s table, role or command.
 */
export interface Check {
  readonly title: string;
  run(world: World): Promise<void>;
}

export const CHECKS: readonly Check[] = [
  ...rowChecks,
  ...documentCopyChecks,
  ...columnChecks,
  ...birthChecks,
  ...privilegeChecks,
  ...functionChecks,
  ...recordChecks,
  ...reportingChecks,
  ...goldenChecks,
];
