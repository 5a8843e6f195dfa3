import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { EMBEDDED_MAKE_MS, EMBEDDED_MESSAGE_CHARACTERS } from '../../limits.ts';

/** The whole environment of what is run here: nothing of the caller's, so no PG* variable steers it. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

const running = new Set<ChildProcess>();

/**
 * Begins a program in a session of its own: Ctrl-C in the terminal must reach the caller alone, which still drains on
 * what it has begun. Its output goes to a file, or to pipes.
 */
export function spawnApart(command: readonly string[], output: number | 'pipe'): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    detached: true,
    env: ENVIRONMENT,
    cwd: '/',
    stdio: ['ignore', output, output],
  });
  running.add(child);
  const forget = (): void => {
    running.delete(child);
  };
  child.once('exit', forget).once('error', forget);
  return child;
}

/**
 * Ends every program begun here without waiting, for a process that is about to be no more. Postgres ends all of its
 * own at once on this signal, and recovers at its next start.
 */
export function endPrograms(): void {
  for (const child of running) signalSession(child, 'SIGQUIT');
}

export interface RunOptions {
  /** What stands before the command, and runs it as somebody else. */
  readonly prefix?: readonly string[];
  /** Ends the program early. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Runs a program to its end.
 * @returns what it wrote to its standard output.
 * @throws Error in one line with what it wrote when it cannot be run, fails or takes too long; the signal's own reason
 * where that ended it.
 */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const { prefix = [], ending } = options;
  ending?.throwIfAborted();
  const child = spawnApart([...prefix, ...command], 'pipe');
  const late = AbortSignal.timeout(EMBEDDED_MAKE_MS);
  const signal = ending === undefined ? late : AbortSignal.any([ending, late]);
  const end = (): void => {
    signalSession(child, 'SIGTERM');
  };
  signal.addEventListener('abort', end);
  try {
    const [how, out, err] = await Promise.all([endOf(child), read(child.stdout), read(child.stderr)]);
    ending?.throwIfAborted();
    if (how === undefined) return out;
    const words = oneLine(err) || oneLine(out);
    throw new Error(`${basename(command[0] ?? '')} failed: ${words || how}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** What a program says in several lines, in one. */
export function oneLine(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .join('; ')
    .slice(0, EMBEDDED_MESSAGE_CHARACTERS);
}

/** Undefined where it ended well. */
function endOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : `it ended with ${String(code ?? signal)}`);
    });
  });
}

async function read(stream: ChildProcess['stdout']): Promise<string> {
  return stream === null ? '' : text(stream);
}

/** The program leads its session, in which are those that it has begun itself. */
function signalSession({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
