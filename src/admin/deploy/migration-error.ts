export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

export class DeployHeldUp extends MigrationError {
  override readonly name = 'DeployHeldUp';
}
