import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createRecord } from '../http/creation.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { rethrowIfRecordVisible } from '../http/visibility.ts';
import { ROLES, SPECIALIST_ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterByCondition, filterByAny, filterByBoolean } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { TODAY_SQL } from '../records/summary.ts';
import { assignee, defineAssignee } from './assignees.ts';
import { client } from './clients.ts';
import { reclamation } from './reclamation-record.ts';

/* Notes on a claim, and tasks, which are notes with a due date; docs/decisions/notes.md */

const taskAssignee = defineAssignee(
  'Return only notes assigned to this user; `none` for unassigned ones.',
  'r.done_at is not null',
);

const note = record(
  'Note',
  'notes',
  {
    id: column.id,
    client_id: column.reference('client', client.label, column.readOnly(column.uuid)),
    reclamation_id: column.reference('reclamation', reclamation.label, column.readOnly(column.uuid)),
    author_id: column.reference('author', assignee.label, column.readOnly(column.uuid)),
    text: column.writable(column.text(), field.nonBlankParagraphs(10_000)),
    internal: column.withDefault(
      column.boolean,
      z.boolean(rule('not_true_or_false')),
      `current_user <> 'taxclaims_client'`,
    ),
    due_on: column.optional(column.date, field.date),
    assignee_id: taskAssignee.column,
    done_at: column.writableOnChange(column.nullable(column.time), field.timestampInput.nullable()),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'b3000000-0000-4000-8000-000000000001',
        client_id: client.exampleId,
        reclamation_id: reclamation.exampleId,
        author_id: 'd1000000-0000-4000-8000-000000000002',
        text: 'Demander à la mairie le relevé des surfaces.',
        internal: true,
        due_on: '2025-04-04',
        assignee_id: 'd1000000-0000-4000-8000-000000000003',
        done_at: '2025-04-02T15:00:00.000Z',
      },
      creation: { text: 'Le relevé est demandé, réponse sous huit jours.', internal: false },
      change: { done_at: '2025-04-03T16:20:00.000Z' },
    },
  },
);

const notes = listOf({
  of: note,
  client: 'r.client_id',
  newest: 'created_at',
  filters: {
    client_id: filterByAny(field.uuid, 'r.client_id = $'),
    reclamation_id: filterByAny(field.uuid, 'r.reclamation_id = $'),
    assignee_id: taskAssignee.filter,
    internal: filterByBoolean(
      'r.internal',
      'Return only internal notes (`true`) or only notes that a CLIENT may see (`false`).',
    ),
    is_task: filterByBoolean('r.due_on is not null', ''),
    mine: {
      ...filterByBoolean(
        'r.assignee_id = (select app.user_id())',
        'Return only tasks assigned to the caller (`true`) or only other tasks (`false`).',
      ),
      whereNot: 'r.assignee_id is distinct from (select app.user_id())',
    },
    open: filterByBoolean('r.done_at is null', 'Return only open tasks (`true`) or only done tasks (`false`).'),
    within: filterByCondition(
      field.integerParameter(0, 3660),
      `r.due_on <= ${TODAY_SQL} + $::integer`,
      'Return only tasks due at most this many days from today, in Europe/Paris, including overdue ones.',
    ),
  },
  selective: ['reclamation_id', 'mine', 'assignee_id'],
});

const claimNotes = { tag: 'Notes', resource: 'reclamations', path: '/api/reclamations/{id}/notes', of: note } as const;

const constraints = {
  notes_task_has_day: { due_on: rule('required.task') },
  notes_assignee_has_client: { assignee_id: rule('not_assignable.task') },
} as const;

const { commonOptions, read, changes, change, remove } = endpointsOf(note, {
  tag: 'Notes',
  path: '/api/notes',
  constraints,
});

export const noteEndpoints = [
  endpoint({
    ...commonOptions,
    method: 'get',
    path: '/api/tasks',
    summary: 'List the tasks (notes with due_on) on the claims of the caller’s clients',
    roles: ROLES,
    references: { reclamation_id: 'reclamations' },
    query: notes.query.omit({ is_task: true }),
    list: ({ query }, caller) => notes.statement({ ...query, is_task: 'true' }, caller),
  }),
  endpoint({
    ...claimNotes,
    method: 'get',
    summary: 'List the notes on a claim; a CLIENT gets only notes that are not internal',
    roles: ROLES,
    query: notes.query.omit({
      client_id: true,
      reclamation_id: true,
      is_task: true,
      mine: true,
      open: true,
      within: true,
    }),
    list: ({ params, query }, caller) => notes.statement({ ...query, reclamation_id: [params.id] }, caller),
  }),
  endpoint({
    ...claimNotes,
    constraints,
    method: 'post',
    operationId: 'createNote',
    summary: 'Create a note on a claim, or a task with due_on; a CLIENT cannot create internal notes or tasks',
    roles: ROLES,
    body: note.newBody,
    responses: { 201: note },
    handle: ({ params, body }, request) => {
      const id = randomUUID();
      return createRecord(request, {
        of: note,
        id,
        location: `/api/notes/${id}`,
        make: [
          {
            text: `
insert into public.notes as r (client_id, reclamation_id, author_id,${note.inserted})
select c.client_id, c.id, app.user_id(),${note.insertedValues}
from ${note.bodyAsRow('$1')}
join public.reclamations as c on c.id = $2
returning ${note.selectList}`,
            values: [JSON.stringify({ ...body, id }), params.id],
          },
        ],
      }).catch((error: unknown) => rethrowIfRecordVisible(error, request));
    },
  }),
  read({ summary: 'Get a note', roles: ROLES }),
  changes(SPECIALIST_ROLES),
  change({
    summary:
      'Update a note; only the author can change every field, the assignee of a task and managers can change only done_at',
    roles: ROLES,
  }),
  remove({ summary: 'Delete a note; only its author or an ADMIN can', roles: ROLES }),
];
