import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Greeting } from '../../src/greeting.ts';
import type { Role } from '../../src/identity/caller.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PRELOADED = join(import.meta.dirname, 'end-with-parent.ts');

/** Where a start serves: as JSON, and as releases up to 1.0.0 said it. */
const SERVES = /^(?:API +|\{.*"api":")(http:[^"\s]+).*\n/m;

/** `npm start`, as a process with an environment of its own. */
export interface Started {
  readonly pid: number;
  /** All that it has written to its standard output so far. */
  readonly out: string;
  readonly err: string;
  /** The exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves with the first match of its output; rejects where it ends without any. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
}

/**
 * Starts the service with this environment and nothing else of ours; `.data` is below `folder`. Its code is at `root`:
 * ours, or that of another release.
 */
export function start(folder: string, environment: Readonly<Record<string, string>>, root: string = ROOT): Started {
  const path = join(root, 'src', 'main.ts');
  const child = spawn(process.execPath, ['--import', PRELOADED, path], {
    cwd: folder,
    // Without it, a start would need the port of the folder's last start, which another suite may have by now.
    env: { PATH: process.env['PATH'], IDENTITY_PORT: '0', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  // Not at the exit: what was written before it may still be on its way.
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    pid: child.pid ?? 0,
    get out() {
      return written.out;
    },
    get err() {
      return written.err;
    },
    ended,
    says: async (pattern) => {
      const over = ended.then((how) => {
        throw new Error(`it ended with ${String(how)}: ${written.err}${written.out}`);
      });
      over.catch(() => undefined);
      for (;;) {
        const match = pattern.exec(written.out);
        if (match !== null) return match;
        await Promise.race([once(child.stdout, 'data'), over]);
      }
    },
    signal: (name) => child.kill(name),
  };
}

/** How a start that is to be refused ends; one that serves instead is ended. */
export async function refusalOf(started: Started): Promise<number | string> {
  const serving = started.says(SERVES).then(() => {
    started.signal('SIGKILL');
    throw new Error('the start was not refused');
  });
  return Promise.race([started.ended, serving]);
}

/** Tells a start to end, now and then until it does, and says how it did: rarely enough to hit no end of its own. */
export async function signalUntilEnded(started: Started, name: NodeJS.Signals): Promise<number | string> {
  const telling = setInterval(() => {
    started.signal(name);
  }, 200);
  const how = await started.ended;
  clearInterval(telling);
  return how;
}

/** The address at which a start says that it serves. */
export async function addressOf(started: Started): Promise<string> {
  const [, url = ''] = await started.says(SERVES);
  return url;
}

/** What a start of ours says once it serves. */
export async function greetingOf(started: Started): Promise<Greeting> {
  const [line] = await started.says(/^\{.*"api":".*\n/m);
  return JSON.parse(line) as Greeting;
}

/** A token of one of the four people of a demonstration, as its page gets it. */
export async function demonstrationToken(url: string, role: Role): Promise<string> {
  const answer = await fetch(`${url}/docs/people/${role}`, { method: 'POST', headers: { origin: url } });
  if (!answer.ok) throw new Error(`/docs gives no token of ${role}: ${answer.status}`);
  return ((await answer.json()) as { token: string }).token;
}

export async function portOf(started: Started): Promise<number> {
  return Number(new URL(await addressOf(started)).port);
}

/** A login whose body is yet to come; resolves once the service has taken it. */
export async function beginLogin(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(
    'POST /api/auth/login HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n' +
      'Content-Length: 13\r\nExpect: 100-continue\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [string];
  if (answer !== 'HTTP/1.1 100 Continue\r\n\r\n') throw new Error(`the login was not taken: ${answer}`);
  return socket;
}
