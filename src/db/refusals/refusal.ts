import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** A 401 or 403, as the audit log keeps it. */
export interface Refusal {
  readonly requestId: string;
  readonly actor: string;
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId?: string;
  readonly clientContext?: string;
  readonly reason: string;
  readonly ipAddress: string;
  readonly userAgent: string;
}

const moment = z.number();

/** A refusal until the database has it, with what is needed to store it once and to say when it was. */
const keptRefusal = z.strictObject({
  /** Under which it is stored: a second attempt changes nothing. */
  id: z.uuid(),
  /** The process that refused, for whom alone `monotonicMs` means something. */
  run: z.string(),
  monotonicMs: moment,
  machineMs: moment,
  /** What the database's clock said, as far as it was known. */
  databaseMs: moment.nullable(),
  requestId: z.string(),
  actor: z.string(),
  action: z.string(),
  resourceType: z.string(),
  resourceId: z.string().nullable(),
  clientContext: z.string().nullable(),
  reason: z.string(),
  ipAddress: z.string(),
  userAgent: z.string(),
});

export type KeptRefusal = z.output<typeof keptRefusal>;

/** What the columns of the log hold, so that nothing that a stranger sends takes more than some kilobytes on the way. */
const LONGEST = {
  requestId: 100,
  actor: 255,
  action: 100,
  resourceType: 50,
  id: 36,
  address: 100,
  text: 2_000,
};

/** Gives a refusal its id and its time, and text that Postgres can store. */
export function keep(
  refusal: Refusal,
  clock: Pick<KeptRefusal, 'run' | 'monotonicMs' | 'machineMs' | 'databaseMs'>,
): KeptRefusal {
  const { resourceId, clientContext } = refusal;
  return {
    id: randomUUID(),
    run: clock.run,
    monotonicMs: clock.monotonicMs,
    machineMs: clock.machineMs,
    databaseMs: clock.databaseMs,
    requestId: storable(refusal.requestId, LONGEST.requestId),
    actor: storable(refusal.actor, LONGEST.actor),
    action: storable(refusal.action, LONGEST.action),
    resourceType: storable(refusal.resourceType, LONGEST.resourceType),
    // One character more than an id has: cut to its length, a longer text could turn into an id.
    resourceId: resourceId === undefined ? null : storable(resourceId, LONGEST.id + 1),
    clientContext: clientContext === undefined ? null : storable(clientContext, LONGEST.id + 1),
    reason: storable(refusal.reason, LONGEST.text),
    ipAddress: storable(refusal.ipAddress, LONGEST.address),
    userAgent: storable(refusal.userAgent, LONGEST.text),
  };
}

/** Cut first, since a cut can leave half a surrogate pair, which Postgres refuses like a NUL. */
function storable(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll('\0', '\uFFFD').toWellFormed();
}

/** The refusal as one line of a file; the checksum tells a whole line from a torn one. */
export function toLine(refusal: KeptRefusal): string {
  const text = JSON.stringify(refusal);
  return `${checksum(text)} ${text}\n`;
}

/** The refusal of a line without its end; undefined where the line is not as it was written. */
export function fromLine(line: string): KeptRefusal | undefined {
  const text = line.slice(SUM_LENGTH + 1);
  if (line.slice(0, SUM_LENGTH + 1) !== `${checksum(text)} `) return undefined;
  return keptRefusal.safeParse(JSON.parse(text)).data;
}

const SUM_LENGTH = 8;

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(SUM_LENGTH, '0');
}
