import type { Fault } from './fault.ts';
import { faults as api } from './api.ts';
import { faults as pooler } from './pooler.ts';
import { faults as backup } from './backup.ts';
import { faults as patroni } from './patroni.ts';
import { faults as redis } from './redis.ts';
import { faults as reporting } from './reporting.ts';
import { faults as whole } from './whole.ts';

/** Every part of a deployment that is broken, in the order of the table. */
export const PARTS: readonly (readonly Fault[])[] = [...[patroni, reporting, pooler, api, redis, backup], whole];

/** The services of deploy/compose that do their work once and end, each with what tries that work. */
export const ENDING: Readonly<Record<string, string>> = {
  migrate: 'npm run proofs -- faults -- migration-killed',
  login: 'npm run deploy:check -- whole',
};
