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
    'Table of the record, as resource_type of an audit record.',
  ),
  id: column.readOnlyWithDescription(column.uuid, 'The record; of client_partners the partner.'),
  client_id: column.readOnlyWithDescription(
    column.nullable(column.uuid),
    'Whose it is; null for a partner, and for a user unless a client was added or removed.',
  ),
  kind: column.readOnlyWithDescription(column.enumText(field.enumOf('ChangeKind')), 'What was done.'),
  at: column.readOnlyWithDescription(column.time, 'Time of the write.'),
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
      changes: 'By time; those of a later answer may be older, if they were committed later.',
      next: 'The place behind these changes, for after.',
      more: 'True if the next answer has more at once, though perhaps none of the caller’s clients.',
    },
  });

const eventStream = z.string().meta({
  description:
    'First the event `place`, whose data is the present place as `next`, unless there are changes at once. Then events whose data is a Change each; the last of those that are sent together has the place as its id. At least every 20 seconds there is an event or a comment. The event `end`, with the `code` of an error, is the last where the token’s rights ended (ERROR_UNAUTHORIZED) or the service ends (ERROR_UNAVAILABLE).',
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
      'The `next` of an answer, or the last id of a stream. Without it the answer has no change and the present place: take it first, then read the lists, then ask with it.',
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
  summary: 'List what was created, changed and deleted of the caller’s clients, or be told as it is',
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
