import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Admissions } from '../../src/db/replicas/admissions.ts';
import type { Caller } from '../../src/identity/caller.ts';
import { inLine, rowOf } from '../concurrency/held.ts';
import { withAdmin } from '../support/database.ts';
import type { Answer } from '../support/http.ts';
import { expectRefusal } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { secondsAgo, userWithPassword } from '../support/user-with-password.ts';
import { createWorld, until, untilRead } from './world.ts';
import type { World } from './world.ts';

/* The replica has answered, and the primary is asked only after something else has happened there. */

let world: World;
let service: Service;
let other: Service;

beforeAll(async () => {
  world = await createWorld();
  service = await world.instance();
  other = await world.instance();
  // The last one cannot be made inactive.
  await userWithPassword(service, 'ADMIN');
});
afterEach(async () => {
  await world.resume();
  await untilRead(service);
  await untilRead(other);
});
afterAll(() => world.close());

const CLIENT = { company_name: 'Neuf', contact_email: 'neuf@clients.example' };
const NEW = 'GET /api/clients?q=Neuf&limit=100';
const admin = (): Promise<string> => service.token('ADMIN', [], { sub: `idp|${randomUUID()}` });
const reads = (outcome: Parameters<NonNullable<Service['replicas']>['outcomes']['get']>[0]): number =>
  service.replicas?.outcomes.get(outcome) ?? 0;

async function create(instance: Service, token: string): Promise<string> {
  const made = await instance.ask('POST /api/clients', { token, body: CLIENT });
  expect(made.status).toBe(201);
  return (made.json as { id: string }).id;
}

/** Sends a read while every connection to the primary waits, and does `meanwhile` once the replica has answered it. */
async function overtaken(read: () => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<Answer> {
  const { clients } = await service.tenant('Attente');
  const token = await admin();
  const body = { company_name: 'Attente' };
  const write = () => service.ask(`PUT /api/clients/${clients}`, { token, body });
  let answer: Promise<Answer> | undefined;
  await inLine(service, rowOf('clients', clients), [write, write, write, write], async () => {
    const since = await now();
    answer = read();
    await until(async () => (await answeredThereSince(since)).length > 0);
    await meanwhile();
  });
  if (answer === undefined) throw new Error('nothing was read');
  return answer;
}

const onStandby = <T extends object>(sql: string, values?: unknown[]): Promise<T[]> =>
  withAdmin(world.standbyUrl, async (client) => (await client.query<T>(sql, values)).rows);

/** By the standby's clock. */
async function now(): Promise<string> {
  const [row] = await onStandby<{ now: string }>('select clock_timestamp()::text as now');
  return row?.now ?? '';
}

/** The connections on which the standby has answered a request since then; how far it is, it is asked on others. */
const answeredThereSince = (since: string): Promise<object[]> =>
  onStandby(
    `select from pg_stat_activity
     where datname = 'taxclaims' and application_name like 'taxclaims-api%' and query_start > $1::timestamptz
         and state like 'idle%' and query !~ 'replica_position'`,
    [since],
  );

test.each(['application/json', 'text/csv'])(
  'a user who is made inactive meanwhile is refused, asking for %s',
  async (accept) => {
    const { id, token } = await userWithPassword(service, 'ADMIN');
    await world.resume();
    const read = () => service.ask('GET /api/clients', { token, headers: { accept } });
    expect((await read()).status).toBe(200);
    const refused = await overtaken(read, () =>
      service.admin('update public.users set is_active = false where id = $1', [id]),
    );
    await expectRefusal(service, refused, 'ERROR_UNAUTHORIZED');
  },
);

test('a caller whose write is acknowledged by another instance meanwhile reads it', async () => {
  const token = await admin();
  const read = () => service.ask(NEW, { token });
  expect((await read()).status).toBe(200);
  const before = reads('behind');
  let id = '';
  await world.pause();
  const { status, text } = await overtaken(read, async () => {
    id = await create(other, token);
  });
  expect([status, text.includes(id)]).toEqual([200, true]);
  expect(reads('behind')).toBe(before + 1);
});

test('a caller whose positions are forgotten meanwhile, with what they were held against, reads what they wrote', async () => {
  const token = await admin();
  const read = () => service.ask(NEW, { token });
  expect((await read()).status).toBe(200);
  const before = reads('overtaken');
  let id = '';
  await world.pause();
  const { status, text } = await overtaken(read, async () => {
    id = await create(other, token);
    // As a crash leaves it, and the first who asks from then on.
    await service.admin('delete from app.write_positions');
    await service.admin('delete from app.present_epoch');
    await service.admin('select app.primary_position()');
  });
  expect([status, text.includes(id)]).toEqual([200, true]);
  expect(reads('overtaken')).toBe(before + 1);
});

test('a caller whose subject is another user’s meanwhile reads as that one', async () => {
  const [former, present] = [
    await userWithPassword(service, 'CLIENT'),
    await userWithPassword(service, 'CLIENT'),
  ];
  const sub = `idp|${randomUUID()}`;
  const giveTo = async (id: string): Promise<void> => {
    await service.admin('update public.users set subject = null where subject = $1', [sub]);
    await service.admin('update public.users set subject = $2 where id = $1', [id, sub]);
  };
  await giveTo(former.id);
  const token = await service.token('CLIENT', [], { sub });
  await world.resume();
  const read = () => service.ask('GET /api/users/me', { token });
  expect((await read()).json).toMatchObject({ id: former.id });
  const before = reads('overtaken');
  const { json } = await overtaken(read, () => giveTo(present.id));
  expect(json).toMatchObject({ id: present.id });
  expect(reads('overtaken')).toBe(before + 1);
});

test('who was refused is asked about before the replica is', async () => {
  const { id, token } = await userWithPassword(service, 'ADMIN');
  await world.resume();
  const read = () => service.ask('GET /api/clients', { token });
  expect((await read()).status).toBe(200);
  await service.admin('update public.users set is_active = false where id = $1', [id]);
  const before = await now();
  await expectRefusal(service, await read(), 'ERROR_UNAUTHORIZED');
  // It was refused without waiting for what the replica says, which was asked too.
  await until(async () => (await answeredThereSince(before)).length > 0);
  const since = await now();
  await expectRefusal(service, await read(), 'ERROR_UNAUTHORIZED');
  expect(await answeredThereSince(since)).toEqual([]);
});

test('callers who ask at the same time are asked about together, and none is refused for another’s sake', async () => {
  const refused = await userWithPassword(service, 'ADMIN');
  await service.admin('update public.users set is_active = false where id = $1', [refused.id]);
  const callerOf = (subject: string): Caller => ({
    ...{ subject, userId: subject, role: 'ADMIN', clientAccess: [], accessDigest: '' },
    ...{ issuedAt: secondsAgo(1), email: undefined, name: undefined },
  });
  const together: number[] = [];
  const admissions = new Admissions({
    callBare: (statements) => {
      together.push(statements.length);
      return service.database.callBare(statements);
    },
  });
  const ids = [randomUUID(), randomUUID(), refused.id, randomUUID()];
  const [first, before, itself, after] = await Promise.allSettled(
    ids.map((id) => admissions.ask(callerOf(id))),
  );
  const admitted = { status: 'fulfilled', value: { wroteUntil: '0/0' } };
  expect([first, before, after]).toMatchObject([admitted, admitted, admitted]);
  expect(itself).toMatchObject({ status: 'rejected', reason: { cause: { code: 'TX401' } } });
  expect(together).toEqual([1, 3, 1, 1, 1]);
});
