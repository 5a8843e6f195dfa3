/*
 * A status that is given is a move. Of two who make one at once the second finds the record changed since its statement
 * began and touches nothing, which is a conflict; so is a move to where the record already is, unless it comes along
 * with other fields of the record that was read.
 */

/** What a change saw when it began: the statement begins with it, and `isMovable` asks it. */
export function seenStatus(table: string): string {
  return `with seen as materialized (
    select s.status
    from public.${table} as s
    where s.id = $1
)`;
}

/** A condition of the same statement: the move that the body in the parameter makes, if any, is one. */
export function isMovable(body: `$${number}`): string {
  return `(
        not ${body}::jsonb ? 'status'
        or r.status = (select seen.status from seen) and (r.status <> n.status or ${body}::jsonb - 'status' <> '{}')
    )`;
}
