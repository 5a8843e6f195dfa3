import { change, HOUSE, type Kinds, literal, statement } from './house.ts';

const policy = (sql: string, where = 'true'): string => `
  select format('%I on %s', p.polname, p.polrelid::regclass) as object, 'pg_policy ' || p.oid as covers, ${sql} as sql
  from pg_policy as p join pg_class as c on c.oid = p.polrelid
  where c.relnamespace in ${HOUSE} and ${where}`;

const altered = (what: string, where?: string): string =>
  policy(statement(`alter policy %I on %s ${what}`, 'p.polname', 'p.polrelid::regclass'), where);

const changed = (assignment: string, where?: string): string =>
  policy(change('pg_policy', assignment, `'oid = ' || p.oid`), where);

/** An SQL expression for the list of a policy’s roles with one further role added. */
const andRole = (role: string): string =>
  policy(
    `${literal('alter policy ')} || format('%I on %s to ${role}, ', p.polname, p.polrelid::regclass) || (
        select string_agg(r.role::regrole::text, ', ' order by r.role) from unnest(p.polroles) as r (role)
    )`,
    `not '${role}'::regrole = any (p.polroles) and not 0::oid = any (p.polroles)`,
  );

/**
 * A test makes each of these changes to every row-level security policy. The command db:audit must report each change.
 */
export const POLICIES: Kinds = {
  'policy dropped': policy(statement('drop policy %I on %s', 'p.polname', 'p.polrelid::regclass')),
  'policy renamed': altered('rename to renamed_#'),
  'policy made restrictive, or permissive': changed('polpermissive = not polpermissive'),
  'policy that is always true': altered('using (true)', `pg_get_expr(p.polqual, p.polrelid) <> 'true'`),
  'policy that is never true': altered('using (false)', 'p.polqual is not null'),
  'policy that is true for null': altered('using ((1 < 2) is not false)', 'p.polqual is not null'),
  'policy without its condition': changed('polqual = null', 'p.polqual is not null'),
  'check that is always true': altered('with check (true)', `pg_get_expr(p.polwithcheck, p.polrelid) <> 'true'`),
  'check that is never true': altered('with check (false)', 'p.polwithcheck is not null'),
  'policy without its check': changed('polwithcheck = null', 'p.polwithcheck is not null'),
  'check added to a policy': altered('with check (true)', `p.polwithcheck is null and p.polcmd in ('w', '*')`),
  'policy for everybody': altered('to public', 'not 0::oid = any (p.polroles)'),
  'policy for a client too': andRole('taxclaims_client'),
  'policy for reporting too': andRole('taxclaims_reporting'),
  'policy for auditors too': andRole('taxclaims_auditor'),
  'policy for one of Postgres’s roles too': andRole('pg_monitor'),
  'policy for a role less': changed('polroles = polroles[2:]', 'cardinality(p.polroles) > 1'),
  'policy for all commands': changed(`polcmd = '*'`, `p.polcmd <> '*'`),
  'policy for another command': changed(
    `polcmd = case polcmd when 'r' then 'w' when 'w' then 'd' when 'd' then 'r' else 'r' end::"char"`,
  ),
  'policy of another table': changed(
    `polrelid = (select t.oid from pg_catalog.pg_class as t where t.oid = 'app.migrations'::regclass)`,
    `p.polrelid <> 'app.migrations'::regclass`,
  ),
};
