import { findFreePort } from '../../src/embedded/postgres/free-port.ts';
import { addressOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';

/** The service as a process, which may be ended and started again in the same place. */
export interface ServiceProcess {
  readonly port: number;
  readonly pid: number;
  /** Whether it is the process that was started last, and has not ended. */
  readonly isRunning: boolean;
  /** What it wrote, for whoever looks for the cause. */
  readonly output: string;
  /** Of another release, where that is in a folder of its own. */
  start(root?: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** How the process that was started last ended, and after how long from now. */
  ended(): Promise<{ how: number | string; ms: number }>;
}

export async function createServiceProcess(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const port = await findFreePort(0);
  let started: Started | undefined;
  let isRunning = false;
  const present = (): Started => {
    if (started === undefined) throw new Error('the service was not started');
    return started;
  };
  return {
    port,
    get pid() {
      return present().pid;
    },
    get isRunning() {
      return isRunning;
    },
    get output() {
      return `${present().err}${present().out}`;
    },
    async start(root) {
      const one = start(folder, { PORT: String(port), LOG_LEVEL: 'warn', ...environment }, root);
      started = one;
      isRunning = true;
      void one.ended.then(() => {
        if (started === one) isRunning = false;
      });
      await addressOf(one);
    },
    signal: (name) => {
      present().signal(name);
    },
    async ended() {
      const from = performance.now();
      const how = await present().ended;
      return { how, ms: Math.round(performance.now() - from) };
    },
  };
}

/** kill -9, and a new start. */
export async function killAndStart(service: ServiceProcess): Promise<void> {
  const ended = service.ended();
  service.signal('SIGKILL');
  await ended;
  await service.start();
}
