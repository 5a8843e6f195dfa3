import { setTimeout as delay } from 'node:timers/promises';
import { startHaproxy } from '../lab/haproxy.ts';
import type { Haproxy } from '../lab/haproxy.ts';

/** HAProxy before two instances, once it sends requests to both; at a port where it was before, if that is given. */
export async function frontOf(ports: readonly number[], dir: string, port?: number): Promise<Haproxy> {
  const [one = 0, two = 0] = ports;
  const haproxy = await startHaproxy({
    ...{ dir, port, configuration: 'api.cfg' },
    environment: { API_1: `127.0.0.1:${one}`, API_2: `127.0.0.1:${two}` },
  });
  await untilUp(haproxy, 2);
  return haproxy;
}

export async function untilUp(haproxy: Haproxy, count: number): Promise<void> {
  while ((await serversOf(haproxy)).filter(({ isUp }) => isUp).length < count) await delay(100);
}

export async function sessionsOf(haproxy: Haproxy, index: number): Promise<number> {
  const servers = await serversOf(haproxy);
  const server = servers.find(({ name }) => name === `api${index + 1}`);
  if (server === undefined) throw new Error(`HAProxy knows no api${index + 1}`);
  return server.sessions;
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
