import { z } from 'zod';
import { endpoint, type Endpoint, type ListQuery } from '../http/endpoint.ts';
import { CHANGES_BUDGET } from '../http/json-budget.ts';
import type { Caller, Role } from '../identity/caller.ts';
import { bulkChangeBody, changeRecords } from './change-many.ts';
import { changesOf, changesQuery, recordedChange } from './changes.ts';
import { dryRunQuery } from './import/import.ts';
import type { Columns, RecordDefinition } from './record.ts';

interface ResourceOptions {
  readonly tag: string;
  readonly path: string;
  readonly id?: string;
  readonly constraints?: Endpoint['constraints'];
}

interface QueryableList<Q extends z.ZodObject> {
  readonly query: Q;
  statement(query: z.output<Q>, caller: Caller): ListQuery;
}

type EndpointOptions<Q extends z.ZodObject = z.ZodObject, B extends z.ZodObject = z.ZodObject> = Pick<
  Endpoint<string, Q, B>,
  'summary' | 'roles' | 'clients' | 'existing' | 'heldBy'
>;

export function endpointsOf<C extends Columns>(
  definition: RecordDefinition<C>,
  { tag, path, id = 'id', constraints }: ResourceOptions,
) {
  const of = definition as unknown as RecordDefinition;
  const references = Object.entries(of.columns).flatMap(([column, { names, inserted }]) =>
    names !== undefined && inserted !== undefined && names.label.lookUp === undefined
      ? [[column, names.label.table] as const]
      : [],
  );
  const commonOptions = { tag, resource: of.table, of };
  const recordEndpoint = { ...commonOptions, path: `${path}/{${id}}` };
  const writeOptions = { references: Object.fromEntries(references), ...(constraints && { constraints }) };
  const idOf = (params: Readonly<Record<string, string>>): string => params[id] ?? '';
  return {
    commonOptions: { ...commonOptions, of: definition },
    list: <Q extends z.ZodObject>(list: QueryableList<Q>, own: EndpointOptions<Q>): Endpoint =>
      endpoint<string, Q>({
        ...{
          ...commonOptions,
          references: Object.fromEntries(references.filter(([column]) => column !== 'client_id')),
        },
        ...{ method: 'get', path, query: list.query },
        list: ({ query }, caller) => list.statement(query, caller),
        ...own,
      }),
    read: (own: EndpointOptions): Endpoint =>
      endpoint<string, typeof of.readQuery>({
        ...{ ...recordEndpoint, method: 'get', query: of.readQuery },
        read: ({ params, query }) => of.byId(idOf(params), query.expand),
        ...own,
      }),
    changes: (roles: readonly Role[]): Endpoint =>
      endpoint<string, typeof changesQuery>({
        ...{
          ...recordEndpoint,
          of: recordedChange,
          method: 'get',
          path: `${recordEndpoint.path}/changes`,
          query: changesQuery,
        },
        summary: 'List who changed which field, when, from what to what',
        roles,
        list: ({ params, query }) => changesOf(of, idOf(params), query),
      }),
    moves: (what: string, roles: readonly Role[]): Endpoint =>
      endpoint<string>({
        ...{
          ...recordEndpoint,
          of: of.moves?.of ?? of,
          method: 'get',
          path: `${recordEndpoint.path}/moves`,
          roles,
        },
        summary: `List the moves that the caller can make with ${what} now`,
        list: ({ params }) => ({
          records: { text: of.moves?.text ?? '', values: [idOf(params)] },
          ...{ limit: Number.MAX_SAFE_INTEGER, cursor: () => '' },
        }),
      }),
    create: (own: EndpointOptions<z.ZodObject, RecordDefinition<C>['newBody']>): Endpoint =>
      endpoint({
        ...{ ...commonOptions, ...writeOptions, method: 'post', path, body: of.newBody },
        create: ({ body }, id) => of.insertion({ ...body, id }),
        ...(own as unknown as EndpointOptions),
      }),
    change: (own: EndpointOptions): Endpoint =>
      endpoint({
        ...{ ...recordEndpoint, ...writeOptions, method: 'put', body: of.changeBody },
        change: ({ params, body }, ifMatch) => of.change(idOf(params), body, ifMatch),
        ...own,
      }),
    changeMany: (own: Pick<Endpoint, 'summary' | 'roles'>): Endpoint =>
      endpoint<string, typeof dryRunQuery, ReturnType<typeof bulkChangeBody>>({
        ...{ ...commonOptions, ...writeOptions, method: 'post', path: `${path}/changes`, isRepeatable: true },
        operationId: `change${of.name}s`,
        query: dryRunQuery,
        body: bulkChangeBody(of),
        budget: CHANGES_BUDGET,
        responses: { 200: z.array(of.schema) },
        clients: ({ body }) =>
          body.changes.flatMap(({ client_id: id }) => (typeof id === 'string' ? [id] : [])),
        handle: ({ query, body }, request) =>
          changeRecords({ of, ...writeOptions }, body.changes, query.dry_run === 'true', request),
        ...own,
      }),
    remove: (own: EndpointOptions): Endpoint =>
      endpoint({
        ...{ ...recordEndpoint, method: 'delete' },
        remove: ({ params }, ifMatch) => of.deletion(idOf(params), ifMatch),
        ...own,
      }),
  };
}
