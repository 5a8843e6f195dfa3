import { idOf } from '../../policies/fixture.ts';

/** One way to a tenant's row past the policies, as somebody would open it by hand; its finding's remedy closes it. */
export interface Way {
  /** The file under db/audit/findings/ that must notice. */
  readonly finding: string;
  readonly what: string;
  readonly object: string;
  /** What the superuser does. The login `test_bi`, in taxclaims_reporting and without any grant, is there already. */
  readonly bad: string;
  /** What `test_bi` then says, and what of firm b comes of it, in a row or a notice; absent where it shows elsewhere. */
  readonly reads?: { readonly sql: string; readonly seen: string };
  /** What is taken back beside the remedy, of which another finding tells once that is carried out. */
  readonly mend?: string;
  /** Whether `audit.who_can_see` names `test_bi` with it. */
  readonly named?: boolean;
}

export const FOREIGN = idOf('b', 'clients');

/** A schema of somebody else's that everybody may use. */
export const ELSEWHERE = 'create schema elsewhere; grant usage on schema elsewhere to public;';

/** A statement with the name of the database in place of %I. */
export const here = (statement: string): string =>
  `do $$ begin execute format('${statement}', current_database()); end $$;`;
