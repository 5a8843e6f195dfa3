import { z } from 'zod';
import { endpoint, type Endpoint, type ListQuery } from '../http/endpoint.ts';
import { BULK_CHANGE_BODY_BUDGET } from '../http/json-budget.ts';
import type { Caller, Role } from '../identity/caller.ts';
import { bulkChangeBody, changeRecords } from './change-many.ts';
import { selectRecordChanges, cursorQuery, recordedChange } from './changes.ts';
import { dryRunQuery } from './import/import.ts';
import type { RecordColumns, RecordDefinition } from './record.ts';

interface ResourceOptions {
  readonly tag: string;
  readonly path: string;
  readonly id?: string;
  readonly constraints?: Endpoint['constraints'];
  /** Constraints that a change may violate and a creation cannot. */
  readonly changeConstraints?: Endpoint['constraints'];
}

interface QueryableList<Q extends z.ZodObject> {
  readonly query: Q;
  statement(query: z.output<Q>, caller: Caller): ListQuery;
}

type EndpointOptions<Q extends z.ZodObject = z.ZodObject, B extends z.ZodObject = z.ZodObject> = Pick<
  Endpoint<string, Q, B>,
  'summary' | 'roles' | 'clients' | 'existing' | 'heldBy'
>;

export function endpointsOf<C extends RecordColumns>(
  definition: RecordDefinition<C>,
  { tag, path, id = 'id', constraints, changeConstraints }: ResourceOptions,
) {
  const of = definition as unknown as RecordDefinition;
  const references = Object.fromEntries(
    Object.entries(of.columns).flatMap(([column, { names, inserted }]) =>
      names !== undefined && inserted !== undefined && names.label.lookUp === undefined
        ? [[column, names.label.table]]
        : [],
    ),
  );
  const common = { tag, resource: of.table, of };
  const resource: Resource = {
    path,
    references,
    common,
    single: { ...common, path: `${path}/{${id}}` },
    idOf: (params) => params[id] ?? '',
  };
  return {
    commonOptions: { ...common, of: definition },
    ...readingOf(resource),
    ...writingOf<C>(resource, constraints, { ...constraints, ...changeConstraints }),
  };
}

interface Resource {
  readonly path: string;
  readonly references: Readonly<Record<string, string>>;
  readonly common: { readonly tag: string; readonly resource: string; readonly of: RecordDefinition };
  readonly single: Resource['common'] & { readonly path: string };
  readonly idOf: (params: Readonly<Record<string, string>>) => string;
}

function readingOf({ path, references, common, single, idOf }: Resource) {
  const { of } = common;
  return {
    list: <Q extends z.ZodObject>(list: QueryableList<Q>, own: EndpointOptions<Q>): Endpoint =>
      endpoint<string, Q>({
        ...common,
        references: Object.fromEntries(Object.entries(references).filter(([column]) => column !== 'client_id')),
        method: 'get',
        path,
        query: list.query,
        list: ({ query }, caller) => list.statement(query, caller),
        ...own,
      }),
    read: (own: EndpointOptions): Endpoint =>
      endpoint<string, typeof of.readQuery>({
        ...single,
        method: 'get',
        query: of.readQuery,
        read: ({ params, query }) => of.byId(idOf(params), query.expand),
        ...own,
      }),
    changes: (roles: readonly Role[]): Endpoint =>
      endpoint<string, typeof cursorQuery>({
        ...single,
        of: recordedChange,
        method: 'get',
        path: `${single.path}/changes`,
        query: cursorQuery,
        summary: 'List the changes of each field, with user, time, old and new value',
        roles,
        list: ({ params, query }) => selectRecordChanges(of, idOf(params), query),
      }),
    moves: (what: string, roles: readonly Role[]): Endpoint =>
      endpoint<string>({
        ...single,
        of: of.moves?.of ?? of,
        method: 'get',
        path: `${single.path}/moves`,
        roles,
        summary: `List the status moves that the caller can make with ${what} now`,
        list: ({ params }) => ({
          records: { text: of.moves?.text ?? '', values: [idOf(params)] },
          limit: Number.MAX_SAFE_INTEGER,
          cursor: () => '',
        }),
      }),
  };
}

function writingOf<C extends RecordColumns>(
  { path, references, common, single, idOf }: Resource,
  constraints: Endpoint['constraints'],
  changeConstraints: NonNullable<Endpoint['constraints']>,
) {
  const { of } = common;
  const changing = { references, constraints: changeConstraints };
  return {
    create: (own: EndpointOptions<z.ZodObject, RecordDefinition<C>['newBody']>): Endpoint =>
      endpoint({
        ...common,
        references,
        ...(constraints && { constraints }),
        method: 'post',
        path,
        body: of.newBody,
        create: ({ body }, id) => of.insertion({ ...body, id }),
        ...(own as unknown as EndpointOptions),
      }),
    change: (own: EndpointOptions): Endpoint =>
      endpoint({
        ...single,
        ...changing,
        method: 'put',
        body: of.changeBody,
        change: ({ params, body }, ifMatch) => of.change(idOf(params), body, ifMatch),
        ...own,
      }),
    changeMany: (own: Pick<Endpoint, 'summary' | 'roles'>): Endpoint =>
      endpoint<string, typeof dryRunQuery, ReturnType<typeof bulkChangeBody>>({
        ...common,
        ...changing,
        method: 'post',
        path: `${path}/changes`,
        isRepeatable: true,
        operationId: `change${of.name}s`,
        query: dryRunQuery,
        body: bulkChangeBody(of),
        budget: BULK_CHANGE_BODY_BUDGET,
        responses: { 200: z.array(of.schema) },
        clients: ({ body }) => body.changes.flatMap(({ client_id: id }) => (typeof id === 'string' ? [id] : [])),
        handle: ({ query, body }, request) =>
          changeRecords({ of, ...changing }, body.changes, query.dry_run === 'true', request),
        ...own,
      }),
    remove: (own: EndpointOptions): Endpoint =>
      endpoint({
        ...single,
        method: 'delete',
        remove: ({ params }, ifMatch) => of.deletion(idOf(params), ifMatch),
        ...own,
      }),
  };
}
