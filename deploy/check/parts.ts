import type { Fault } from './fault.ts';
import { faults as api } from './api.ts';
import { faults as pooler } from './pooler.ts';
import { faults as backup } from './backup.ts';
import { faults as patroni } from './patroni.ts';
import { faults as redis } from './redis.ts';
import { faults as reporting } from './reporting.ts';
import { faults as whole } from './whole.ts';

/** The tests of deploy:check, by the part of a deployment that they break, in the order of its table. */
export const PARTS: readonly (readonly Fault[])[] = [...[patroni, reporting, pooler, api, redis, backup], whole];

/**
 * Some containers of deploy/compose only do one piece of work and end. Each of them has the command that tests this
 * work.
 */
export const ENDING: Readonly<Record<string, string>> = {
  migrate: 'npm run proofs -- faults -- migration-killed',
  login: 'npm run deploy:check -- whole',
};
