import { z } from 'zod';
import { sqlState } from '../db/errors.ts';
import { validationError } from '../errors.ts';
import type { CallerRequest } from '../http/caller-request.ts';
import type { ChangeBatch } from '../http/change-streams.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { MAX_RECORDS_PER_CHANGE_READ } from '../limits.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { record } from '../records/record.ts';

/* The list and the stream of changes: docs/decisions/change-feed.md */

const EVENT_STREAM_TYPE = 'text/event-stream';

const change = record('Change', 'audit_logs', {
  resource: column.readOnlyWithDescription(
    column.text(50),
    'Table of the record, like resource_type of an audit record.',
  ),
  id: column.readOnlyWithDescription(column.uuid, 'Id of the record; for client_partners, of the partner.'),
  client_id: column.readOnlyWithDescription(
    column.nullable(column.uuid),
    'Client of the record; null for a partner, and for a user unless a client was added or removed.',
  ),
  kind: column.readOnlyWithDescription(column.enumText(field.enumOf('ChangeKind')), 'Kind of the change.'),
  at: column.readOnlyWithDescription(column.time, 'Time of the change.'),
});

const changesPage = z
  .strictObject({
    changes: z.array(change.schema).max(MAX_RECORDS_PER_CHANGE_READ),
    next: z.string(),
    more: z.boolean(),
  })
  .meta({
    id: 'Changes',
    'x-table': 'audit_logs',
    'x-said': {
      changes: 'Changes, oldest first. A later response may contain older changes that were committed later.',
      next: 'Position after these changes; pass it as `after` in the next request.',
      more: 'True if there are more changes to read now, although perhaps none of the caller’s clients.',
    },
  });

const eventStream = z.string().meta({
  description:
    'The first event is `place`, whose data is the current position as `next`, unless there are changes to send at once. The data of the following events is one Change each; the last event of a batch has the position as its id. An event or a comment is sent at least every 20 seconds. The last event is `end`, with the `code` of an error: ERROR_UNAUTHORIZED if the token has lost its rights, ERROR_UNAVAILABLE if the service stops.',
});

const positionParameter = z
  .string()
  .regex(field.CURSOR_PATTERN, rule('not_a_cursor.changes'))
  .transform((value) => Buffer.from(value, 'base64url').toString())
  .refine(isFeedPosition, rule('not_a_cursor.changes'))
  .meta({ type: 'string' });

const changesQuery = z.strictObject({
  after: field
    .describeParameter(
      positionParameter,
      'Position from which to return changes: `next` of the previous response, or the last event id of a stream. Without it, the response has no changes and the current position. To keep a copy: get the current position, read the lists, then request the changes after that position.',
    )
    .optional(),
});

const FEED_POSITION =
  /^[0-9a-f]{1,16}\.\d{1,16}\.(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18})*)?)(?:\.\d{1,18}\.\d{1,16}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/;

/** As many transaction ids as a position of app.next_changes has at most. */
const MAX_POSITION_IDS = 100;

/** True if Postgres accepts the position as a pg_snapshot, whose transaction ids must be sorted. */
function isFeedPosition(text: string): boolean {
  const [, first = '0', next = '0', writing = ''] = FEED_POSITION.exec(text) ?? [];
  const [least, end] = [BigInt(first), BigInt(next)];
  const ids = writing === '' ? [] : writing.split(',').map(BigInt);
  return (
    least > 0n &&
    least <= end &&
    ids.length <= MAX_POSITION_IDS &&
    ids.every((id, index) => id < end && (index === 0 ? id >= least : id > (ids[index - 1] ?? id)))
  );
}

const READ_CHANGES_SQL =
  'select c.resource, c.id, c.client_id, c.kind, c.at, c.place, c.more from app.changes_after($1, $2) as c';

interface ChangesPage extends ChangeBatch {
  readonly changes: readonly string[];
  readonly place: string;
  readonly next: string;
}

/** @throws RequestError ERROR_VALIDATION for a place older than the audit log, or that no read has reached yet */
async function readChangesPage(
  request: CallerRequest,
  after: string | undefined,
  parameter = 'after',
): Promise<ChangesPage> {
  const { rows } = await request
    .run({ text: READ_CHANGES_SQL, values: [after ?? null, MAX_RECORDS_PER_CHANGE_READ] })
    .catch((error: unknown) => {
      const state = sqlState(error);
      if (state === 'TX410') throw validationError(parameter, rule('expired'));
      throw state === 'TX400' ? validationError(parameter, rule('not_a_cursor.changes')) : error;
    });
  const [, , , , , place, more] = rows.at(-1) ?? [];
  if (place == null) throw new Error('changes without a place');
  const changes = rows.slice(0, -1).map((row) => change.write(row));
  const next = Buffer.from(place).toString('base64url');
  const hasChanges = changes.length > 0;
  // Readers keep only an id of an event with data.
  const text = hasChanges ? `data: ${changes.join('\n\ndata: ')}\nid: ${next}\n\n` : ': beat\n\n';
  return { changes, place, next, hasChanges, hasMore: more === 't', text };
}

function prefersEvents({ incoming }: CallerRequest): boolean {
  incoming.res?.vary('Accept');
  return incoming.accepts(['application/json', EVENT_STREAM_TYPE]) === EVENT_STREAM_TYPE;
}

function readLastEventId({ incoming }: CallerRequest): string | undefined {
  const header = incoming.get('Last-Event-ID');
  if (header === undefined) return undefined;
  const { success, data } = positionParameter.safeParse(header);
  if (!success) throw validationError('Last-Event-ID', rule('not_a_cursor.changes'));
  return data;
}

export const changesEndpoint = endpoint({
  tag: 'Changes',
  resource: 'audit_logs',
  method: 'get',
  path: '/api/changes',
  operationId: 'listChanges',
  summary: 'List created, changed and deleted records of the caller’s clients, or receive them as a stream',
  roles: ROLES,
  query: changesQuery,
  responses: { 200: changesPage },
  events: eventStream,
  handle: async ({ query: { after } }, request) => {
    const { incoming } = request;
    const isStream = prefersEvents(request);
    const last = isStream ? readLastEventId(request) : undefined;
    const first = await (last === undefined
      ? readChangesPage(request, after)
      : readChangesPage(request, last, 'Last-Event-ID'));
    if (!isStream) {
      const body = `{"changes":[${first.changes.join(',')}],"next":"${first.next}","more":${String(first.hasMore)}}`;
      return { status: 200, body };
    }
    if (incoming.method === 'HEAD') return { status: 200, headers: { 'Content-Type': EVENT_STREAM_TYPE } };
    let { place, text } = first;
    if (!first.hasChanges) text = `event: place\ndata: ${JSON.stringify({ next: first.next })}\nid: ${first.next}\n\n`;
    return request.changes.openStream(incoming, request.state, { ...first, text }, async () => {
      const next = await readChangesPage(request, place);
      place = next.place;
      return next;
    });
  },
});
