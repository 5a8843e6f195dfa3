/** What Node says went wrong, as `ENOENT`; undefined for an error without a code. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/** Only an error of the operating system names a system call. */
export function isOfTheSystem(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
