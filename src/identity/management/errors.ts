/** unknown: no such user; address: another interface answers; refused: the message; limited: too many requests. */
export type Trouble = 'unknown' | 'address' | 'refused' | 'credential' | 'limited' | 'away';

/** Why the provider was not asked, or what it answered, in a few words without any secret or list of clients. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  readonly trouble: Trouble;
  readonly retryAfterMs: number | undefined;

  constructor(
    trouble: Trouble,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.trouble = trouble;
    this.retryAfterMs = options.retryAfterMs;
  }
}
