import { Connection } from './connection.ts';
import { ADMIN_CONNECT_MS, CHECK_PAGE } from '../limits.ts';

export interface Owed {
  readonly document: string;
  readonly path: string;
  readonly size: number | undefined;
}

/** `sha256` in hex; undefined for a document from before digests were kept. */
export interface OwedDigest extends Owed {
  readonly sha256: string | undefined;
}

export type DocumentContents = Awaited<ReturnType<typeof openDocumentContents>>;

/** One transaction, whose cursor sorts once: a million rows go through a file of the server, and no memory. */
export async function openDocumentContents(url: string) {
  const connection = new Connection({
    connectionString: url,
    connectionTimeoutMillis: ADMIN_CONNECT_MS,
    keepAlive: true,
  });
  await connection.connect();
  // The next query says that the connection is lost.
  connection.on('error', () => undefined);
  await connection.query('begin');
  await connection.query('set local statement_timeout = 0');
  return {
    /** The contents of all documents at this moment, in the order of the bytes of the paths. */
    async *owed(): AsyncGenerator<Owed> {
      await connection.query(
        `declare contents no scroll cursor for
         select document_id as document, file_path as path, file_size as size from app.contents_of_documents()`,
      );
      for (;;) {
        const { rows } = await connection.query<Row>(`fetch ${CHECK_PAGE} from contents`);
        for (const row of rows) yield owed(row);
        if (rows.length < CHECK_PAGE) return;
      }
    },
    /** A content `isPlanned` for removal within an hour, unless its row follows: an upload is under way, or has failed. */
    async standings(paths: readonly string[]) {
      const { rows } = await connection.query<{ path: string; hasDocument: boolean; isPlanned: boolean }>(
        `select file_path as path, has_document as "hasDocument", is_planned as "isPlanned"
         from app.standing_of_contents($1)`,
        [paths],
      );
      return new Map(rows.map((row) => [row.path, row]));
    },
    async planRemoval(path: string): Promise<void> {
      await connection.query('select app.plan_removal($1)', [path]);
    },
    /** Commits the plans; each later statement is a transaction of its own. */
    async commit(): Promise<void> {
      await connection.query('commit');
    },
    async digests(after: string): Promise<readonly OwedDigest[]> {
      const { rows } = await connection.query<Row & { readonly sha256: Buffer | null }>(
        `select document_id as document, file_path as path, file_size as size, sha256
         from app.digests_of_documents($1, $2)`,
        [after, CHECK_PAGE],
      );
      return rows.map((row) => ({ ...owed(row), sha256: row.sha256?.toString('hex') }));
    },
    async keepDigest(document: string, sha256: string): Promise<void> {
      await connection.query(`select app.keep_digest($1, pg_catalog.decode($2, 'hex'))`, [document, sha256]);
    },
    /** Unless `isDone`, plans that were not committed are taken back. */
    async close(isDone: boolean): Promise<void> {
      try {
        await connection.query(isDone ? 'commit' : 'rollback');
      } finally {
        await connection.end();
      }
    },
  };
}

interface Row extends Omit<Owed, 'size'> {
  readonly size: string | null;
}

function owed({ document, path, size }: Row): Owed {
  return { document, path, size: size === null ? undefined : Number(size) };
}
