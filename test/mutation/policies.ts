/**
 * SQL that returns the name of a policy, and words for its table, roles and command. The checks of policies whose
 * titles have these words run first.
 */
const about = (widenedTo = ''): string => `
    format('%I on %s', p.name, p.table_name) as object,
    array[split_part(p.table_name, '.', 2)${widenedTo === '' ? '' : `, '${widenedTo}'`}]
        || array(select replace(r, 'taxclaims_', '') from regexp_split_to_table(p.roles, ', ') as r)
        || case p.command when 'SELECT' then '{read}' when 'INSERT' then '{create}' when 'UPDATE' then '{update}'
            when 'DELETE' then '{delete}' else '{}' end::text[] as hints`;

const CREATE = `concat_ws(
    ' ',
    format('create policy %I on %s as', p.name, p.table_name),
    case when p.permissive then 'permissive' else 'restrictive' end,
    'for', p.command, 'to', p.roles,
    'using (' || p.using_expression || ')',
    'with check (' || p.check_expression || ')'
)`;

const altered = (change: string, back: string, where: string, widenedTo?: string): string => `
  select ${about(widenedTo)},
      format('alter policy %I on %s ', p.name, p.table_name) || ${change} as sql,
      format('alter policy %I on %s ', p.name, p.table_name) || ${back} as undo
  from audit.policies as p
  where ${where}`;

/**
 * A test makes each of these changes: it drops a policy or makes it allow more. A check of the policies, or db:audit,
 * must notice each change.
 */
export const POLICIES: Readonly<Record<string, string>> = {
  'policy dropped': `
    select ${about()}, format('drop policy %I on %s', p.name, p.table_name) as sql, ${CREATE} as undo
    from audit.policies as p`,
  'policy loosened to true': altered(
    `'using (true)'`,
    `'using (' || p.using_expression || ')'`,
    `p.using_expression <> 'true'`,
  ),
  'check loosened to true': altered(
    `'with check (true)'`,
    `'with check (' || p.check_expression || ')'`,
    `p.check_expression <> 'true'`,
  ),
  'policy widened to everybody': altered(`'to public'`, `'to ' || p.roles`, 'true'),
  'policy widened to clients': altered(
    `'to taxclaims_client, ' || p.roles`,
    `'to ' || p.roles`,
    `p.roles !~ 'taxclaims_client'`,
    'client ',
  ),
  'policy widened to reporting': altered(
    `'to taxclaims_reporting, ' || p.roles`,
    `'to ' || p.roles`,
    `p.roles !~ 'taxclaims_reporting'`,
    'reporting',
  ),
  'policy narrowed by a role': `
    select format('%I on %s without %s', p.name, p.table_name, r.name) as object,
        array[split_part(p.table_name, '.', 2), replace(r.name, 'taxclaims_', '')] as hints,
        format('alter policy %I on %s to ', p.name, p.table_name) || (
            select string_agg(kept, ', ') from regexp_split_to_table(p.roles, ', ') as kept where kept <> r.name
        ) as sql,
        format('alter policy %I on %s to %s', p.name, p.table_name, p.roles) as undo
    from audit.policies as p
    cross join lateral regexp_split_to_table(p.roles, ', ') as r (name)
    where p.roles ~ ','`,
  'policy made restrictive': `
    select ${about()},
        format('drop policy %I on %s; ', p.name, p.table_name)
            || replace(${CREATE}, ' as permissive ', ' as restrictive ') as sql,
        format('drop policy %I on %s; ', p.name, p.table_name) || ${CREATE} as undo
    from audit.policies as p
    where p.permissive`,
};
