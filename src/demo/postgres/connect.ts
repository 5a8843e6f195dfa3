import pg from 'pg';
import { createClientConfig } from '../../db/client-config.ts';
import { EMBEDDED_POSTGRES_PROBE_TIMEOUT_MS } from '../../limits.ts';

export function superuserUrl(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

export async function doesServerAnswer(url: string, data: string): Promise<boolean> {
  try {
    const read = (client: pg.Client) =>
      client.query<{ data: string }>(`select current_setting('data_directory') as data`);
    // The connection test has a time-out, because a stopped process (SIGSTOP) accepts connections and does not answer.
    const { rows } = await withClient(url, read, { query_timeout: EMBEDDED_POSTGRES_PROBE_TIMEOUT_MS });
    return rows[0]?.data === data;
  } catch {
    return false;
  }
}

export async function withClient<T>(
  url: string,
  callback: (client: pg.Client) => Promise<T>,
  limits: Pick<pg.ClientConfig, 'query_timeout'> = {},
): Promise<T> {
  const client = new pg.Client({
    ...createClientConfig(url),
    connectionTimeoutMillis: EMBEDDED_POSTGRES_PROBE_TIMEOUT_MS,
    ...limits,
  });
  // Without a listener for `error` events, a lost connection would end the service; the query reports the loss anyway.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await callback(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
