import { setTimeout as delay } from 'node:timers/promises';
import { HUNG_MS } from '../journal.ts';
import type { Entry } from '../journal.ts';
import { exchange } from './exchange.ts';
import type { Received } from './exchange.ts';
import { foreignIn } from './foreign.ts';
import { textOf } from './judgement.ts';
import type { LoadTenant } from './people.ts';
import { anyOf } from './random.ts';
import type { Random } from './random.ts';

/*
 * This part of a load test changes users’ rights, and sends requests with those users’ tokens. It writes all these
 * requests with their answers into the load test’s file of requests.
 */

/** A user who is known to the identity provider and whose rights the load test changes. */
export interface Member {
  readonly id: string;
  readonly subject: string;
  readonly tenant: LoadTenant;
  /**
   * The clients of the tenant that the load test can give to the user, and those that the user has at the beginning.
   */
  readonly clients: readonly string[];
  readonly first: readonly string[];
}

export interface RightsPlan {
  readonly members: readonly Member[];
  /** The token of an ADMIN of all clients, with which the load test changes the rights of all users. */
  readonly steward: string;
  /** The URL at which the test’s identity provider issues a token for a user. */
  readonly logins: string;
}

/**
 * Writes all rights of a user as one text. An SQL expression of the checks after the load test writes the same text.
 */
export function rightsOf(role: unknown, clients: readonly string[], isActive: boolean): string {
  return [role, ...clients.toSorted(), isActive ? 'active' : 'inactive'].join(' ');
}

export const CHANGE_RIGHTS = 'change rights';
export const USE_RIGHTS = 'use rights';

const ROLES = ['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'];
const WRITERS = 2;
const READERS = 2;
const KEPT_TOKENS = 200;

interface Lane {
  readonly plan: RightsPlan;
  /**
   * The ports of all instances of the service. If one instance withdraws a right, every other instance must refuse it.
   */
  readonly ports: readonly number[];
  readonly tenants: readonly LoadTenant[];
  readonly random: Random;
  readonly isOver: () => boolean;
  nextSerial(): number;
  write(entry: Entry): void;
}

/**
 * Changes the rights of users and sends requests with their tokens. Resolves once the load test is over and each
 * request was answered.
 */
export async function changeAndUseRights(lane: Lane): Promise<void> {
  const { plan, ports, tenants, random, isOver } = lane;
  const pick = <T>(choices: readonly T[]): T => anyOf(random, choices) as T;
  const stock: { member: Member; token: string; rights: string }[] = [];
  let changes = Math.floor(random() * 1_000);

  async function send(
    line: string,
    { member, token, body, about }: { member: Member; token: string; body?: object; about: Partial<Entry> },
  ): Promise<Received> {
    const serial = lane.nextSerial();
    const at = Date.now();
    const received = await exchange({
      ...{ port: pick(ports), line, agent: false, boundMs: HUNG_MS, hangUpMs: undefined },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...{ 'user-agent': `faults/${serial}.1`, authorization: `Bearer ${token}` },
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    });
    const { status, lost, ms, headers, body: answer } = received;
    const expects = about.kind === 'use' ? [200, 401, 403, 503] : [200, 503];
    const isExpected = lost !== null || expects.includes(status ?? 0);
    const others = tenants.filter(({ word }) => word !== member.tenant.word);
    lane.write({
      ...{
        serial,
        attempt: 1,
        operation: '',
        kind: 'use',
        table: 'users',
        record: member.id,
        marker: null,
        keyed: false,
      },
      ...{ status, lost, requestId: textOf(headers['x-request-id']), expected: isExpected },
      ...{ retryAfter: headers['retry-after'] !== undefined, answer: null },
      ...{ foreign: foreignIn(received, { own: member.tenant, others }), at, ms },
      ...{ defect: isExpected ? null : answer.toString().slice(0, 300), ...about },
    });
    return received;
  }

  /**
   * Gives a user a new role and another set of clients. The set follows from a counter, so that it differs from all
   * earlier sets of the user.
   */
  async function change(): Promise<void> {
    changes += 1;
    const member = pick(plan.members);
    const clients = member.clients.filter((_, index) => (changes >> index) % 2 === 1);
    const [role, isActive] = [pick(ROLES), random() < 0.85];
    await send(`PUT /api/users/${member.id}`, {
      ...{ member, token: plan.steward, body: { role, is_active: isActive, client_access: clients } },
      about: { operation: CHANGE_RIGHTS, kind: 'grant', marker: rightsOf(role, clients, isActive) },
    });
    // Some changes of a user’s rights follow each other at once. After most changes the load test waits, so that the
    // service can send them to the identity provider.
    await delay((random() < 0.4 ? 30 : 700) * random());
  }

  async function logIn(): Promise<void> {
    const member = pick(plan.members);
    const answer = await fetch(`${plan.logins}/${encodeURIComponent(member.subject)}`).catch(() => undefined);
    if (answer?.status === 200) {
      stock.push({ member, ...((await answer.json()) as { token: string; rights: string }) });
      if (stock.length > KEPT_TOKENS) stock.splice(Math.floor(random() * stock.length), 1);
    }
    await delay(60 * random());
  }

  /**
   * Sends a request with a token of a user: mostly with one of the newest tokens, and sometimes with a much older one.
   */
  async function use(): Promise<void> {
    const chosen = anyOf(random, stock.slice(random() < 0.6 ? -8 : 0));
    if (chosen !== undefined) {
      const { member, token, rights } = chosen;
      await send('GET /api/clients', {
        ...{ member, token },
        about: { operation: USE_RIGHTS, kind: 'use', marker: rights },
      });
    }
    await delay(120 * random());
  }

  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (!isOver()) await work();
  };
  await Promise.all([
    ...Array.from({ length: WRITERS }, () => repeat(change)),
    ...Array.from({ length: READERS }, () => [repeat(logIn), repeat(use)]).flat(),
  ]);
}
