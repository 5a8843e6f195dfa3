import { convertToSingleLine } from '../../single-line.ts';

export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

export class DeployHeldUp extends MigrationError {
  override readonly name = 'DeployHeldUp';
}

/** Returns an error's message in one line; for an AggregateError, the messages of all its errors. */
export function oneLineReason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(oneLineReason).join('; ');
  return convertToSingleLine(error instanceof Error ? error.message : String(error));
}
