import type { CatalogMutant } from './kinds.ts';

/** A change that may go unseen, and why that is right. */
interface Excuse {
  readonly kind: string;
  /** The objects that it is about; all of the kind when absent. */
  readonly object?: RegExp;
  readonly reason: string;
}

export const EXCUSES: readonly Excuse[] = [];

export const isExcused = ({ kind, object }: CatalogMutant): boolean =>
  EXCUSES.some((excuse) => excuse.kind === kind && (excuse.object?.test(object) ?? true));
