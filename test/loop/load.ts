import { decodeJwt } from 'jose';
import { setTimeout as delay } from 'node:timers/promises';
import { anyOf } from '../faults/load/random.ts';
import type { Random } from '../faults/load/random.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import type { LoopWorld, Person } from './world.ts';

/** A change that was acknowledged; the numbers order it among what was sent. */
export interface Acknowledged {
  readonly userId: string;
  readonly requestId: string;
  readonly at: number;
  /** Whether it sets every right anew, and so changes some for certain. */
  readonly isWhole: boolean;
}

/** A request with a token, that was answered. */
export interface Used {
  readonly userId: string;
  readonly line: string;
  readonly rights: string;
  readonly sentAt: number;
  readonly status: number;
}

export interface Load {
  readonly acknowledged: readonly Acknowledged[];
  readonly used: readonly Used[];
  /** Requests without any answer, as while the service is away. */
  readonly unanswered: number;
  /** Requests whose answer says that the service could not serve them. */
  readonly failed: number;
  /** Resolves once nothing is under way any more. */
  end(): Promise<void>;
}

/** Role and clients, as one text. */
export function rightsOf(role: unknown, clients: readonly unknown[]): string {
  return `${String(role)} ${clients.map(String).toSorted().join(' ')}`;
}

const ROLES = ['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'];
const KEPT_TOKENS = 400;
const WRITERS = 3;
const READERS = 3;

/**
 * Changes rights, logs in and asks, all at once and again and again; `only` so many changes where that is given. `tokens`
 * are those of the world's ADMINs, in their order, and are renewed here when they are over.
 */
export function startLoad(world: LoopWorld, tokens: string[], random: Random, only = Infinity): Load {
  const acknowledged: Acknowledged[] = [];
  const used: Used[] = [];
  const stock: { person: Person; token: string; rights: string }[] = [];
  let isEnding = false;
  let changes = 0;
  let clock = 0;
  const counted = { unanswered: 0, failed: 0 };
  const pick = <T>(choices: readonly T[]): T => anyOf(random, choices) as T;

  async function send(line: string, question: object): Promise<Answer | undefined> {
    const answer = await ask(pick(world.ports), line, question).catch(() => undefined);
    if (answer === undefined) counted.unanswered += 1;
    else if (answer.status >= 500) counted.failed += 1;
    return answer;
  }

  async function change(): Promise<void> {
    const { id } = pick(world.people);
    const by = pick([...tokens.keys()]);
    const token = tokens[by] ?? '';
    const isWhole = random() < 0.6;
    const client = pick(world.clients);
    const body = {
      ...{ role: pick(ROLES), is_active: random() < 0.85 },
      client_access: world.clients.filter(() => random() < 0.4),
    };
    const answer = isWhole
      ? await send(`PUT /api/users/${id}`, { token, body })
      : await send(`${pick(['PUT', 'DELETE'])} /api/users/${id}/client-access/${client}`, { token });
    if (answer !== undefined && answer.status < 300) {
      const requestId = String(answer.headers['x-request-id']);
      acknowledged.push({ userId: id, requestId, at: (clock += 1), isWhole });
    }
    const admin = world.admins[by];
    if (answer?.status === 401 && admin !== undefined) tokens[by] = (await world.logIn(admin)) ?? token;
  }

  async function logIn(): Promise<void> {
    const person = pick(world.people);
    const token = await world.logIn(person);
    if (token === undefined) return;
    const { role, client_access: clients } = decodeJwt(token);
    const rights = rightsOf(role, clients as readonly string[]);
    stock.push({ person, token, rights });
    if (stock.length > KEPT_TOKENS) stock.splice(Math.floor(random() * stock.length), 1);
    await use({ person, token, rights }, 'POST /api/auth/login', { body: { token } });
  }

  async function use({ person, rights }: (typeof stock)[number], line: string, question: object): Promise<void> {
    const sentAt = (clock += 1);
    const answer = await send(line, question);
    if (answer !== undefined) used.push({ userId: person.id, line, rights, sentAt, status: answer.status });
  }

  /** One of the last tokens mostly, and sometimes one from long before. */
  async function read(): Promise<void> {
    const from = random() < 0.6 ? Math.max(0, stock.length - 12) : 0;
    const chosen = anyOf(random, stock.slice(from));
    if (chosen === undefined) return;
    await use(chosen, 'GET /api/clients', { token: chosen.token });
  }

  async function lane(
    work: () => Promise<void>,
    isOver: () => boolean,
    pauseMs = () => 5 + 40 * random(),
  ): Promise<void> {
    while (!isOver()) {
      await work();
      await delay(pauseMs());
    }
  }

  const isOver = (): boolean => isEnding;
  const writing = Array.from({ length: WRITERS }, () =>
    lane(
      async () => {
        changes += 1;
        await change();
      },
      () => isEnding || changes >= only,
      // Some changes follow each other at once; mostly there is time for the provider to learn of one.
      () => (random() < 0.4 ? 30 : 700) * random(),
    ),
  );
  const reading = Array.from({ length: READERS }, () => [lane(logIn, isOver), lane(read, isOver)]).flat();
  return {
    acknowledged,
    used,
    get unanswered() {
      return counted.unanswered;
    },
    get failed() {
      return counted.failed;
    },
    async end() {
      if (only < Infinity) await Promise.all(writing);
      isEnding = true;
      await Promise.all([...writing, ...reading]);
    },
  };
}
