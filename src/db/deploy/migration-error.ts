/** Why a deploy ended before its end: which file Postgres refused, where, or what speaks against it. One line. */
export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

/** Nothing is wrong but that others were in the way for too long: the same deploy may succeed a little later. */
export class DeployHeldUp extends MigrationError {
  override readonly name = 'DeployHeldUp';
}

/** What an error says, also where it is only a bundle of others, as when every address of a host refuses. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
}
