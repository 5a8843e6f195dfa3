import type { Caller } from '../identity/caller.ts';
import type { Timeline } from '../observed.ts';

export interface RequestContext {
  readonly caller: Caller;
  readonly requestId: string;
  /** The method and path, as the audit record keeps them. */
  readonly action: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly readOnly: boolean;
  /** The one client that the request names, if it names one: the transaction then holds no right to another. */
  readonly client?: string | undefined;
  readonly timeline?: Timeline | undefined;
  /** Where a replica is to answer: what the primary has said of the caller, now or when it was asked last. */
  readonly admission?: Admission | undefined;
  /** Told which position of the log the replica had replayed before it read anything. */
  readonly onReplayed?: ((position: string) => void) | undefined;
}

/** Who a caller is, and what a replica must have replayed before it answers them. */
export interface Admission {
  readonly userId: string;
  /** Since when its primary is the primary. */
  readonly epoch: string;
  /** A position of the write-ahead log: behind all that the caller has written. */
  readonly wroteUntil: string;
}
