import { withAdmin } from './database.ts';

/** Returns all grants, policies and function bodies of the project’s database as one text. */
export async function rightsIn(adminUrl: string): Promise<string> {
  return withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ line: string }>(
      `select format('%s %s %s %s', oid::regclass, relrowsecurity, relforcerowsecurity,
           array(select x::text from unnest(coalesce(relacl, acldefault('r', relowner))) as x order by 1)) as line
       from pg_class where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'app'::regnamespace, 'reporting'::regnamespace)
       union all
       select format('%s.%s %s', attrelid::regclass, attname, array(select x::text from unnest(attacl) as x order by 1)) from pg_attribute where attacl is not null
       union all
       select format('%s %s %s %s %s', polname, polrelid::regclass, polroles::regrole[],
           pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) from pg_policy
       union all
       select format('%s %s %s', oid::regprocedure, prosrc,
           array(select x::text from unnest(coalesce(proacl, acldefault('f', proowner))) as x order by 1)) from pg_proc
       where pronamespace in ('app'::regnamespace)
       order by 1`,
    );
    return rows.map((row) => row.line).join('\n');
  });
}
