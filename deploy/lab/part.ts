/**
 * A server program of a deployment, for example Redis. It is installed from Debian’s packages and runs on this machine.
 */
export interface Part {
  /** The ids of all processes of the server. The parent process comes first. */
  pids(): Promise<readonly number[]>;
  /** Suspends every process of the server, until `resume` is called. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** Kills all processes of the server with SIGKILL. */
  kill(): Promise<void>;
  /** Lets the server and its child processes end properly. Does nothing if the server has already ended. */
  close(): Promise<void>;
}

/** The options of starting a server of a deployment. */
export interface PartOptions {
  /** The folder of the server. It is empty, or the same server has used it before. */
  readonly dir: string;
  /** The port on which the server listens; if absent, a free port. */
  readonly port?: number | undefined;
}
