import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/**
 * Cuts the text to the column's length before it replaces unpaired surrogates, because the cut may split a surrogate
 * pair.
 */
function truncatedText(longest: number) {
  return z.string().transform((value) => value.slice(0, longest).replaceAll('\0', '\uFFFD').toWellFormed());
}

/** Cuts a record id to 37 characters: a longer text that is cut to 36 could look like a UUID. */
const recordIdSchema = truncatedText(37)
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
  requestId: truncatedText(100),
  actor: truncatedText(255),
  action: truncatedText(100),
  resourceType: truncatedText(50),
  resourceId: recordIdSchema,
  clientContext: recordIdSchema,
  reason: truncatedText(2_000),
  ipAddress: truncatedText(100),
  userAgent: truncatedText(2_000),
});
const datedRefusalSchema = z.object({ id: z.uuid(), ...clockFields, ...refusalSchema.shape });

export type Refusal = Readonly<z.input<typeof refusalSchema>>;
export type DatedRefusal = z.output<typeof datedRefusalSchema>;

export function dateRefusal(
  refusal: Refusal,
  moment: Pick<DatedRefusal, keyof typeof clockFields>,
): DatedRefusal {
  return datedRefusalSchema.parse({ ...refusal, ...moment, id: randomUUID() });
}

export function formatSpoolLine(refusal: DatedRefusal): string {
  const json = JSON.stringify(refusal);
  return `${checksum(json)} ${json}\n`;
}

export function parseSpoolLine(line: string): DatedRefusal | undefined {
  const json = line.slice(9);
  if (line.slice(0, 9) !== `${checksum(json)} `) return undefined;
  return datedRefusalSchema.safeParse(JSON.parse(json)).data;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
