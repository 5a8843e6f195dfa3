/** A part of a deployment that runs on this machine from Debian’s packages. */
export interface Part {
  /** The ids of the part’s present processes, the parent first. */
  pids(): Promise<readonly number[]>;
  /** Suspends every process of the part until `resume`. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** Kills all processes of the part with SIGKILL. */
  kill(): Promise<void>;
  /** Ends the part and its child processes in good order; does nothing if the part has already ended. */
  close(): Promise<void>;
}

/** The options of every part of the lab. */
export interface PartOptions {
  /** An empty folder, or the folder of an earlier start of the same part. */
  readonly dir: string;
  /** The port to listen on; a free port if absent. */
  readonly port?: number | undefined;
}
