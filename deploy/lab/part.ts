/**
 * A server program of a deployment, for example Redis. It is installed from Debian’s packages and runs on this machine.
 */
export interface Part {
  /** The ids of all processes of the server, its parent process first. */
  pids(): Promise<readonly number[]>;
  /** Suspends every process of the server, until `resume` is called. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  kill(): Promise<void>;
  /** Lets the server and its child processes end properly. Does nothing if the server has already ended. */
  close(): Promise<void>;
}

export interface PartOptions {
  /** The server’s folder, which is empty unless the same server has used it before. */
  readonly dir: string;
  /** The port on which the server listens; if absent, a free port. */
  readonly port?: number | undefined;
}
