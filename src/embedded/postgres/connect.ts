import pg from 'pg';
import { EMBEDDED_ANSWER_MS } from '../../limits.ts';

/** The address of a database on this machine, for the superuser. */
export function superuserUrl(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

/** Whether the server that answers there is the one of this data directory. */
export async function answers(url: string, data: string): Promise<boolean> {
  const asked = async (client: pg.Client): Promise<boolean> => {
    const { rows } = await client.query<[string]>({
      text: `select current_setting('data_directory')`,
      rowMode: 'array',
    });
    return rows[0]?.[0] === data;
  };
  try {
    // A server that was stopped in the middle of its work takes connections and says nothing.
    return await withClient(url, asked, { query_timeout: EMBEDDED_ANSWER_MS });
  } catch {
    return false;
  }
}

/** Works on a connection of its own and closes it, whatever happens. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  limits: Pick<pg.ClientConfig, 'query_timeout'> = {},
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: EMBEDDED_ANSWER_MS,
    ...limits,
  });
  // A lost connection also fails the query that is waiting; unheard, it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
