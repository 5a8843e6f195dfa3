import { setTimeout as delay } from 'node:timers/promises';
import { migrateWithCommand } from '../../test/faults/commands.ts';
import { createScratchCluster } from '../../test/faults/cluster.ts';
import { startHaproxy } from '../lab/haproxy.ts';
import type { Haproxy } from '../lab/haproxy.ts';
import { releaseBefore } from '../lab/release.ts';
import type { Bounds, Fault, Result } from './fault.ts';
import type { Front, Running, UnderLoad } from './under-load.ts';
import type { Closable, World } from './world.ts';

/* Two instances behind HAProxy, on one Postgres. */

/** How long both releases serve beside each other, and one instance serves alone. */
const BESIDE_MS = 4_000;

interface Break {
  readonly name: string;
  readonly bounds: Bounds;
  /** Whether the release before is there at first. */
  readonly fromBefore?: true;
  begin: (running: Running, haproxy: Haproxy) => Promise<void>;
}

const BREAKS: readonly Break[] = [
  {
    name: 'one of two restarted',
    bounds: { failed: 0 },
    begin: (running, haproxy) => restart(running, haproxy, 0),
  },
  {
    name: 'the release before replaced, one by one',
    bounds: { failed: 0 },
    fromBefore: true,
    async begin(running, haproxy) {
      await migrateWithCommand(await running.adminUrl());
      await delay(BESIDE_MS);
      await restart(running, haproxy, 0);
      await delay(BESIDE_MS);
      await restart(running, haproxy, 1);
    },
  },
  {
    // What it had taken is gone with it; the checks see that a second later nobody is sent there.
    name: 'one of two killed',
    bounds: { backAfterMs: 5_000 },
    async begin({ services: [one] }) {
      one?.signal('SIGKILL');
      await one?.ended();
      await delay(BESIDE_MS);
      await one?.start();
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map((one) => ({
  ...{ part: 'api', fault: one.name, bounds: one.bounds },
  run: (world: World) => tryBreak(world, one),
}));

async function tryBreak(world: World, { begin, fromBefore }: Break): Promise<Result> {
  const postgres = await world.once('server', closableCluster);
  let haproxy: Haproxy | undefined;
  const options: UnderLoad = {
    adminUrl: (database) => Promise.resolve(withPath(postgres.adminUrl, database)),
    environment: ({ name, password, database }) => {
      const url = new URL(withPath(postgres.adminUrl, database));
      url.username = name;
      url.password = password;
      return { DATABASE_URL: url.href, TRUST_PROXY: '1' };
    },
    instances: 2,
    front: async (ports, dir): Promise<Front> => (haproxy = await frontOf(ports, dir)),
    async break(running) {
      if (haproxy !== undefined) await begin(running, haproxy);
      return undefined;
    },
  };
  if (fromBefore === undefined) return world.underLoad(options);
  return world.underLoad({ ...options, release: await releaseBefore(world.folder('release'), world.from) });
}

async function frontOf([one = 0, two = 0]: readonly number[], dir: string): Promise<Haproxy> {
  const haproxy = await startHaproxy({
    ...{ dir, configuration: 'api.cfg' },
    environment: { API_1: `127.0.0.1:${one}`, API_2: `127.0.0.1:${two}` },
  });
  await untilUp(haproxy, 2);
  return haproxy;
}

/** As an operator restarts an instance: nobody new is sent there, what it has is finished, and then it ends. */
async function restart({ services }: Running, haproxy: Haproxy, index: number): Promise<void> {
  const name = `api/api${index + 1}`;
  await haproxy.ask(`set server ${name} state drain`);
  while ((await sessionsOf(haproxy, index)) > 0) await delay(50);
  services[index]?.signal('SIGTERM');
  const ended = await services[index]?.ended();
  if (ended?.how !== 0) throw new Error(`the instance ended with ${String(ended?.how)}`);
  await services[index]?.start();
  await haproxy.ask(`set server ${name} state ready`);
  await untilUp(haproxy, 2);
}

interface Server {
  readonly name: string;
  readonly isUp: boolean;
  readonly sessions: number;
}

/** What HAProxy says of the servers of its backend. */
async function serversOf(haproxy: Haproxy): Promise<readonly Server[]> {
  const [head = '', ...lines] = (await haproxy.ask('show stat api 4 -1')).split('\n');
  const titles = head.replace(/^# /, '').split(',');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split(',');
      const of = (title: string): string => cells[titles.indexOf(title)] ?? '';
      return { name: of('svname'), isUp: of('status') === 'UP', sessions: Number(of('scur')) };
    });
}

async function sessionsOf(haproxy: Haproxy, index: number): Promise<number> {
  const servers = await serversOf(haproxy);
  const server = servers.find(({ name }) => name === `api${index + 1}`);
  if (server === undefined) throw new Error(`HAProxy knows no api${index + 1}`);
  return server.sessions;
}

async function untilUp(haproxy: Haproxy, count: number): Promise<void> {
  while ((await serversOf(haproxy)).filter(({ isUp }) => isUp).length < count) await delay(100);
}

interface ClosableCluster extends Closable {
  readonly adminUrl: string;
}

async function closableCluster(folder: string): Promise<ClosableCluster> {
  const cluster = await createScratchCluster(folder);
  return { adminUrl: cluster.adminUrl, close: () => cluster.remove() };
}

function withPath(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}
