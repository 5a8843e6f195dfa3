/** Why a deploy ended early, in one line. */
export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

/** Others were in the way for too long: the same deploy may succeed a little later. */
export class DeployHeldUp extends MigrationError {
  override readonly name = 'DeployHeldUp';
}

/** The message in one line, also of a bundle of errors, as when every address of a host refuses. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
}
