import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** Cut to the column's length first: the cut may leave half a surrogate pair, which Postgres refuses. */
function text(longest: number) {
  return z.string().transform((value) => value.slice(0, longest).replaceAll('\0', '\uFFFD').toWellFormed());
}

/** Cuts to one character more than an id has: a longer text cut to 36 could look like an id. */
const id = text(37)
  .nullish()
  .transform((value) => value ?? null);

const clock = {
  /** Names the process that refused, whose `performance.now()` was `monotonicMs`. */
  run: z.string(),
  monotonicMs: z.number(),
  machineMs: z.number(),
  databaseMs: z.number().nullable(),
};

const refusal = z.object({
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
const keptRefusal = z.object({ id: z.uuid(), ...clock, ...refusal.shape });

export type Refusal = Readonly<z.input<typeof refusal>>;
export type KeptRefusal = z.output<typeof keptRefusal>;

export function toKept(refusal: Refusal, moment: Pick<KeptRefusal, keyof typeof clock>): KeptRefusal {
  return keptRefusal.parse({ ...refusal, ...moment, id: randomUUID() });
}

export function toLine(refusal: KeptRefusal): string {
  const json = JSON.stringify(refusal);
  return `${checksum(json)} ${json}\n`;
}

export function fromLine(line: string): KeptRefusal | undefined {
  const json = line.slice(9);
  if (line.slice(0, 9) !== `${checksum(json)} `) return undefined;
  return keptRefusal.safeParse(JSON.parse(json)).data;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
