/** A server of a deployment, for example Redis, that runs on this machine from Debian’s packages. */
export interface Part {
  /** The ids of the server’s present processes, the parent first. */
  pids(): Promise<readonly number[]>;
  /** Suspends every process of the server until `resume`. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** Kills all processes of the server with SIGKILL. */
  kill(): Promise<void>;
  /** Ends the server and its child processes in good order; does nothing if the server has already ended. */
  close(): Promise<void>;
}

/** The options with which a server of a deployment starts. */
export interface PartOptions {
  /** The server’s folder: an empty folder, or the folder of an earlier start of the same server. */
  readonly dir: string;
  /** The port that the server listens on; a free port if absent. */
  readonly port?: number | undefined;
}
