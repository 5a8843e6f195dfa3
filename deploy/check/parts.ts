import type { Fault } from './fault.ts';
import { faults as api } from './api.ts';
import { faults as pooler } from './pooler.ts';
import { faults as backup } from './backup.ts';
import { faults as patroni } from './patroni.ts';
import { faults as redis } from './redis.ts';
import { faults as reporting } from './reporting.ts';
import { faults as whole } from './whole.ts';

/** The tests of deploy:check in the order of its table. Each list has the tests that break one part of a deployment. */
export const PARTS: readonly (readonly Fault[])[] = [...[patroni, reporting, pooler, api, redis, backup], whole];

/** Containers of deploy/compose that end after one piece of work, each with the command that tests this work. */
export const ENDING: Readonly<Record<string, string>> = {
  migrate: 'npm run proofs -- faults -- migration-killed',
  login: 'npm run deploy:check -- whole',
};
