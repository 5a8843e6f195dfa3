import { beforeEach, expect, test } from '@jest/globals';
import { scheduleUnassignment } from '../../src/db/housekeeping.ts';
import { parisDay } from '../support/paris.ts';
import { createTestLogger } from '../support/test-logger.ts';
import { withAdmin } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { make } from '../support/rows.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';

/*
 * This suite tests a user who loses access to a client: the right ends at once, and a background job later unassigns
 * the user’s claims and open tasks of that client.
 */

const service = await forSuite(startService());
const analyst = await forSuite(createReportingLogin(service.postgres));

let own: Tenant;
let task: string;

beforeEach(async () => {
  own = await service.furnishedTenant('Boulangerie Martin');
  await service.sql`update public.reclamations
    set assignee_id = ${own.users}, collection_date = now() where id = ${own.reclamations}`;
  task = await make(service, 'notes', {
    ...{ client_id: own.clients, reclamation_id: own.reclamations, author_id: own.users, assignee_id: own.users },
    due_on: parisDay(),
  });
});

async function loseClient(): Promise<void> {
  const token = await service.token('ADMIN');
  const { status } = await service.ask(`DELETE /api/users/${own.users}/client-access/${own.clients}`, { token });
  expect(status).toBe(204);
}

async function readAsManager(path: string): Promise<unknown> {
  const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  return (await service.ask(`GET ${path}`, { token })).json;
}

async function assignedClaims(): Promise<unknown> {
  const [row] = await service.sql`
    select count(*)::integer from public.reclamations where client_id = ${own.clients} and assignee_id is not null`;
  return row?.['count'];
}

async function unassign(): Promise<void> {
  const task = scheduleUnassignment(service.database, createTestLogger().log);
  await task.runNow();
  await task.close();
}

/** Returns the assignee of the test’s claim and of its task, as the API shows it and as the reporting views show it. */
async function readAssignees() {
  const none = 'assignee_id=none';
  const mine = `assignee_id=${own.users}`;
  const reported = await withAdmin(analyst.url, async (bi) => {
    const text = `select 'claim' as of, assignee_id from reporting.reclamations where id = $1
      union all select 'task', assignee_id from reporting.tasks where id = $2 order by 1`;
    return (await bi.query<{ assignee_id: string | null }>(text, [own.reclamations, task])).rows;
  });
  const idsOf = async (path: string): Promise<string[]> =>
    ((await readAsManager(path)) as { id: string }[]).map(({ id }) => id);
  return {
    claim: await readAsManager(`/api/reclamations/${own.reclamations}?expand=assignee`),
    task: await readAsManager(`/api/notes/${task}`),
    claimsOfNobody: await idsOf(`/api/reclamations?${none}&client_id=${own.clients}`),
    claimsOfUser: await idsOf(`/api/reclamations?${mine}`),
    tasksOfNobody: await idsOf(`/api/tasks?${none}&open=true`),
    tasksOfUser: await idsOf(`/api/tasks?${mine}`),
    deadlinesOfNobody: (await idsOf(`/api/deadlines?within=3660&${none}`)).toSorted(),
    deadlinesOfUser: await idsOf(`/api/deadlines?within=3660&${mine}`),
    counted: await readAsManager('/api/reclamations/summary?by=assignee'),
    reported: reported.map(({ assignee_id }) => assignee_id),
  };
}

test('claims and open tasks of a user who loses access to their client are shown as unassigned at once; a background job later stores this', async () => {
  await service.sql`insert into reporting.grants (login, client_id) values (${analyst.name}, ${own.clients})`;
  const done = await make(service, 'notes', {
    ...{ client_id: own.clients, reclamation_id: own.reclamations, author_id: own.users, assignee_id: own.users },
    ...{ due_on: '2026-01-05', done_at: '2026-01-05T08:00:00.000Z' },
  });
  expect(await readAssignees()).toMatchObject({
    ...{ claim: { assignee_id: own.users }, task: { assignee_id: own.users } },
    ...{ claimsOfNobody: [], claimsOfUser: [own.reclamations] },
    ...{ deadlinesOfNobody: [], deadlinesOfUser: [task, own.reclamations] },
  });
  await loseClient();
  const unassigned = {
    claim: { assignee_id: null, assignee: null },
    task: { assignee_id: null },
    ...{ claimsOfNobody: [own.reclamations], claimsOfUser: [], deadlinesOfUser: [] },
    deadlinesOfNobody: [task, own.reclamations].toSorted(),
    counted: [{ assignee_id: null, count: 1 }],
    reported: [null, null],
  };
  const before = await readAssignees();
  expect(before).toMatchObject(unassigned);
  expect(before.tasksOfNobody).toContain(task);
  expect(before.tasksOfUser).toEqual([done]);
  expect(await assignedClaims()).toBe(1);
  await unassign();
  const after = await readAssignees();
  expect(after).toMatchObject(unassigned);
  expect(after.tasksOfUser).toEqual([done]);
  expect(await assignedClaims()).toBe(0);
});

test('a user with 2,001 assigned claims loses access to the client at once, and one run of a background job then unassigns all claims', async () => {
  await service.sql`insert into public.reclamations (client_id, site_id, claim_type, amount, assignee_id)
    select ${own.clients}, ${own.sites}, 'TF', 1, ${own.users} from generate_series(1, 2000)`;
  const [{ last } = {}] = await service.sql`select count(*)::integer as last from public.audit_logs`;
  await loseClient();
  expect(await assignedClaims()).toBe(2001);
  await unassign();
  expect(await assignedClaims()).toBe(0);
  expect(await service.sql`select from app.lost_clients`).toEqual([]);
  // The audit log has one record of the change of the user’s rights, and no record for each unassigned claim.
  expect(await service.sql`select count(*)::integer as last from public.audit_logs`).toEqual([
    { last: Number(last) + 1 },
  ]);
});

test('the job that unassigns users from claims of clients they have lost skips a locked claim until its next run', async () => {
  await loseClient();
  await withAdmin(service.postgres.adminUrl, async (admin) => {
    await admin.query('begin');
    await admin.query('select from public.reclamations where id = $1 for update', [own.reclamations]);
    await unassign();
    expect(await assignedClaims()).toBe(1);
    await admin.query('rollback');
  });
  await unassign();
  expect(await assignedClaims()).toBe(0);
});

test('a user who lost a claim’s client and got it back keeps the claims that were assigned to the user since then', async () => {
  await loseClient();
  const token = await service.token('ADMIN');
  const access = `/api/users/${own.users}/client-access/${own.clients}`;
  expect((await service.ask(`PUT ${access}`, { token })).status).toBe(200);
  const body = { assignee_id: own.users };
  expect((await service.ask(`PUT /api/reclamations/${own.reclamations}`, { token, body })).status).toBe(200);
  await unassign();
  expect(await readAsManager(`/api/reclamations/${own.reclamations}`)).toMatchObject(body);
});
