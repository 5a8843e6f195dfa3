import type { Fault } from './fault.ts';
import { faults as api } from './api.ts';
import { faults as backup } from './backup.ts';
import { faults as patroni } from './patroni.ts';

/** Every part of a deployment that is broken, in the order of the table. */
export const PARTS: readonly (readonly Fault[])[] = [patroni, api, backup];
