/** What one peer did in one round. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Microseconds of processor time for each request; undefined where there is no Node. */
  readonly nodeMicroseconds?: number;
  /** Undefined where Postgres works on another machine. */
  readonly postgresMicroseconds?: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
}

/** One way of answering the request, ready to be measured. */
export interface Peer {
  readonly name: string;
  /** Answers so long without being measured, so that connections are made and plans are chosen. */
  warmUp(seconds: number): Promise<void>;
  measure(seconds: number): Promise<Sample>;
  stop(): Promise<void>;
}

/** What all peers are asked for, and where from. */
export interface Question {
  /** The superuser's address. */
  readonly adminUrl: string;
  readonly token: string;
  /** All that the token lists. */
  readonly clients: readonly string[];
  /** Whose newest claims are asked for. */
  readonly client: string;
}

export const CONNECTIONS = 10;
export const PAGE = 20;
