/** The figures of one peer in one round. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Microseconds of processor time of Node for each request; undefined for a peer without Node. */
  readonly nodeMicroseconds?: number;
  /** Microseconds of processor time of Postgres for each request; undefined if Postgres runs on another machine. */
  readonly postgresMicroseconds?: number;
  /** The median and the 99th percentile of the response times, in milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
}

/** A peer: a running service, or another way to answer the request. */
export interface Peer {
  readonly name: string;
  /** Sends requests for some seconds without measuring, so that the peer opens connections and chooses plans. */
  warmUp(seconds: number): Promise<void>;
  measure(seconds: number): Promise<Sample>;
  stop(): Promise<void>;
}

/** The request that every peer must answer, and its database. */
export interface Question {
  /** The superuser’s address of the database. */
  readonly adminUrl: string;
  readonly token: string;
  /** The ids of all clients in the token. */
  readonly clients: readonly string[];
  /** The id of the client whose newest claims are requested. */
  readonly client: string;
}

export const CONNECTIONS = 10;
export const PAGE = 20;
