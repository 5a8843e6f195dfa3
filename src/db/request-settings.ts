import type { Socket } from 'node:net';
import type { Caller } from '../identity/caller.ts';
import type { RequestTimeline } from '../observed.ts';

export interface RequestContext {
  readonly caller: Caller;
  readonly requestId: string;
  readonly action: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly readOnly: boolean;
  readonly socket?: Socket | undefined;
  /** The client that the request names; the request's transaction reaches only this client's rows. */
  readonly client?: string | undefined;
  /** The record that the request reads; the request's transaction reaches only rows of the record's client. */
  readonly record?: { readonly table: string; readonly id: string } | undefined;
  readonly timeline?: RequestTimeline | undefined;
}
