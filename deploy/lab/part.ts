/** One part of a deployment, started from Debian's packages on this machine. */
export interface Part {
  /** The processes that it consists of just now, its parent first. */
  pids(): Promise<readonly number[]>;
  /** Stops every process where it stands, until `resume`. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** kill -9 of all of them. */
  kill(): Promise<void>;
  /** Ends it in good order, and what it started; it may have ended before. */
  close(): Promise<void>;
}

/** What every part is started with. */
export interface PartOptions {
  /** An empty folder, or that of an earlier start. */
  readonly dir: string;
  /** A free one when absent. */
  readonly port?: number | undefined;
}
