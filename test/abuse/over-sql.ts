import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { anyOf } from './attack.ts';
import type { Attack, AttackResponse } from './attack.ts';

/**
 * An attack by SQL: its name, the standard that describes it, the accepted results, the SQL, and (if necessary) the
 * reason why the result is allowed to show data of another tenant.
 */
export type SqlRow = readonly [tries: string, source: string, must: string, sql: string, known?: string];

/** Returns attacks, each of which runs in a transaction that begins with the SQL `before` and is rolled back. */
export function overSql(url: string, before: string, rows: readonly SqlRow[]): Attack[] {
  return rows.map(([tries, source, must, sql, known]) => ({
    ...{ tries, source, must: anyOf(must), said: sql, ...(known !== undefined && { known }) },
    attempt: () => inTransaction(url, before, sql),
  }));
}

async function inTransaction(url: string, before: string, sql: string): Promise<AttackResponse> {
  const client = new pg.Client({ connectionString: url, application_name: 'abuse' });
  const messages: string[] = [];
  client.on('notice', (notice) => messages.push(JSON.stringify(notice), notice.message ?? ''));
  client.on('error', (error) => messages.push(error.message));
  await client.connect();
  try {
    // The rows of a `copy … to stdout` arrive as events of the connection, not in the result.
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.on('copyData', ({ chunk }: { chunk: Buffer }) => messages.push(chunk.toString()));
    await client.query(`begin; set local statement_timeout = '60s'; ${before}`);
    const results = await client.query({ text: sql, rowMode: 'array' });
    const all = (Array.isArray(results) ? results : [results]) as pg.QueryArrayResult[];
    messages.push(...all.map(({ rows }) => JSON.stringify(rows)));
    return { result: resultOf(all.at(-1)), text: messages.join('\n'), refusals: [] };
  } catch (error) {
    const { code, message, detail, hint, where } = error as pg.DatabaseError;
    messages.push([message, detail, hint, where].join('\n'));
    return { result: code ?? message, text: messages.join('\n'), refusals: [] };
  } finally {
    await client.end();
  }
}

/** Names the result of an SQL statement: `rows`, `no rows`, or the command and how many rows it changed. */
function resultOf(result: pg.QueryArrayResult | undefined): string {
  if (result === undefined) return 'nothing';
  const { command, rows, rowCount, fields } = result;
  if (fields.length > 0) return rows.length > 0 ? 'rows' : 'no rows';
  return rowCount === null ? command.toLowerCase() : `${command.toLowerCase()} ${rowCount}`;
}
