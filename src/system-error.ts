/** Returns Node's error code, such as `ENOENT`; undefined for an error without a code. */
export function readSystemErrorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/** True for an error of the operating system: only errors of the operating system name a system call. */
export function isSystemError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
