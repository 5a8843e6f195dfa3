/** The figures of one of the services that the benchmark `peers` compares, in one round. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Microseconds of Node’s processor time for each request; undefined for a compared service without Node. */
  readonly nodeMicroseconds?: number;
  /** Microseconds of Postgres’s processor time for each request; undefined if Postgres runs on another machine. */
  readonly postgresMicroseconds?: number;
  /** The median and the 99th percentile of the response times, in milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
}

/** A running service, or another way to answer the same request, that the benchmark compares with this service. */
export interface Peer {
  readonly name: string;
  /**
   * Sends requests for some seconds without measuring, so that the compared service opens connections and Postgres
   * chooses plans.
   */
  warmUp(seconds: number): Promise<void>;
  measure(seconds: number): Promise<Sample>;
  stop(): Promise<void>;
}

/** The request that every compared service must answer, and its database. */
export interface Question {
  /** The address, for a superuser, of the database that the compared services read. */
  readonly adminUrl: string;
  readonly token: string;
  /** The ids of all clients in the token of the benchmark’s caller. */
  readonly clients: readonly string[];
  /** The id of the client whose newest claims are requested. */
  readonly client: string;
}

export const CONNECTIONS = 10;
export const PAGE = 20;
/** The fields of a claim that every compared service returns. */
export const FIELDS = [
  ...['id', 'client_id', 'site_id', 'claim_type', 'amount', 'status', 'tax_year', 'commune_code', 'notice_reference'],
  ...['collection_date', 'claim_deadline', 'submitted_at', 'response_due_at', 'decision_date', 'court_deadline'],
  ...['granted_amount', 'refund_amount', 'grounds', 'created_at', 'updated_at'],
].join();
