import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { processesIn } from '../processes.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CTRL_C = '\x03';
/**
 * How many milliseconds after the start of the service the test presses Ctrl-C. At these moments the service creates
 * its database, migrates the database, or already answers requests.
 */
const MOMENTS_MS = [400, 1_200, 2_500, 500, 1_500, undefined, undefined];
const TIMEOUT_MS = 12_000;

/**
 * Runs `npm start` in a terminal, because a Ctrl-C in a terminal reaches every process that `npm start` has started.
 */
function startInTerminal(data: string): ChildProcess {
  return spawn('script', ['--quiet', '--return', '--command', `npm start --prefix ${ROOT}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'dumb', PORT: '0', DATA_DIR: data, LOG_LEVEL: 'warn' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function untilItServes({ stdout }: ChildProcess): Promise<void> {
  let written = '';
  while (stdout !== null && !/^API /m.test(written)) {
    const [piece] = (await once(stdout, 'data')) as [Buffer];
    written += piece.toString();
  }
}

/** @throws Error if a process that `npm start` has started still runs after Ctrl-C */
async function interrupt(child: ChildProcess, data: string): Promise<void> {
  const ended = once(child, 'close').then(() => true);
  child.stdin?.write(CTRL_C);
  const isOver = await Promise.race([ended, delay(TIMEOUT_MS, false)]);
  const left = await processesIn(data);
  if (isOver && left.length === 0) return;
  for (const pid of left) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  throw new Error(isOver ? `${left.length} processes of Postgres are still running` : 'Ctrl-C does not end npm start');
}

export const faults: readonly Fault[] = [
  {
    name: 'start-interrupted',
    what: 'a user presses Ctrl-C at seven moments of npm start in a terminal',
    must: 'npm start ends, and every process of its Postgres ends too',
    holdMs: 0,
    spares: () => true,
    async begin({ folder }) {
      const data = join(folder, 'interrupted');
      await mkdir(data);
      for (const moment of MOMENTS_MS) {
        const child = startInTerminal(data);
        child.stdout?.resume();
        await (moment === undefined ? untilItServes(child) : delay(moment));
        await interrupt(child, data);
      }
      return nothing;
    },
  },
];
