import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, processesIn, sendTo } from '../../test/faults/processes.ts';
import type { Part } from './part.ts';

interface ProgramOptions {
  /** The program to start: its name or its absolute path. */
  readonly program: string;
  /** The Debian package that contains the program. */
  readonly package: string;
  readonly args: readonly string[];
  /**
   * The folder in which the program works. Every process that works in this folder or below it counts as a child of the
   * program.
   */
  readonly dir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The ids of the user and the group as which the program runs; if absent, those of the present user. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** Returns true once the program answers requests. */
  readonly answers: () => Promise<boolean>;
  /** The signal that makes the program end properly; SIGTERM if absent. */
  readonly signal?: NodeJS.Signals;
}

export interface Program extends Part {
  readonly pid: number;
  /** The last part of the program’s output, for error messages. */
  readonly output: string;
  readonly ended: Promise<void>;
}

const START_MS = 60_000;
const END_MS = 15_000;
const OUTPUT = 20_000;
/** Folders with server programs of Debian that are not in a user’s PATH. */
const FURTHER = ['/usr/sbin', '/sbin', '/usr/lib/postgresql/15/bin'];

/** @throws an Error of one line with the name of the Debian package, if the program is not installed */
export async function findProgram(program: string, fromPackage: string): Promise<string> {
  if (isAbsolute(program)) return program;
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...FURTHER]) {
    const path = join(folder, program);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error(`${program} is missing: apt-get install --no-install-recommends ${fromPackage}`);
}

/**
 * Starts a program, and resolves once the program answers requests. If the program ends before that, or does not answer
 * within a minute, rejects with the program’s output.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { dir, account, signal = 'SIGTERM' } = options;
  const child = spawn(await findProgram(options.program, options.package), options.args, {
    cwd: dir,
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-OUTPUT)));
  }
  const ended = once(child, 'exit').then(() => undefined);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await once(child, 'spawn');
  const { pid = 0 } = child;

  const pids = async (): Promise<number[]> => {
    const others = (await processesIn(dir)).filter((one) => one !== pid);
    return hasEnded() ? others : [pid, ...others];
  };
  const tell = async (name: NodeJS.Signals): Promise<void> => {
    for (const one of await pids()) sendTo(one, name);
  };
  const kill = async (): Promise<void> => {
    // Kills the processes again and again until none is left. While a process was being killed, one of its children may
    // have started another.
    for (let left = await pids(); left.some(isAlive); left = await pids()) {
      for (const one of left) sendTo(one, 'SIGKILL');
      await delay(20);
    }
  };
  const program: Program = {
    pid,
    ended,
    pids,
    kill,
    freeze: () => tell('SIGSTOP'),
    resume: () => tell('SIGCONT'),
    async close() {
      await tell('SIGCONT');
      if (!hasEnded()) sendTo(pid, signal);
      await Promise.race([ended, delay(END_MS, undefined, { ref: false })]);
      await kill();
    },
    get output() {
      return output;
    },
  };
  const end = Date.now() + START_MS;
  while (!(await options.answers().catch(() => false))) {
    if (hasEnded() || Date.now() > end) {
      await kill();
      throw new Error(`${options.program} ${hasEnded() ? 'ended' : 'does not answer'}:\n${output}`);
    }
    await delay(100);
  }
  return program;
}
