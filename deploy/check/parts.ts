import type { Fault } from './fault.ts';
import { faults as api } from './api.ts';
import { faults as pooler } from './pooler.ts';
import { faults as backup } from './backup.ts';
import { faults as patroni } from './patroni.ts';
import { faults as redis } from './redis.ts';
import { faults as reporting } from './reporting.ts';
import { faults as whole } from './whole.ts';

/** The faults of every part of a deployment, in the order in which deploy:check prints them. */
export const PARTS: readonly (readonly Fault[])[] = [...[patroni, reporting, pooler, api, redis, backup], whole];

/** The containers of deploy/compose that end after their work, each with the command that tests this work. */
export const ENDING: Readonly<Record<string, string>> = {
  migrate: 'npm run proofs -- faults -- migration-killed',
  login: 'npm run deploy:check -- whole',
};
