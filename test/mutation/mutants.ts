import type pg from 'pg';

/** One right broken in one way. */
export interface Mutant {
  readonly kind: string;
  /** The object that is broken, as a person would name it. */
  readonly object: string;
  /** The table it is about; the checks that name it are tried first. */
  readonly table: string;
  readonly sql: string;
}

const HOUSE = `('public', 'app', 'reporting', 'audit')`;

/** What can be broken, each as a query of the catalog that writes the statements which break it. */
const KINDS: Readonly<Record<string, string>> = {
  'policy dropped': `
    select format('%I on %s', polname, polrelid::regclass) as object, c.relname as table,
        format('drop policy %I on %s', polname, polrelid::regclass) as sql
    from pg_policy as p join pg_class as c on c.oid = p.polrelid`,
  'policy loosened to true': `
    select format('%I on %s', polname, polrelid::regclass) as object, c.relname as table,
        format('alter policy %I on %s using (true)', polname, polrelid::regclass) as sql
    from pg_policy as p join pg_class as c on c.oid = p.polrelid
    where pg_get_expr(polqual, polrelid) <> 'true'`,
  'check loosened to true': `
    select format('%I on %s', polname, polrelid::regclass) as object, c.relname as table,
        format('alter policy %I on %s with check (true)', polname, polrelid::regclass) as sql
    from pg_policy as p join pg_class as c on c.oid = p.polrelid
    where pg_get_expr(polwithcheck, polrelid) <> 'true'`,
  'policy widened to everybody': `
    select format('%I on %s', polname, polrelid::regclass) as object, c.relname as table,
        format('alter policy %I on %s to public', polname, polrelid::regclass) as sql
    from pg_policy as p join pg_class as c on c.oid = p.polrelid`,
  'row-level security off': `
    select oid::regclass::text as object, relname as table,
        format('alter table %s disable row level security', oid::regclass) as sql
    from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ${HOUSE}`,
  'row-level security not forced': `
    select oid::regclass::text as object, relname as table,
        format('alter table %s no force row level security', oid::regclass) as sql
    from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ${HOUSE}`,
  'table grant revoked': `
    select format('%s on %s to %s', x.privilege_type, c.oid::regclass, x.grantee::regrole) as object, c.relname as table,
        format('revoke %s on %s from %s', x.privilege_type, c.oid::regclass, x.grantee::regrole) as sql
    from pg_class as c cross join lateral aclexplode(c.relacl) as x
    where c.relkind in ('r', 'v') and c.relnamespace::regnamespace::text in ${HOUSE} and x.grantee <> c.relowner`,
  'column grant revoked': `
    select format('%s (%s) on %s to %s', x.privilege_type, a.attname, c.oid::regclass, x.grantee::regrole) as object,
        c.relname as table,
        format('revoke %s (%I) on %s from %s', x.privilege_type, a.attname, c.oid::regclass, x.grantee::regrole) as sql
    from pg_attribute as a join pg_class as c on c.oid = a.attrelid cross join lateral aclexplode(a.attacl) as x
    where c.relnamespace::regnamespace::text in ${HOUSE}`,
  'search_path of a function not pinned': `
    select oid::regprocedure::text as object, proname as table,
        format('alter function %s reset search_path', oid::regprocedure) as sql
    from pg_proc where pronamespace::regnamespace::text in ${HOUSE}`,
  'function opened to everybody': `
    select oid::regprocedure::text as object, proname as table,
        format('grant execute on function %s to public', oid::regprocedure) as sql
    from pg_proc where pronamespace::regnamespace::text in ${HOUSE}`,
};

export const MUTANT_KINDS = Object.keys(KINDS);

/** Every mutant of a kind that the database as it is can have. */
export async function mutantsOf(admin: pg.Client, kind: string): Promise<Mutant[]> {
  const text = KINDS[kind];
  if (text === undefined) throw new Error(`there is no kind of mutant '${kind}': ${MUTANT_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<Mutant, 'kind'>>(`${text} order by 1`);
  return rows.map((row) => ({ kind, ...row }));
}
