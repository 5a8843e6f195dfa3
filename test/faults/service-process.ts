import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { addressOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';

/** The service as a process that a test can end and start again with the same port and data folder. */
export interface ServiceProcess {
  readonly port: number;
  readonly pid: number;
  /** True if the process that was started last still runs. */
  readonly isRunning: boolean;
  /** The output of the service, for a report of a failed check. */
  readonly output: string;
  /** Starts the service from this checkout, or from another release in the folder `root`. */
  start(root?: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /**
   * Waits until the process that was started last ends. Returns its exit code or signal, and how many milliseconds this
   * took.
   */
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
    if (started === undefined) throw new Error('the test has not started the service');
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

export async function killAndStart(service: ServiceProcess): Promise<void> {
  const ended = service.ended();
  service.signal('SIGKILL');
  await ended;
  await service.start();
}
