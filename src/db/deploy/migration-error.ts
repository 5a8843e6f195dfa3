export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

export class DeployHeldUp extends MigrationError {
  override readonly name = 'DeployHeldUp';
}

/** The message in one line; of an AggregateError, as when every address of a host refuses, all messages. */
export function oneLineReason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(oneLineReason).join('; ');
  return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
}
