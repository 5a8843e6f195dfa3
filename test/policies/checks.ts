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
 * One guarantee of the database, tried through a login. A check throws where the guarantee does not hold.
 * Checks are values because they serve twice: jest runs each against the policies as they are, and the mutation
 * command runs all of them against every policy broken in turn.
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
