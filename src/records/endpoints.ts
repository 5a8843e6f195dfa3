import { z } from 'zod';
import { endpoint, type Endpoint, type ListQuery } from '../http/endpoint.ts';
import { CHANGES_BUDGET } from '../http/json-budget.ts';
import type { Caller, Role } from '../identity/caller.ts';
import { bodyOfMany, changeMany } from './change-many.ts';
import { changesOf, changesQuery, recordedChange } from './changes.ts';
import { dryRun } from './import/import.ts';
import type { Columns, Rec } from './record.ts';

interface Where {
  readonly tag: string;
  readonly path: string;
  readonly id?: string;
  readonly constraints?: Endpoint['constraints'];
}

interface List<Q extends z.ZodObject> {
  readonly query: Q;
  statement(query: z.output<Q>, caller: Caller): ListQuery;
}

type Own<Q extends z.ZodObject = z.ZodObject, B extends z.ZodObject = z.ZodObject> = Pick<
  Endpoint<string, Q, B>,
  'summary' | 'roles' | 'clients' | 'existing' | 'heldBy'
>;

export function endpointsOf<C extends Columns>(typed: Rec<C>, { tag, path, id = 'id', constraints }: Where) {
  const of = typed as unknown as Rec;
  const named = Object.entries(of.columns).flatMap(([column, { names, inserted }]) =>
    names !== undefined && inserted !== undefined && names.label.lookUp === undefined
      ? [[column, names.label.table] as const]
      : [],
  );
  const common = { tag, resource: of.table, of };
  const one = { ...common, path: `${path}/{${id}}` };
  const written = { references: Object.fromEntries(named), ...(constraints && { constraints }) };
  const idOf = (params: Readonly<Record<string, string>>): string => params[id] ?? '';
  return {
    common: { ...common, of: typed },
    list: <Q extends z.ZodObject>(list: List<Q>, own: Own<Q>): Endpoint =>
      endpoint<string, Q>({
        ...{ ...common, references: Object.fromEntries(named.filter(([column]) => column !== 'client_id')) },
        ...{ method: 'get', path, query: list.query },
        list: ({ query }, caller) => list.statement(query, caller),
        ...own,
      }),
    read: (own: Own): Endpoint =>
      endpoint<string, typeof of.reading>({
        ...{ ...one, method: 'get', query: of.reading },
        read: ({ params, query }) => of.byId(idOf(params), query.expand),
        ...own,
      }),
    changes: (roles: readonly Role[]): Endpoint =>
      endpoint<string, typeof changesQuery>({
        ...{ ...one, of: recordedChange, method: 'get', path: `${one.path}/changes`, query: changesQuery },
        summary: 'List who changed which field, when, from what to what',
        roles,
        list: ({ params, query }) => changesOf(of, idOf(params), query),
      }),
    moves: (what: string, roles: readonly Role[]): Endpoint =>
      endpoint<string>({
        ...{ ...one, of: of.moves?.of ?? of, method: 'get', path: `${one.path}/moves`, roles },
        summary: `List the moves that the caller can make with ${what} now`,
        list: ({ params }) => ({
          records: { text: of.moves?.text ?? '', values: [idOf(params)] },
          ...{ limit: Number.MAX_SAFE_INTEGER, cursor: () => '' },
        }),
      }),
    create: (own: Own<z.ZodObject, Rec<C>['newBody']>): Endpoint =>
      endpoint({
        ...{ ...common, ...written, method: 'post', path, body: of.newBody },
        create: ({ body }, id) => of.insertion({ ...body, id }),
        ...(own as unknown as Own),
      }),
    change: (own: Own): Endpoint =>
      endpoint({
        ...{ ...one, ...written, method: 'put', body: of.changeBody },
        change: ({ params, body }, ifMatch) => of.change(idOf(params), body, ifMatch),
        ...own,
      }),
    changeMany: (own: Pick<Endpoint, 'summary' | 'roles'>): Endpoint =>
      endpoint<string, typeof dryRun, ReturnType<typeof bodyOfMany>>({
        ...{ ...common, ...written, method: 'post', path: `${path}/changes`, isRepeatable: true },
        operationId: `change${of.name}s`,
        query: dryRun,
        body: bodyOfMany(of),
        budget: CHANGES_BUDGET,
        responses: { 200: z.array(of.schema) },
        clients: ({ body }) =>
          body.changes.flatMap(({ client_id: id }) => (typeof id === 'string' ? [id] : [])),
        handle: ({ query, body }, request) =>
          changeMany({ of, ...written }, body.changes, query.dry_run === 'true', request),
        ...own,
      }),
    remove: (own: Own): Endpoint =>
      endpoint({
        ...{ ...one, method: 'delete' },
        remove: ({ params }, ifMatch) => of.deletion(idOf(params), ifMatch),
        ...own,
      }),
  };
}
