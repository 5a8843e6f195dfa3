import type { World } from './world.ts';

/**
 * A leak between tenants that a test creates on purpose, and the requests or SQL whose answers must then show the leak.
 */
export interface Breakage {
  readonly name: string;
  readonly sees: { readonly acts: RegExp } | { readonly views: RegExp; readonly statements: RegExp };
  /** Creates a leak between tenants in a database on purpose. Returns SQL that removes the leak again. */
  readonly make: (world: World) => Promise<string>;
}

const bySql =
  (sql: string, mend: string): Breakage['make'] =>
  async (world) => {
    await world.admin(sql);
    return mend;
  };

/** SQL that creates a function which counts the sites of all tenants, even if the caller has no right to see them. */
const EVERYBODY = `create function public.everybody() returns bigint language sql stable security definer
    begin atomic select count(*) from public.sites; end;
grant execute on function public.everybody() to public;`;

const loosened =
  (table: string, policy: string): Breakage['make'] =>
  async (world) => {
    const [before] = await world.admin(
      `select pg_get_expr(polqual, polrelid) as condition from pg_policy where polname = '${policy}'`,
    );
    await world.admin(`alter policy ${policy} on ${table} using (true)`);
    return `alter policy ${policy} on ${table} using (${String(before?.['condition'])})`;
  };

const redefined =
  (signature: string, part: string, other: string): Breakage['make'] =>
  async (world) => {
    const [before] = await world.admin(`select pg_get_functiondef('${signature}'::regprocedure) as sql`);
    const sql = String(before?.['sql']);
    await world.admin(sql.replace(part, other));
    return sql;
  };

const triggered = (table: string, body: string): Breakage['make'] =>
  bySql(
    `${EVERYBODY} create sequence public.changes;
      select setval('public.changes', greatest(1, public.everybody()));
      create function public.broken() returns trigger language plpgsql security definer as $f$ begin ${body} end $f$;
      create trigger a_broken before insert on public.${table} for each row execute function public.broken()`,
    'drop function public.broken() cascade; drop sequence public.changes; drop function public.everybody()',
  );

export const BREAKAGES: readonly Breakage[] = [
  {
    name: 'a policy lets every request read all claims',
    sees: { acts: /^GET \/api\/reclamations by client, own$/ },
    make: loosened('public.reclamations', 'reclamations_select_tenant'),
  },
  {
    name: 'a policy lets every BI login read all clients',
    sees: { views: /^clients$/, statements: /^select count\(\*\) from reporting\.clients as v$/ },
    make: loosened('public.clients', 'clients_select_reporting'),
  },
  {
    name: 'the list of a user’s changes contains clients that the caller must not see',
    sees: { acts: /^manager asks about shared partners and users$/ },
    make: redefined('app.keep_own_clients(jsonb)', 'l.id::uuid = any (clients)', 'true'),
  },
  {
    name: 'a reporting view counts the sites of all tenants',
    sees: { views: /^totals$/, statements: /^select \* from reporting\.totals as v order by v::text$/ },
    make: bySql(
      `${EVERYBODY} create view reporting.totals as select public.everybody() as rows;
      grant select on reporting.totals to taxclaims_reporting`,
      'drop view reporting.totals; drop function public.everybody()',
    ),
  },
  {
    name: 'the ETag of a site comes from a sequence that all tenants share',
    sees: { acts: /^manager creates, changes and deletes a record of \/api\/sites$/ },
    make: triggered(
      'sites',
      `new.updated_at := timestamptz '2024-01-01 00:00:00Z' + nextval('public.changes') * interval '1 second'; return new;`,
    ),
  },
  {
    name: 'the order of the sites depends on the number of all tenants’ sites',
    sees: { acts: /^specialist creates, changes and deletes a record of \/api\/sites$/ },
    make: triggered(
      'sites',
      `new.created_at := timestamptz '2024-01-01 00:00:00Z' + public.everybody() * interval '1 hour'; return new;`,
    ),
  },
  {
    name: 'a client cannot have the name of another tenant’s client',
    sees: { acts: /^manager creates, changes and deletes a record of \/api\/clients$/ },
    make: triggered(
      'clients',
      `if exists (select from public.clients as c where c.company_name = new.company_name and c.created_at < now() - interval '1 hour')
       then raise unique_violation; end if; return new;`,
    ),
  },
  {
    name: 'a reporting view reads as a superuser and is no security barrier',
    sees: { views: /^invoices$/, statements: /from reporting\.invoices as v where .*(1 \/|::integer)/ },
    make: bySql(
      `alter view reporting.invoices rename to invoices_before;
      create view reporting.invoices as select f.* from public.factures as f where f.client_id = any (
          (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]);
      grant select on reporting.invoices to taxclaims_reporting`,
      'drop view reporting.invoices; alter view reporting.invoices_before rename to invoices',
    ),
  },
];

/** Runs `work` while each of the compared databases has a leak between tenants that the test created on purpose. */
export async function broken<T>(worlds: readonly World[], { make }: Breakage, work: () => Promise<T>): Promise<T> {
  const mends: [World, string][] = [];
  try {
    for (const world of worlds) mends.push([world, await make(world)]);
    return await work();
  } finally {
    for (const [world, mend] of mends) await world.admin(mend);
  }
}
