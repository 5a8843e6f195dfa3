import type { LoginName } from './logins.ts';
import type { Statement } from './step.ts';
import type { World } from './world.ts';

/** A column of a view in the schema reporting. The column’s SQL comment says with which view it can be joined. */
export interface Column {
  readonly view: string;
  readonly name: string;
  readonly type: string;
  readonly joins: readonly [view: string, column: string] | undefined;
}

/** This view has the days of a hundred years, the same for every login, so the test reads it only once. */
const OF_NOBODY = 'calendar';

/** Reads every column of the schema reporting from Postgres’s catalog, so that new views are tested too. */
export async function columnsOf(world: World): Promise<Column[]> {
  const rows = await world.admin(`
select v.relname as view, a.attname as name, format_type(a.atttypid, null) as type,
    substring(d.description from 'Joins reporting\\.(\\w+)\\.') as joined_view,
    substring(d.description from 'Joins reporting\\.\\w+\\.(\\w+)') as joined_column
from pg_class as v
join pg_attribute as a on a.attrelid = v.oid and a.attnum > 0 and not a.attisdropped
left join pg_description as d on d.objoid = v.oid and d.classoid = 'pg_class'::regclass and d.objsubid = a.attnum
where v.relnamespace = 'reporting'::regnamespace and v.relkind = 'v'
    and has_table_privilege('taxclaims_reporting', v.oid, 'SELECT')
    and v.relname <> '${OF_NOBODY}'
order by 1, a.attnum`);
  return rows.map(({ view, name, type, joined_view: joined, joined_column: column }) => ({
    ...{ view: String(view), name: String(name), type: String(type) },
    joins: typeof joined === 'string' && typeof column === 'string' ? ([joined, column] as const) : undefined,
  }));
}

const of = (login: LoginName, ...sql: readonly string[]): Statement[] => sql.map((one) => ({ login, sql: one }));

/** Queries that an analyst could send about a reporting view. */
function ofView(view: string, columns: readonly Column[]): Statement[] {
  const from = `from reporting.${view} as v`;
  const key = columns[0]?.name ?? '';
  return [
    { login: 'reporting', sql: `select * ${from}`, isUnordered: true },
    { login: 'reporting', sql: `select v ${from}`, isUnordered: true },
    ...of(
      'reporting',
      `select count(*) ${from}`,
      `select * ${from} order by v::text`,
      `select * ${from} order by v::text limit 3 offset 1`,
      `select * ${from} order by v::text desc fetch first 2 rows with ties`,
      `select 1 ${from} limit 1`,
      `select count(*) ${from} limit 0`,
      `select row_number() over w, lag(v.${key}) over w, count(*) over () ${from} window w as (order by v::text)`,
      `select jsonb_agg(v order by v::text) ${from}`,
      `select md5(string_agg(v::text, ',' order by v::text)) ${from}`,
      `select exists (select ${from}), not exists (select ${from} where v.${key} is null)`,
      `select count(*) from (select * ${from} except all select * ${from}) as d`,
      `select count(*) from (select * ${from} union all select * ${from}) as d`,
      `with recursive w as (select v.${key}, 1 as n ${from} union all select w.${key}, n + 1 from w where n < 3) select count(*) from w`,
      `select count(*) ${from} cross join lateral (select count(*) as n from reporting.${view} as w where w.${key} = v.${key}) as l where l.n > 1`,
      `select count(*) ${from} tablesample bernoulli (50)`,
      `select ctid ${from}`,
      `select xmin, xmax, tableoid ${from}`,
      `select * ${from} for update`,
      `select * ${from} for share`,
      `declare c scroll cursor for select * ${from} order by v::text; fetch last from c; fetch prior from c; move backward all in c`,
      `set local enable_seqscan = off; select count(*) ${from}`,
      `set local enable_indexscan = off; set local enable_bitmapscan = off; select * ${from} order by v::text`,
      `set local row_security = off; select count(*) ${from}`,
      `select query_to_xml('select * from reporting.${view} as v order by v::text', true, true, '')`,
      `delete ${from}`,
      `prepare p as select count(*) ${from}; execute p; execute p; deallocate p`,
    ),
    ...of('neighbour', `select * ${from} order by v::text`, `select count(*) ${from}`),
    ...of('auditor', `select count(*) ${from}`),
    ...of('api', `select count(*) ${from}`),
  ];
}

/** Queries that an analyst could send about a column of a reporting view. */
function ofColumn({ view, name, type, joins }: Column): Statement[] {
  const from = `from reporting.${view} as v`;
  const isNumber = ['integer', 'bigint', 'numeric'].includes(type);
  const isTime = type === 'date' || type.startsWith('timestamp');
  const shown = `md5(string_agg(v::text || w::text, ',' order by v::text, w::text))`;
  const [joined = '', column = ''] = joins ?? [];
  return of(
    'reporting',
    `select count(*), count(v.${name}), count(distinct v.${name}) ${from}`,
    `select v.${name}, count(*) ${from} group by v.${name} order by v.${name}`,
    `select v.${name} ${from} order by v.${name} nulls first limit 4`,
    `select min(v.${name}::text), max(v.${name}::text), string_agg(v.${name}::text, ',' order by v.${name}::text) ${from}`,
    `select count(*) ${from} where v.${name} is distinct from (select max(w.${name}::text) from reporting.${view} as w)::${type}`,
    ...(isNumber
      ? [
          `select sum(v.${name}), avg(v.${name}), stddev(v.${name}) ${from}`,
          `select percentile_disc(array[0.1, 0.5, 0.9]) within group (order by v.${name}) ${from}`,
        ]
      : []),
    ...(isTime
      ? [
          `select date_trunc('month', v.${name}) as m, count(*) ${from} group by m order by m`,
          `select max(v.${name}) - min(v.${name}) ${from}`,
        ]
      : []),
    ...(type.startsWith('character') || type === 'text'
      ? [
          `select count(*) ${from} where v.${name} ilike '%a%'`,
          `select upper(left(v.${name}, 1)) as i, count(*) ${from} group by i order by i`,
        ]
      : []),
    ...(joins === undefined
      ? []
      : ['join', 'full join', 'left join'].map(
          (join) => `select count(*), ${shown} ${from} ${join} reporting.${joined} as w on w.${column} = v.${name}`,
        )),
  );
}

/**
 * Queries of Postgres’s catalogs, of audit views, and of tables on which the login has no grant. Their answers must not
 * depend on other tenants.
 */
const CATALOG = [
  `select count(*), md5(string_agg(v::text, ',' order by v::text)) from reporting.${OF_NOBODY} as v`,
  `select * from pg_stats where schemaname in ('public', 'app', 'reporting') order by 1, 2, 3`,
  `select * from pg_stats_ext order by 1, 2`,
  `select * from pg_stats_ext_exprs order by 1, 2`,
  'select * from pg_statistic',
  `select relname, relkind, relrowsecurity, relforcerowsecurity, relhassubclass from pg_class where relnamespace::regnamespace::text in ('public', 'app', 'reporting', 'audit') order by 1, 2`,
  `select polname, pg_get_expr(polqual, polrelid) from pg_policy order by 1`,
  `select schemaname, viewname, md5(definition) from pg_views where schemaname = 'reporting' order by 1, 2`,
  `select proname, md5(prosrc) from pg_proc where pronamespace::regnamespace::text in ('app', 'reporting', 'audit') order by 1, 2`,
  'select table_schema, table_name, column_name from information_schema.columns order by 1, 2, 3',
  'select * from information_schema.role_table_grants order by 1, 2, 3, 4, 5, 6',
  `select schemaname, sequencename, last_value from pg_sequences order by 1, 2`,
  `select currval('app.migrations_id_seq')`,
  `select last_value from app.migrations_id_seq`,
  'select lastval()',
  'select * from reporting.grants order by 1, 2',
  'select * from reporting.granted order by 1, 2',
  'select * from public.clients',
  'select * from public.audit_logs',
  'select * from app.idempotency_keys',
  'select * from app.document_links',
  'select * from app.content_removals',
  'select * from app.invoice_counters',
  'select * from public.invoice_counters',
  'select * from audit.matrix order by 1, 2, 3, 4',
  // The findings that count rows of all tenants are left out: docs/channels.md describes them under
  // changes-for-an-auditor and impossible-rows-for-an-auditor.
  `select level, finding, object, detail from audit.findings where finding not in ('identity_change_undelivered', 'impossible_row') order by 1, 2, 3, 4`,
  'select * from audit.drift order by 1, 2, 3',
  'select * from audit.exceptions order by 1, 2',
  'select count(*) from audit.policies',
  'select audit.login_objections(current_user)',
  `select * from app.list_user_client_access() as a order by a::text`,
  'select app.client_access()',
  `select app.objections('{}')`,
  `select * from app.authenticate('idp|nobody', now(), 'x')`,
  'select * from app.list_login_refusal_reasons(session_user)',
  `select set_config('app.client_access', '{00000000-0000-8000-8000-000000000000}', false)`,
  `select set_config('role', 'taxclaims_admin', true)`,
  'set local role taxclaims_owner',
  'set session authorization taxclaims_owner',
  ...['client_access', 'user_id', 'actor', 'request_id'].map(
    (name) => `select set_config('app.${name}', '{}', true); select count(*) from reporting.clients`,
  ),
  ...['row_security', 'enable_seqscan', 'log_statement', 'work_mem', 'default_transaction_read_only', 'app.role'].map(
    (name) => `select set_config('${name}', current_setting('${name}', true), true)`,
  ),
  'set local session_replication_role = replica',
  `select * from pg_ls_dir('.')`,
  `select pg_read_file('postgresql.conf')`,
  `select * from pg_stat_statements`,
  `select dblink('x', 'y')`,
  `select * from pg_prepared_statements where from_sql`,
  `select * from pg_largeobject`,
  'select count(*) from pg_largeobject_metadata',
  `select obj_description('public.clients'::regclass)`,
  `select col_description(attrelid, attnum) from pg_attribute where attrelid::regclass::text like 'reporting.%' order by attrelid::regclass::text, attnum`,
  `select nextval('app.migrations_id_seq')`,
  `analyze reporting.clients`,
  `explain select 1 from public.clients`,
  `comment on view reporting.clients is 'x'`,
  `select pg_get_viewdef('reporting.invoices'::regclass)`,
] as const;

export function statements(columns: readonly Column[]): Statement[] {
  const views = [...new Set(columns.map(({ view }) => view))];
  return [
    ...views.flatMap((view) =>
      ofView(
        view,
        columns.filter((column) => column.view === view),
      ),
    ),
    ...columns.flatMap(ofColumn),
    ...(['reporting', 'neighbour', 'auditor', 'api'] as const).flatMap((login) => of(login, ...CATALOG)),
  ];
}
