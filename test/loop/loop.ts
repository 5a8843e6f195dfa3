import { setTimeout as delay } from 'node:timers/promises';
import { anyOf, randomFrom } from '../faults/load/random.ts';
import { ask } from '../support/http.ts';
import { violationsOf } from './checks.ts';
import type { Account } from './checks.ts';
import { rightsOf, startLoad } from './load.ts';
import type { Load } from './load.ts';
import type { LoopWorld, Victim } from './world.ts';

interface LoopOptions {
  readonly seed: number;
  readonly kills: number;
  /** Does not wait for the ends of claims and of pauses that kills have left behind. */
  readonly isHurried: boolean;
  readonly say?: (line: string) => void;
}

interface LoopOutcome {
  readonly violations: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

const BETWEEN_MS = 3_000;
/** How many of the kills may hit what has only just been started and does not serve yet. */
const WHILE_STARTING = 0.1;
const DOWN_MS = 1_200;
const CALM_CHANGES = 40;
const QUIET_MS = 400_000;
const OPEN = `select count(*)::integer as open from public.identity_changes where state <> 'DELIVERED'`;
/** A token of the second in which rights changed is refused, by the latest that the provider's clock may show. */
const NOT_YET = `
    select count(*)::integer as open from public.users
    where greatest(access_changed_at, sessions_ended_at) > clock_timestamp() - interval '1 second'`;

/** Kills processes at random while rights change and are used, then holds what is left against what was acknowledged. */
export async function runLoop(world: LoopWorld, options: LoopOptions): Promise<LoopOutcome> {
  const { seed, kills: most, isHurried, say = () => undefined } = options;
  const random = randomFrom(seed);
  const tokens = (await Promise.all(world.admins.map((admin) => world.logIn(admin)))).filter(
    (token) => token !== undefined,
  );
  if (tokens.length !== world.admins.length) throw new Error('an ADMIN cannot log in');

  const loads: Load[] = [];
  const kills: number[] = [];
  const byName: Record<string, number> = {};
  const restarts = new Set<Promise<void>>();
  const wild = startLoad(world, tokens, random);
  loads.push(wild);
  while (kills.length < most) {
    await delay(BETWEEN_MS * random());
    const isStarting = random() < WHILE_STARTING;
    const victims = world.victims.filter((one) => (isStarting ? one.isRunning : one.isServing));
    const victim = anyOf(random, victims);
    if (victim === undefined) continue;
    kills.push(Date.now());
    await victim.kill();
    const kind = `kills of the ${victim.name.replace(/ \d$/, '')}`;
    byName[kind] = (byName[kind] ?? 0) + 1;
    const restart = startAgain(victim, DOWN_MS * random()).finally(() => restarts.delete(restart));
    restarts.add(restart);
    if (kills.length % 10 === 0) say(`${kills.length} kills, ${wild.acknowledged.length} changes acknowledged`);
  }
  await Promise.all(restarts);
  await wild.end();
  await becomeQuiet(world, isHurried);

  // Held now already: the changes of the calm would make good what the kills have lost.
  const violations = await held(world, loads, kills);

  const updatesUnderFaults = (await world.providerUpdates())?.length ?? 0;
  const calm = startLoad(world, tokens, random, CALM_CHANGES);
  loads.push(calm);
  await calm.end();
  if (calm.acknowledged.length === 0) violations.push('no change was acknowledged, with nobody killed any more');
  await becomeQuiet(world, false);
  violations.push(...(await lastLogins(world)));
  await world.end();
  violations.push(...(await held(world, loads, kills)));
  if (world.turnedAway > 0) violations.push(`${world.turnedAway} logins were refused for their number`);
  const providerUpdates = (await world.providerUpdates())?.filter(({ at }) => at > 0).length;
  const count = (isSo: (status: number) => boolean): number =>
    loads.flatMap(({ used }) => used).filter(({ status }) => isSo(status)).length;
  return {
    violations,
    figures: {
      kills: kills.length,
      ...byName,
      'changes acknowledged': loads.reduce((sum, load) => sum + load.acknowledged.length, 0),
      'requests accepted': count((status) => status < 400),
      'requests refused with 401': count((status) => status === 401),
      'requests answered 5xx': loads.reduce((sum, load) => sum + load.failed, 0),
      'requests without an answer': loads.reduce((sum, load) => sum + load.unanswered, 0),
      ...(providerUpdates === undefined
        ? {}
        : {
            'messages that the provider took': providerUpdates,
            'of these in calm': providerUpdates - updatesUnderFaults + world.people.length + world.admins.length,
          }),
    },
  };
}

/** A start that is killed as well is begun again by whoever killed it. */
async function startAgain(victim: Victim, afterMs: number): Promise<void> {
  await delay(afterMs);
  await victim.start().catch((error: unknown) => {
    if (!String(error).includes('SIGKILL')) throw error;
  });
}

/** Until nothing is undelivered; a claim of a killed process ends by itself, after half a minute. */
async function becomeQuiet(world: LoopWorld, isHurried: boolean): Promise<void> {
  if (isHurried) await hurry(world);
  await untilNone(world, OPEN);
}

async function untilNone(world: LoopWorld, open: string): Promise<void> {
  const end = Date.now() + QUIET_MS;
  while (Number((await world.admin(open))[0]?.['open']) > 0) {
    // What stays open is a violation, which is told of each user.
    if (Date.now() > end) return;
    await delay(50);
  }
}

/** With no instance that delivers, every claim is of one that was killed. */
async function hurry(world: LoopWorld): Promise<void> {
  const ended = world.victims.filter(({ name }) => name.startsWith('API'));
  await world.end();
  await world.admin(
    `update public.identity_changes
     set claim = null, claimed_until = null, next_attempt_at = clock_timestamp()
     where delivered_at is null`,
  );
  for (const victim of ended) await victim.start();
}

/** Whoever is active comes in with the rights that are stored, and nobody else does. */
async function lastLogins(world: LoopWorld): Promise<string[]> {
  const wrong: string[] = [];
  const [port = 0] = world.ports;
  await untilNone(world, NOT_YET);
  for (const person of world.people) {
    const [stored] = await world.admin('select is_active from public.users where id = $1', [person.id]);
    const token = await world.logIn(person);
    const status = token && (await ask(port, 'GET /api/clients', { token })).status;
    const expected = stored?.['is_active'] === true ? 200 : undefined;
    if (status !== expected) wrong.push(`${person.email}: the last login was answered ${String(status)}`);
  }
  return wrong;
}

async function held(world: LoopWorld, loads: readonly Load[], kills: readonly number[]): Promise<string[]> {
  const providerUpdates = await world.providerUpdates();
  // Each load has numbers of its own; what came later is later.
  const acknowledged = loads.flatMap((load, index) =>
    load.acknowledged.map((one) => ({ ...one, at: one.at + index * 1e9 })),
  );
  const used = loads.flatMap((load, index) => load.used.map((one) => ({ ...one, sentAt: one.sentAt + index * 1e9 })));
  const found: string[] = [];
  for (const person of world.people) {
    const { id, subject } = person;
    const [stored] = await world.admin(
      'select role, client_access::text[] as clients, is_active from public.users where id = $1',
      [id],
    );
    const rows = await world.admin(
      `select request_id, role, client_access::text[] as clients, is_active, state,
              extract(epoch from created_at)::double precision * 1000 as created
       from public.identity_changes where user_id = $1 order by created_at, id`,
      [id],
    );
    const account: Account = {
      person,
      queuedChanges: rows.map((row) => ({
        requestId: String(row['request_id']),
        createdAt: Number(row['created']),
        rights: rightsOf(row['role'], row['clients'] as string[]),
        isActive: row['is_active'] === true,
        state: String(row['state']),
      })),
      acknowledged: acknowledged.filter(({ userId }) => userId === id),
      used: used.filter(({ userId }) => userId === id),
      stored: {
        rights: rightsOf(stored?.['role'], stored?.['clients'] as string[]),
        isActive: stored?.['is_active'] === true,
      },
      providerUpdates: providerUpdates?.filter((one) => one.subject === subject),
    };
    found.push(...violationsOf(account, kills));
  }
  return found;
}
