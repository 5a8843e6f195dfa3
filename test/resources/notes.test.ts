import { beforeEach, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { parisDay } from '../support/paris.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { make } from '../support/rows.ts';
import { expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests the notes and tasks of a claim. matrix.test.ts tests the caller’s own notes with every role, and
 * test/policies tries the notes of other authors in SQL.
 */

const service = await forSuite(startService());
const foreign = await service.furnishedTenant('Garage Dupont');

type Json = Readonly<Record<string, unknown>> & { readonly id: string };

let own: Awaited<ReturnType<typeof service.tenant>>;
let manager: Person;
let specialist: Person;
let client: Person;

const newUser = (role: Role): Promise<Person> => person(service, role, [own.clients]);

beforeEach(async () => {
  own = await service.tenant('Boulangerie Martin');
  manager = await newUser('ACCOUNT_MANAGER');
  specialist = await newUser('TAX_SPECIALIST');
  client = await newUser('CLIENT');
});

const write = (by: Person, body: object): Promise<Answer> =>
  service.ask(`POST /api/reclamations/${own.reclamations}/notes`, { token: by.token, body });
async function written(by: Person, body: object = {}): Promise<Json> {
  const answer = await write(by, { text: 'Appeler la mairie', ...body });
  expect([answer.status, answer.json]).toEqual([201, expect.objectContaining(body)]);
  return answer.json as Json;
}
const put = ({ id }: Json, by: Person, body: object, headers = {}): Promise<Answer> =>
  service.ask(`PUT /api/notes/${id}`, { token: by.token, body, headers });
const remove = ({ id }: Json, by: Person, headers = {}): Promise<Answer> =>
  service.ask(`DELETE /api/notes/${id}`, { token: by.token, headers });
const ids = ({ json }: Answer): readonly string[] => (json as Json[]).map(({ id }) => id);
const tasks = async (by: Person, query = ''): Promise<readonly string[]> =>
  ids(await service.ask(`GET /api/tasks?client_id=${own.clients}${query}`, { token: by.token }));
const NOW = '2026-11-23T10:00:00.000Z';

test('a note has its author, claim and client, and is internal by default', async () => {
  const note = await written(specialist);
  expect(note).toEqual({
    ...{ id: expect.any(String), client_id: own.clients, reclamation_id: own.reclamations },
    ...{ author_id: specialist.id, text: 'Appeler la mairie', internal: true },
    ...{ due_on: null, assignee_id: null, done_at: null },
    ...{ created_at: expect.stringMatching(/Z$/), updated_at: note['created_at'] },
  });
  const read = await service.ask(`GET /api/notes/${note.id}?expand=author,assignee,client,reclamation`, manager);
  expect(read.json).toMatchObject({
    ...{ author: { id: specialist.id }, assignee: null, client: { company_name: 'Boulangerie Martin' } },
    ...{ reclamation: { id: own.reclamations } },
  });
});

test('a note changed with the ETag of an older version stays unchanged', async () => {
  const note = await written(specialist, { due_on: parisDay(1) });
  const stale = { 'if-match': '"1"' };
  expectError(await put(note, specialist, { text: 'x' }, stale), 'ERROR_PRECONDITION_FAILED');
  expectError(await put(note, manager, { done_at: NOW }, stale), 'ERROR_PRECONDITION_FAILED');
  const tag = (await service.ask(`GET /api/notes/${note.id}`, specialist)).headers.etag;
  expect((await put(note, specialist, { text: 'x' }, { 'if-match': tag })).status).toBe(200);
});

test('a colleague who has the present ETag of a note can neither change nor delete the note, and the refusal is audited', async () => {
  const note = await written(specialist, { internal: false });
  const tag = (await service.ask(`GET /api/notes/${note.id}`, manager)).headers.etag;
  const present = { 'if-match': tag };
  await expectRefusal(service, await remove(note, manager, present), 'ERROR_FORBIDDEN');
  await expectRefusal(service, await put(note, manager, { text: 'x' }, present), 'ERROR_FORBIDDEN');
  expectError(await remove(note, manager, { 'if-match': '"1"' }), 'ERROR_PRECONDITION_FAILED');
  expect((await remove(note, specialist, present)).status).toBe(204);
});

test('a note cannot be blank or longer than 10,000 characters, and its author is always the caller', async () => {
  for (const [body, field] of [
    [{ text: ' \n' }, 'text'],
    [{ text: 'é'.repeat(10_001) }, 'text'],
    [{ text: 'x\u0000' }, 'text'],
    [{}, 'text'],
    [{ text: 'x', internal: 'no' }, 'internal'],
    [{ text: 'x', due_on: '2026-02-30' }, 'due_on'],
    [{ text: 'x', assignee_id: 'nobody' }, 'assignee_id'],
    [{ text: 'x', done_at: NOW }, 'done_at'],
    [{ text: 'x', author_id: manager.id }, 'author_id'],
    [{ text: 'x', client_id: foreign.clients }, 'client_id'],
  ] as const)
    expectInvalid(await write(specialist, body), [field]);
  const sent = { text: '💶'.repeat(10_000) };
  const answer = await write(specialist, sent);
  expect([answer.status, answer.json]).toEqual([
    201,
    expect.objectContaining({ text: sent.text, author_id: specialist.id, client_id: own.clients }),
  ]);
});

test('the assignee of a task or a manager can complete the task, and the manager cannot change anything else of it', async () => {
  for (const [by, assignee] of [
    [specialist, specialist.id],
    [client, client.id],
    [manager, null],
    [await newUser('ADMIN'), specialist.id],
  ] as const) {
    const author = await newUser('TAX_SPECIALIST');
    const task = await written(author, { internal: false, due_on: parisDay(2), assignee_id: assignee });
    for (const body of [{ text: 'x' }, { due_on: parisDay(9) }, { assignee_id: author.id }, { internal: true }])
      await expectRefusal(service, await put(task, by, { ...body, done_at: NOW }), 'ERROR_FORBIDDEN');
    const { text, due_on } = task as Record<string, unknown>;
    const ended = await put(task, by, { text, due_on, done_at: NOW });
    expect([ended.status, ended.json]).toEqual([200, expect.objectContaining({ done_at: NOW })]);
    expect((await put(task, by, { done_at: null })).json).toMatchObject({ done_at: null });
  }
});

test('only a note with a due_on can have an assignee and be completed', async () => {
  const words = { due_on: 'is required for a task' };
  expectError(await write(specialist, { text: 'x', assignee_id: specialist.id }), 'ERROR_VALIDATION', words);
  const note = await written(specialist);
  expectError(await put(note, specialist, { done_at: NOW }), 'ERROR_VALIDATION', words);
  expect((await put(note, specialist, { done_at: NOW, due_on: parisDay(0) })).status).toBe(200);
  expectError(await put(note, specialist, { due_on: null }), 'ERROR_VALIDATION', words);
});

test('a task can be assigned only to an active user of the client, and an internal task to no CLIENT', async () => {
  const due_on = parisDay(2);
  for (const id of [
    foreign.users,
    client.id,
    await make(service, 'users', { client_access: [own.clients], is_active: false }),
  ])
    expectError(await write(specialist, { text: 'x', due_on, assignee_id: id }), 'ERROR_VALIDATION', {
      assignee_id: 'must be an active user with access to the client, and not a CLIENT if the note is internal',
    });
  const task = await written(specialist, { due_on, internal: false, assignee_id: client.id });
  expectError(await put(task, specialist, { internal: true }), 'ERROR_VALIDATION');
  expect((await put(task, specialist, { internal: true, assignee_id: null })).status).toBe(200);
});

test('the list of tasks can be filtered by assignee, open tasks, due date and claim, including overdue tasks', async () => {
  const note = await written(manager);
  const late = await written(manager, { due_on: parisDay(-3), assignee_id: specialist.id });
  const soon = await written(manager, { due_on: parisDay(5), assignee_id: specialist.id });
  const later = await written(manager, { due_on: parisDay(50), assignee_id: manager.id });
  const ended = await written(manager, { due_on: parisDay(1), assignee_id: specialist.id });
  await put(ended, specialist, { done_at: NOW });
  const all = [ended.id, later.id, soon.id, late.id];
  expect(await tasks(specialist)).toEqual(all);
  expect(await tasks(specialist)).not.toContain(note.id);
  expect(await tasks(specialist, '&mine=true')).toEqual([ended.id, soon.id, late.id]);
  expect(await tasks(specialist, '&mine=false')).toEqual([later.id]);
  expect(await tasks(specialist, '&mine=true&open=true')).toEqual([soon.id, late.id]);
  expect(await tasks(specialist, '&open=false')).toEqual([ended.id]);
  expect(await tasks(specialist, '&open=true&within=10&sort=due_on')).toEqual([late.id, soon.id]);
  expect(await tasks(specialist, `&within=10&due_on_from=${parisDay(0)}`)).toEqual([ended.id, soon.id]);
  expect(await tasks(specialist, `&reclamation_id=${own.reclamations}&limit=1`)).toEqual([ended.id]);
  for (const query of ['mine=x', 'open=1', 'within=-1', 'within=3661', 'is_task=false'])
    expectInvalid(await service.ask(`GET /api/tasks?${query}`, manager), [query.split('=')[0]]);
});

test('GET /api/tasks?within=N lists the tasks that are due in at most N days or overdue', async () => {
  const due: Record<number, string> = {};
  for (const days of [-1, 0, 1, 6, 7, 8]) due[days] = (await written(manager, { due_on: parisDay(days) })).id;
  const within = (days: number) => tasks(manager, `&within=${days}&sort=due_on`);
  expect(await within(0)).toEqual([due[-1], due[0]]);
  expect(await within(7)).toEqual([-1, 0, 1, 6, 7].map((days) => due[days]));
});

test('GET /api/tasks?mine=false also lists tasks without an assignee', async () => {
  const unassigned = await written(manager, { due_on: parisDay(1) });
  const assigned = await written(manager, { due_on: parisDay(1), assignee_id: specialist.id });
  expect(await tasks(specialist, '&mine=false')).toEqual([unassigned.id]);
  expect(await tasks(specialist, '&mine=true')).toEqual([assigned.id]);
});

test('a manager who filters tasks by another tenant’s claim gets 403', async () => {
  const answer = await service.ask(`GET /api/tasks?reclamation_id=${foreign.reclamations}`, manager);
  await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
});

test('an open task is listed as a deadline in the API and in reporting.deadlines, whatever the status of its claim', async () => {
  const task = await written(manager, { due_on: parisDay(5), assignee_id: specialist.id });
  const deadlines = async (query = '') =>
    (await service.ask(`GET /api/deadlines?client_id=${own.clients}${query}`, manager)).json;
  const reported = () => service.sql`
      select note_id as id, kind, due_on::text, days_left, status, reclamation_id
      from reporting.deadlines where client_id = ${own.clients} and kind <> 'claim'`;
  for (const status of ['DRAFT', 'CLOSED']) {
    await service.admin(
      `begin;
         set local session_replication_role = replica;
         update public.reclamations set status = '${status}', deadline_basis = 'EVENT', claim_deadline = '2200-12-31'
         where id = '${own.reclamations}';
         commit`,
    );
    const expected = {
      ...{ id: task.id, kind: 'task', due_on: task['due_on'], days_left: expect.any(Number), status },
      reclamation_id: own.reclamations,
    };
    for (const query of ['', `&assignee_id=${specialist.id}`, '&kind=task', '&within=5'])
      expect(await deadlines(query)).toEqual([
        { ...expected, client_id: own.clients, assignee_id: specialist.id, amount: 1200.5, missing: [] },
      ]);
    for (const query of ['&within=3', '&assignee_id=none', '&kind=claim']) expect(await deadlines(query)).toEqual([]);
    expect(await reported()).toEqual([expected]);
  }
  await put(task, specialist, { done_at: NOW });
  expect([await deadlines(), await reported()]).toEqual([[], []]);
  const [row] = await service.sql`select days_left, done_at from reporting.tasks where id = ${task.id}`;
  expect(row).toEqual({ days_left: null, done_at: new Date(NOW) });
});
