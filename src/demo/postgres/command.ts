import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { EMBEDDED_POSTGRES_CREATE_TIMEOUT_MS, EMBEDDED_POSTGRES_MESSAGE_CHARACTERS } from '../../limits.ts';

/** Postgres programs do not inherit the service's environment, because PG* variables would change their work. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

const runningPrograms = new Set<ChildProcess>();

/** Starts a program in its own session, so that Ctrl-C does not end Postgres before the service's last request. */
export function spawnInOwnSession(command: readonly string[], output: number | 'pipe'): ChildProcess {
  const [program = '', ...args] = command;
  const stdio: StdioOptions = ['ignore', output, output];
  const child = spawn(program, args, { detached: true, env: ENVIRONMENT, cwd: '/', stdio });
  runningPrograms.add(child);
  const forget = (): void => {
    runningPrograms.delete(child);
  };
  child.once('exit', forget).once('error', forget);
  return child;
}

/** Sends SIGQUIT to all started programs, so that Postgres ends at once; Postgres recovers at its next start. */
export function killRunningPrograms(): void {
  for (const child of runningPrograms) sendSignalToSession(child, 'SIGQUIT');
}

export async function runProgram(
  command: readonly string[],
  { prefix = [], ending }: { readonly prefix?: readonly string[]; readonly ending?: AbortSignal | undefined } = {},
): Promise<string> {
  ending?.throwIfAborted();
  const child = spawnInOwnSession([...prefix, ...command], 'pipe');
  const signal = AbortSignal.any([
    AbortSignal.timeout(EMBEDDED_POSTGRES_CREATE_TIMEOUT_MS),
    ...(ending ? [ending] : []),
  ]);
  const end = (): void => {
    sendSignalToSession(child, 'SIGTERM');
  };
  signal.addEventListener('abort', end);
  try {
    const read = (stream: ChildProcess['stdout']) => (stream === null ? '' : text(stream));
    const [failure, out, err] = await Promise.all([awaitFailure(child), read(child.stdout), read(child.stderr)]);
    ending?.throwIfAborted();
    if (failure === undefined) return out;
    throw new Error(`${basename(command[0] ?? '')} failed: ${joinLines(err) || joinLines(out) || failure}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

export function joinLines(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).join('; ').slice(0, EMBEDDED_POSTGRES_MESSAGE_CHARACTERS);
}

async function awaitFailure(child: ChildProcess): Promise<string | undefined> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return code === 0 ? undefined : `it ended with ${String(code ?? signal)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function sendSignalToSession({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Ignores the error of `kill` if the program has already ended.
  }
}
