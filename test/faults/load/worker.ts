import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { HUNG_MS, HUNG_WITH_CONTENT_MS } from '../journal.ts';
import type { Entry } from '../journal.ts';
import { exchange } from './exchange.ts';
import type { Received } from './exchange.ts';
import type { Gate } from './gate.ts';
import { digestOf, isUnanswered, judge, textOf } from './judgement.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation, Situation, Wanted } from './operations.ts';
import type { Belongings, LoadTenant, Person, Plan, Tally } from './people.ts';
import { randomFrom } from './random.ts';
import type { Random } from './random.ts';
import { Sight } from './sight.ts';

/** What all workers that send a load test’s requests share. */
export interface Shared {
  readonly plan: Plan;
  readonly tenants: readonly LoadTenant[];
  /** Returns a number for a request that no other request of the load test has. */
  nextSerial(): number;
  newToken: string | undefined;
  /** While the load test is paused, each worker waits at this gate before it sends its next request. */
  readonly gate: Gate;
  tallyOf(tenant: LoadTenant): Tally;
  /**
   * The load test begins no new request after this time. A request with an Idempotency-Key is repeated for at most
   * PATIENCE_MS longer.
   */
  stoppedAt: number | undefined;
  write(entry: Entry): void;
}

const RETRY_MS = 40_000;
const REPEAT_MS = 250;
/**
 * Percentage of the requests with an Idempotency-Key that the load test sends three times: twice at once, and again
 * after the answer.
 */
const TWICE = 40;
const WITH_CONTENT = /^POST .*\/documents$|\/content$/;

/** A worker sends the requests of one simulated user, one after the other. */
export class Worker {
  readonly #shared: Shared;
  readonly #person: Person;
  readonly #random: Random;
  readonly #agent = new Agent({ keepAlive: true, keepAliveMsecs: 1_000 });
  readonly #own: Belongings = { sites: [], sight: new Sight(), claims: [], uploads: [], drafts: [] };
  readonly #operations: readonly Operation[];

  constructor(shared: Shared, person: Person, seed: number) {
    this.#shared = shared;
    this.#person = person;
    this.#random = randomFrom(seed);
    this.#operations = OPERATIONS.filter(
      ({ name, roles }) => roles.includes(person.role) && !shared.plan.without.includes(name),
    );
  }

  async run(): Promise<void> {
    while (this.#shared.stoppedAt === undefined) {
      await this.#shared.gate.pass();
      await this.send(this.#choose());
      await delay(this.#random() * 2 * this.#shared.plan.thinkMs);
    }
    this.#agent.destroy();
  }

  /**
   * Sends a request. If the request has an Idempotency-Key, it is repeated until it is answered. Some of these requests
   * are sent twice at once and again after the answer, so that a failure also hits keys that are in use or already
   * used.
   */
  async send(operation: Operation, isAlone = false): Promise<void> {
    const serial = this.#shared.nextSerial();
    const wanted = operation.prepare(this.#situation(serial));
    if (wanted === undefined) return;
    const key = this.#random() * 100 < (operation.keyed ?? 0) ? randomUUID() : undefined;
    const { name, kind, table = null } = operation;
    let attempts = 0;
    let isKnown = false;
    /** Sends a request once, and returns whether the load test has to send it again. */
    const attempt = async (): Promise<boolean> => {
      const number = (attempts += 1);
      const at = Date.now();
      const received = await this.#exchange(wanted, { agent: `faults/${serial}.${number}`, key, isAlone });
      const isOpen = key !== undefined && isUnanswered(received);
      const repeated = isOpen && Date.now() < (this.#shared.stoppedAt ?? Infinity) + RETRY_MS;
      const judged = judge(wanted, received, {
        ...{ repeated, isKnown, tenant: this.#person.tenant, others: this.#others() },
      });
      isKnown ||= !isOpen;
      const [record, marker] = [judged.record ?? wanted.record ?? null, wanted.marker ?? null];
      const { status, lost, ms } = received;
      this.#shared.write({
        ...{ serial, attempt: number, operation: name, kind, table, record, marker, keyed: key !== undefined },
        ...{ status, lost, requestId: textOf(received.headers['x-request-id']) },
        ...{ expected: judged.expected, retryAfter: received.headers['retry-after'] !== undefined },
        ...{ answer: key === undefined ? null : digestOf(received) },
        ...{ foreign: judged.foreign, defect: judged.defect, at, ms },
      });
      return repeated;
    };
    if (key !== undefined && this.#random() * 100 < TWICE) await Promise.all([attempt(), attempt()]);
    while (await attempt()) await delay(REPEAT_MS * (1 + this.#random()));
  }

  #choose(): Operation {
    const total = this.#operations.reduce((sum, { weight }) => sum + weight, 0);
    let left = this.#random() * total;
    for (const operation of this.#operations) {
      left -= operation.weight;
      if (left < 0) return operation;
    }
    throw new Error(`the load test has no operation for the role ${this.#person.role}`);
  }

  #others(): readonly LoadTenant[] {
    return this.#shared.tenants.filter(({ word }) => word !== this.#person.tenant.word);
  }

  #situation(serial: number): Situation {
    const marker = `${this.#person.tenant.word} ${serial}`;
    const { newToken } = this.#shared;
    const [person, own, random] = [this.#person, this.#own, this.#random];
    const tally = this.#shared.tallyOf(person.tenant);
    return { person, own, random, tally, others: this.#others(), serial, marker, newToken };
  }

  #exchange(
    { line, headers = {}, body, token = this.#person.token, hangUpMs }: Wanted,
    { agent, key, isAlone }: { agent: string; key: string | undefined; isAlone: boolean },
  ): Promise<Received> {
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    const sent = isJson ? Buffer.from(JSON.stringify(body)) : body;
    return exchange({
      ...{ port: this.#shared.plan.port, line, agent: isAlone ? false : this.#agent },
      hangUpMs,
      boundMs: WITH_CONTENT.test(line) ? HUNG_WITH_CONTENT_MS : HUNG_MS,
      ...(sent === undefined ? {} : { body: sent }),
      headers: {
        ...{ 'user-agent': agent, ...headers },
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(sent === undefined ? {} : { 'content-length': sent.length }),
        ...(key === undefined ? {} : { 'idempotency-key': `"${key}"` }),
      },
    });
  }
}
