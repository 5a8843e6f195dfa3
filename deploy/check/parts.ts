import type { Fault } from './fault.ts';
import { faults as api } from './api.ts';
import { faults as pooler } from './pooler.ts';
import { faults as replicas } from './replicas.ts';
import { faults as backup } from './backup.ts';
import { faults as patroni } from './patroni.ts';
import { faults as redis } from './redis.ts';
import { faults as workers } from './workers.ts';

/** Every part of a deployment that is broken, in the order of the table. */
export const PARTS: readonly (readonly Fault[])[] = [patroni, pooler, replicas, api, redis, workers, backup];
