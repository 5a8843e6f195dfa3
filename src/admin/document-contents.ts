import { Connection } from '../db/connection.ts';
import { createClientConfig } from '../db/client-config.ts';
import { ADMIN_CONNECT_TIMEOUT_MS, DOCUMENT_CHECK_PAGE_ROWS } from '../limits.ts';

export interface DocumentRow {
  readonly document: string;
  readonly path: string;
  /** The size of the content in bytes; null if no size was recorded. */
  readonly size: number | null;
}

export interface DocumentDigest extends DocumentRow {
  /** The SHA-256 of the content in hex; null for a document that was stored before the digest column existed. */
  readonly sha256: string | null;
}

export type DocumentContents = Awaited<ReturnType<typeof openDocumentContents>>;

const DOCUMENT_COLUMNS_SQL = 'document_id as document, file_path as path, file_size::double precision as size';

export async function openDocumentContents(url: string, passwordFile?: string) {
  const connection = new Connection({
    ...createClientConfig(url, passwordFile),
    connectionTimeoutMillis: ADMIN_CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  await connection.connect();
  // Without an error listener a lost connection would end the process; the next query reports the loss.
  connection.on('error', () => undefined);
  await connection.query('begin');
  await connection.query('set local statement_timeout = 0');
  return {
    /** Reads all documents from one database snapshot, ordered by the bytes of their paths. */
    async *rows(): AsyncGenerator<DocumentRow> {
      await connection.query(
        `declare contents no scroll cursor for select ${DOCUMENT_COLUMNS_SQL} from app.contents_of_documents()`,
      );
      for (;;) {
        const { rows } = await connection.query<DocumentRow>(`fetch ${DOCUMENT_CHECK_PAGE_ROWS} from contents`);
        yield* rows;
        if (rows.length < DOCUMENT_CHECK_PAGE_ROWS) return;
      }
    },
    async statusOf(paths: readonly string[]) {
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
    /** Commits the planned removals; every later statement is a transaction of its own. */
    async commit(): Promise<void> {
      await connection.query('commit');
    },
    async digests(after: string): Promise<readonly DocumentDigest[]> {
      const { rows } = await connection.query<DocumentDigest>(
        `select ${DOCUMENT_COLUMNS_SQL}, encode(sha256, 'hex') as sha256 from app.digests_of_documents($1, $2)`,
        [after, DOCUMENT_CHECK_PAGE_ROWS],
      );
      return rows;
    },
    async storeDigest(document: string, sha256: string): Promise<void> {
      await connection.query(`select app.keep_digest($1, pg_catalog.decode($2, 'hex'))`, [document, sha256]);
    },
    /** Closes the connection; first commits the planned removals if `isDone` is true, otherwise rolls them back. */
    async close(isDone: boolean): Promise<void> {
      try {
        await connection.query(isDone ? 'commit' : 'rollback');
      } finally {
        await connection.end();
      }
    },
  };
}
