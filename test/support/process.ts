import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { buildGreeting } from '../../src/demo/greeting.ts';
import type { Role } from '../../src/identity/caller.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PRELOADED = join(import.meta.dirname, 'end-with-parent.ts');

/** A pattern for the address that a starting service prints, as JSON or as the text of releases up to 1.0.0. */
const SERVES = /^(?:API +|\{.*"api":")(http:[^"\s]+).*\n/m;

/** What a service that has started logs as JSON. */
type Greeting = { readonly docs: string; readonly api: string } & ReturnType<typeof buildGreeting>;

/** A running process of `npm start`. */
export interface Started {
  readonly pid: number;
  /** The text that the started process has written to its standard output so far. */
  readonly out: string;
  readonly err: string;
  /** The exit code of the started process, or the name of the signal that ended the process. */
  readonly ended: Promise<number | string>;
  /** Resolves with the first match in the process’s output. Rejects if the process ends without a match. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
}

/**
 * Starts the service in `folder`, where the service creates `.data`. The service gets this environment, and none of the
 * test run’s variables. `root` is the folder of the service’s code, for example of another release.
 */
export function start(folder: string, environment: Readonly<Record<string, string>>, root: string = ROOT): Started {
  const path = join(root, 'src', 'main.ts');
  const child = spawn(process.execPath, ['--import', PRELOADED, path], {
    cwd: folder,
    // Without IDENTITY_PORT, the service would use the port of its last start. Another suite is possibly using that
    // port now. The cache is that of `npm start`.
    env: {
      PATH: process.env['PATH'],
      IDENTITY_PORT: '0',
      NODE_COMPILE_CACHE: join(ROOT, '.data', 'compile-cache'),
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  // The test waits for the event `close` of a process instead of `exit`, because output can arrive after `exit`.
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
        throw new Error(`the process ended with ${String(how)}: ${written.err}${written.out}`);
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

/**
 * Returns the exit code of a service that must refuse to start.
 * @throws Error if the service starts, after killing the process
 */
export async function refusalOf(started: Started): Promise<number | string> {
  const serving = started.says(SERVES).then(() => {
    started.signal('SIGKILL');
    throw new Error('the service has started, and should have refused to start');
  });
  return Promise.race([started.ended, serving]);
}

/** Sends a signal every 200 ms until the process ends, and returns the process’s exit code or signal. */
export async function signalUntilEnded(started: Started, name: NodeJS.Signals): Promise<number | string> {
  const telling = setInterval(() => {
    started.signal(name);
  }, 200);
  const how = await started.ended;
  clearInterval(telling);
  return how;
}

/** Waits until a starting service prints its address, and returns the address. */
export async function addressOf(started: Started): Promise<string> {
  const [, url = ''] = await started.says(SERVES);
  return url;
}

/** Waits for the greeting that a service prints when it is ready. */
export async function greetingOf(started: Started): Promise<Greeting> {
  const [line] = await started.says(/^\{.*"api":".*\n/m);
  return JSON.parse(line) as Greeting;
}

/** Gets an access token for a user of the demonstration, as the page /docs does. */
export async function demonstrationToken(url: string, role: Role): Promise<string> {
  const answer = await fetch(`${url}/docs/people/${role}`, { method: 'POST', headers: { origin: url } });
  if (!answer.ok) throw new Error(`/docs gives no token of ${role}: ${answer.status}`);
  return ((await answer.json()) as { token: string }).token;
}

export async function portOf(started: Started): Promise<number> {
  return Number(new URL(await addressOf(started)).port);
}

/** Sends the headers of a POST /api/auth/login without its body. Resolves when the service has accepted the request. */
export async function beginLogin(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(
    'POST /api/auth/login HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n' +
      'Content-Length: 13\r\nExpect: 100-continue\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [string];
  if (answer !== 'HTTP/1.1 100 Continue\r\n\r\n') throw new Error(`the service did not accept the login: ${answer}`);
  return socket;
}
