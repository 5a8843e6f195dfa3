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
  /** The one record that a request which only reads is about: its client is then all that the transaction has a right to. */
  readonly record?: { readonly table: string; readonly id: string } | undefined;
  readonly timeline?: Timeline | undefined;
}
