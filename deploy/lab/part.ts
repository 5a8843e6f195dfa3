/** One part of a deployment, started from Debian's packages on this machine. */
export interface Part {
  /** The ids of its present processes, the parent first. */
  pids(): Promise<readonly number[]>;
  /** Suspends every process until `resume`. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** kill -9 of all of them. */
  kill(): Promise<void>;
  /** Ends it and the programs that it started in good order; does nothing if it has ended. */
  close(): Promise<void>;
}

/** What every part is started with. */
export interface PartOptions {
  /** An empty folder, or that of an earlier start. */
  readonly dir: string;
  /** A free one when absent. */
  readonly port?: number | undefined;
}
