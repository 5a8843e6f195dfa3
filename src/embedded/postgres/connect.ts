import pg from 'pg';

/** The address of a database on this machine, for the superuser. */
export function superuserUrl(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

/** Whether the server that answers there is the one of this data directory. */
export async function answers(url: string, data: string): Promise<boolean> {
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query<[string]>({
        text: `select current_setting('data_directory')`,
        rowMode: 'array',
      });
      return rows[0]?.[0] === data;
    });
  } catch {
    return false;
  }
}

/** Works on a connection of its own and closes it, whatever happens. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A lost connection also fails the query that is waiting; unheard, it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
