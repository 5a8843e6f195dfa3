/**
 * What keeps the provider from doing what it was asked:
 * - unknown: it has no such user
 * - address: what answers at AUTH_MANAGEMENT_URL is another interface
 * - refused: it takes no such message
 * - credential: we may not ask it
 * - limited: we have asked too much
 * - away: it cannot answer, or answers nonsense
 */
export type Trouble = 'unknown' | 'address' | 'refused' | 'credential' | 'limited' | 'away';

/** Why the provider was not asked, or what it answered, in a few words without any secret or list of clients. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  readonly trouble: Trouble;
  /** Before then it need not be asked again. */
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
