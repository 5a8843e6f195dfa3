import type { Statement } from '../db/statement.ts';

/**
 * Holds the record that a change will refer to before the row that refers to it, as a deletion does, which goes from a
 * record to those below: whoever takes both takes them in one order, and none waits for the other. Nothing to hold where
 * the change names none; a record that the caller cannot see is left to the change itself, which refuses it.
 */
export function parentFirst(
  table: 'sites' | 'reclamations' | 'factures',
  id: string | null | undefined,
): readonly Statement[] {
  if (id == null) return [];
  return [{ text: `select from public.${table} as r where r.id = $1 for key share`, values: [id] }];
}
