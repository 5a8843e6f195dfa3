import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { accountOfPostgres } from './account.ts';
import { runAsScript } from './as-script.ts';
import { startEtcd } from './etcd.ts';
import type { Etcd } from './etcd.ts';
import { startHaproxy } from './haproxy.ts';
import type { Haproxy } from './haproxy.ts';
import type { Part, PartOptions } from './part.ts';
import { createPatroniNode } from './patroni-node.ts';
import type { PatroniNode } from './patroni-node.ts';
import { findProgram } from './program.ts';

/**
 * A Patroni cluster of three nodes with synchronous replication. It also has an etcd, and an HAProxy that forwards
 * connections to the leader.
 */
export interface Patroni extends Part {
  readonly nodes: readonly PatroniNode[];
  readonly etcd: Etcd;
  readonly haproxy: Haproxy;
  /** The superuser’s connection URL with the addresses of all nodes, in the form that libpq accepts. */
  readonly url: string;
  /** The superuser’s connection URL through HAProxy, which forwards connections to the leader. */
  readonly proxiedUrl: string;
  leader(): Promise<PatroniNode>;
  /**
   * Returns the superuser’s connection URL for a database on the present leader, for clients that accept only one
   * server.
   */
  readonly leaderUrl: (database: string) => Promise<string>;
  asynchronousStandby(): Promise<PatroniNode>;
  /** Waits until the leader has a synchronous standby and every running node receives the leader’s changes. */
  settled(): Promise<void>;
  /** Makes another node the leader, as an operator would do for maintenance. */
  switchover(): Promise<void>;
}

/** A node of the Patroni cluster, as the path `/cluster` of Patroni’s HTTP interface describes it. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | string;
}

const NODES = ['node1', 'node2', 'node3'];
const TTL = 20;
const SETTLED_MS = 90_000;
/**
 * What the leader logs in each round if the key `sync` in etcd names another leader. Debian 12's Patroni 3.0.2 can leave
 * such a key after its process was suspended. Then no standby becomes synchronous, and writes wait until an operator
 * deletes the key.
 */
const FOREIGN_SYNC_KEY = 'Synchronous replication key updated by someone else';
const FOREIGN_SYNC_KEY_MS = 20_000;

export async function startPatroni({ dir, port }: PartOptions): Promise<Patroni> {
  await mkdir(dir, { recursive: true });
  const started: Part[] = [];
  const close = async (): Promise<void> => {
    // The nodes end one after the other. A node that ends properly tells the others so through etcd, which must
    // therefore end last.
    for (const part of started.splice(0).reverse()) await part.close();
  };
  try {
    const etcd = await startEtcd({ dir: join(dir, 'etcd') });
    started.push(etcd);
    const [superuser, replication, rewind] = [password(), password(), password()];
    const passwords = { superuser, replication, rewind };
    const nodes: PatroniNode[] = [];
    for (const name of NODES) {
      nodes.push(
        await createPatroniNode({
          ...{ name, dir: join(dir, name), etcdPort: etcd.port, passwords, ttl: TTL },
        }),
      );
    }
    started.push(...nodes);
    // The first node creates the database, and the other nodes copy it.
    for (const node of nodes) await node.start();
    const haproxy = await startHaproxy({
      ...{ dir: join(dir, 'haproxy'), port, configuration: 'postgres.cfg' },
      environment: Object.fromEntries(
        nodes.flatMap(({ port: own, restPort }, index) => [
          [`NODE_${index + 1}`, `127.0.0.1:${own}`],
          [`NODE_${index + 1}_REST`, String(restPort)],
        ]),
      ),
    });
    started.push(haproxy);
    const hosts = nodes.map((node) => `127.0.0.1:${node.port}`).join();
    const login = `postgres://postgres:${superuser}@`;
    const patroni = { nodes, etcd, haproxy, ...interfaceOf(nodes, etcd) };
    await patroni.settled();
    return {
      ...patroni,
      url: `${login}${hosts}/postgres?target_session_attrs=read-write`,
      proxiedUrl: `${login}127.0.0.1:${haproxy.port}/postgres`,
      leaderUrl: async (database) => `${login}127.0.0.1:${(await patroni.leader()).port}/${database}`,
      pids: async () => (await Promise.all(started.map((part) => part.pids()))).flat(),
      freeze: () => each(started, (part) => part.freeze()),
      resume: () => each(started, (part) => part.resume()),
      kill: () => each(started, (part) => part.kill()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function interfaceOf(
  nodes: readonly PatroniNode[],
  etcd: Etcd,
): Pick<Patroni, 'leader' | 'asynchronousStandby' | 'settled' | 'switchover'> {
  const leader = async (): Promise<PatroniNode> => {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      for (const node of nodes) if (await isLeader(node)) return node;
      await delay(100);
    }
    throw new Error('no node leads');
  };
  return {
    leader,
    async asynchronousStandby() {
      const members = await membersBy(await leader());
      const name = members.find(({ role }) => role === 'replica')?.name;
      const node = nodes.find((one) => one.name === name);
      if (node === undefined) throw new Error(`no node follows asynchronously: ${JSON.stringify(members)}`);
      return node;
    },
    async settled() {
      const begun = Date.now();
      let isRepaired = false;
      for (;;) {
        const leading = await leader();
        const members = await membersBy(leading);
        const isSettled =
          members.length === nodes.length &&
          members.every(({ state }) => state === 'running' || state === 'streaming') &&
          members.some(({ role }) => role === 'sync_standby') &&
          members.every(({ role, lag = 0 }) => role === 'leader' || lag === 0);
        if (isSettled) return;
        const isDue = !isRepaired && Date.now() > begun + FOREIGN_SYNC_KEY_MS;
        if (isDue && leading.output.slice(-500).includes(FOREIGN_SYNC_KEY)) {
          await etcd.remove('/service/taxclaims/sync');
          isRepaired = true;
        }
        if (Date.now() > begun + SETTLED_MS)
          throw new Error(
            `the cluster is not settled: ${JSON.stringify(members)}\n${leading.name}: ${leading.output.slice(-2_000)}`,
          );
        await delay(200);
      }
    },
    async switchover() {
      const { name, configuration } = await leader();
      const patronictl = await findProgram('patronictl', 'patroni');
      await promisify(execFile)(
        patronictl,
        ['-c', configuration, 'switchover', '--master', name, '--force', 'taxclaims'],
        { ...(await accountOfPostgres()), env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' } },
      );
    },
  };
}

async function isLeader({ restPort }: PatroniNode): Promise<boolean> {
  const url = `http://127.0.0.1:${restPort}/leader`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return answer?.ok === true;
}

async function membersBy({ restPort }: PatroniNode): Promise<readonly Member[]> {
  const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
  return answer === undefined ? [] : ((await answer.json()) as { members: Member[] }).members;
}

const password = (): string => randomBytes(18).toString('base64url');

async function each(parts: readonly Part[], act: (part: Part) => Promise<void>): Promise<void> {
  for (const part of parts) await act(part);
}

if (import.meta.main) await runAsScript(startPatroni, ({ url, proxiedUrl }) => `${url}\n${proxiedUrl}`);
