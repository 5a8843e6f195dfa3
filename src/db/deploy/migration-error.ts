export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

export class DeployHeldUp extends MigrationError {
  override readonly name = 'DeployHeldUp';
}

/** Returns an error in one line; for an AggregateError, as when every address of a host refuses, all messages. */
export function oneLineReason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(oneLineReason).join('; ');
  return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
}
