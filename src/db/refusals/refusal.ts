import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

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

/** Text that Postgres stores, as long as its column. Cut first: a cut can leave half a surrogate pair, which it refuses. */
function text(longest: number) {
  return z.string().transform((value) => value.slice(0, longest).replaceAll('\0', '\uFFFD').toWellFormed());
}

/** One character more than an id has: cut to its length, a longer text could turn into an id. */
const id = text(37).nullable();

const clock = {
  /** The process for which `monotonicMs` means something. */
  run: z.string(),
  monotonicMs: z.number(),
  machineMs: z.number(),
  databaseMs: z.number().nullable(),
};

/** A refusal until the database has it. */
const keptRefusal = z.object({
  id: z.uuid(),
  ...clock,
  requestId: text(100),
  actor: text(255),
  action: text(100),
  resourceType: text(50),
  resourceId: id,
  clientContext: id,
  reason: text(2_000),
  ipAddress: text(100),
  userAgent: text(2_000),
});

export type KeptRefusal = z.output<typeof keptRefusal>;

export function keep(refusal: Refusal, moment: Pick<KeptRefusal, keyof typeof clock>): KeptRefusal {
  const ids = { resourceId: refusal.resourceId ?? null, clientContext: refusal.clientContext ?? null };
  return keptRefusal.parse({ ...refusal, ...ids, ...moment, id: randomUUID() });
}

/** The refusal as one line of a file; the checksum tells a whole line from a torn one. */
export function toLine(refusal: KeptRefusal): string {
  const json = JSON.stringify(refusal);
  return `${checksum(json)} ${json}\n`;
}

/** The refusal of a line without its end; undefined where the line is not as it was written. */
export function fromLine(line: string): KeptRefusal | undefined {
  const json = line.slice(9);
  if (line.slice(0, 9) !== `${checksum(json)} `) return undefined;
  return keptRefusal.safeParse(JSON.parse(json)).data;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
