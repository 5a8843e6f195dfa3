import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../test/faults/service-process.ts';
import { startHaproxy } from '../lab/haproxy.ts';
import type { Haproxy } from '../lab/haproxy.ts';

/**
 * Starts HAProxy in front of several instances of the service, on the given port or a free one. Resolves once HAProxy
 * sends requests to every instance.
 */
export async function frontOf(ports: readonly number[], dir: string, port?: number): Promise<Haproxy> {
  const haproxy = await startHaproxy({
    ...{ dir, port, configuration: 'api.cfg' },
    environment: Object.fromEntries(ports.map((one, index) => [`API_${index + 1}`, `127.0.0.1:${one}`])),
  });
  await untilUp(haproxy, ports.length);
  return haproxy;
}

/**
 * Restarts one instance of the service after the other, as an operator would. HAProxy first stops sending requests to
 * the instance, and the instance answers its open requests.
 */
export async function replaceEach(services: readonly ServiceProcess[], haproxy: Haproxy, besideMs = 0): Promise<void> {
  for (const [index, service] of services.entries()) {
    await delay(besideMs);
    const name = `api/api${index + 1}`;
    await haproxy.ask(`set server ${name} state drain`);
    while ((await sessionsOf(haproxy, index)) > 0) await delay(50);
    service.signal('SIGTERM');
    const { how } = await service.ended();
    if (how !== 0) throw new Error(`the instance ended with ${String(how)}`);
    await service.start();
    await haproxy.ask(`set server ${name} state ready`);
    await untilUp(haproxy, services.length);
  }
}

async function untilUp(haproxy: Haproxy, count: number): Promise<void> {
  while ((await serversOf(haproxy)).filter(({ isUp }) => isUp).length < count) await delay(100);
}

async function sessionsOf(haproxy: Haproxy, index: number): Promise<number> {
  const servers = await serversOf(haproxy);
  const server = servers.find(({ name }) => name === `api${index + 1}`);
  if (server === undefined) throw new Error(`HAProxy has no server api${index + 1}`);
  return server.sessions;
}

interface Server {
  readonly name: string;
  readonly isUp: boolean;
  readonly sessions: number;
}

/** Returns the state in which HAProxy sees each instance of the service, for example `UP`. */
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
