import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/**
 * Cuts the text to `longest` characters before it replaces unpaired surrogates, because the cut may split a surrogate
 * pair.
 */
function truncated(longest: number) {
  return z.string().transform((value) => value.slice(0, longest).replaceAll('\0', '\uFFFD').toWellFormed());
}

/** Cuts a record id to one character more than a UUID has, so that a cut text never looks like a UUID. */
const id = truncated(37)
  .nullish()
  .transform((value) => value ?? null);

const clockFields = {
  /** The id of the process that refused the request; `monotonicMs` is a `performance.now()` of the same process. */
  run: z.string(),
  monotonicMs: z.number(),
  machineMs: z.number(),
  databaseMs: z.number().nullable(),
};

const refusalSchema = z.object({
  requestId: truncated(100),
  actor: truncated(255),
  action: truncated(100),
  resourceType: truncated(50),
  resourceId: id,
  clientContext: id,
  reason: truncated(2_000),
  ipAddress: truncated(100),
  userAgent: truncated(2_000),
});
const datedRefusalSchema = z.object({ id: z.uuid(), ...clockFields, ...refusalSchema.shape });

export type Refusal = Readonly<z.input<typeof refusalSchema>>;
export type DatedRefusal = z.output<typeof datedRefusalSchema>;

export function dateRefusal(refusal: Refusal, moment: Pick<DatedRefusal, keyof typeof clockFields>): DatedRefusal {
  return datedRefusalSchema.parse({ ...refusal, ...moment, id: randomUUID() });
}

export function formatSpoolLine(refusal: DatedRefusal): string {
  const json = JSON.stringify(refusal);
  return `${computeChecksum(json)} ${json}\n`;
}

export function parseSpoolLine(line: string): DatedRefusal | undefined {
  const json = line.slice(9);
  if (line.slice(0, 9) !== `${computeChecksum(json)} `) return undefined;
  return datedRefusalSchema.safeParse(JSON.parse(json)).data;
}

function computeChecksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
