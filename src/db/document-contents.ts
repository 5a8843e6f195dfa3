import { Connection } from './connection.ts';
import { ADMIN_CONNECT_MS, CHECK_PAGE } from '../limits.ts';

export interface Owed {
  readonly document: string;
  readonly path: string;
  readonly size: number | undefined;
}

/** The same with the digest of the content, in hex; undefined for a document from before it was kept. */
export interface OwedDigest extends Owed {
  readonly sha256: string | undefined;
}

export interface Standing {
  readonly hasDocument: boolean;
  /** It goes within an hour, unless its document's row follows: an upload is under way, or has failed. */
  readonly isPlanned: boolean;
}

/** What the database says of the contents of documents, as a login of the API. */
export type DocumentContents = Awaited<ReturnType<typeof openDocumentContents>>;

/** One transaction, whose cursor sorts once: a million rows go through a file of the server, and no memory. */
export async function openDocumentContents(url: string) {
  const connection = new Connection({
    connectionString: url,
    connectionTimeoutMillis: ADMIN_CONNECT_MS,
    keepAlive: true,
  });
  await connection.connect();
  // Its end is told by whatever is asked next.
  connection.on('error', () => undefined);
  await connection.query('begin');
  await connection.query('set local statement_timeout = 0');
  return {
    /** What is owed at the moment of the call, in the order of the bytes of the paths; of a million some pages. */
    async *owed(): AsyncGenerator<Owed> {
      await connection.query(
        'declare contents no scroll cursor for select document_id, file_path, file_size from app.contents_of_documents()',
      );
      for (;;) {
        const { rows } = await connection.query<Row>(`fetch ${CHECK_PAGE} from contents`);
        for (const row of rows) yield owed(row);
        if (rows.length < CHECK_PAGE) return;
      }
    },
    async standings(paths: readonly string[]): Promise<ReadonlyMap<string, Standing>> {
      const { rows } = await connection.query<{
        file_path: string;
        has_document: boolean;
        is_planned: boolean;
      }>('select file_path, has_document, is_planned from app.standing_of_contents($1)', [paths]);
      return new Map(
        rows.map(({ file_path: path, has_document: hasDocument, is_planned: isPlanned }) => [
          path,
          { hasDocument, isPlanned },
        ]),
      );
    },
    /** The service removes it in an hour, unless a document has it then. */
    async planRemoval(path: string): Promise<void> {
      await connection.query('select app.plan_removal($1)', [path]);
    },
    /** From here on what was planned stands, and each statement is a transaction of its own. */
    async commit(): Promise<void> {
      await connection.query('commit');
    },
    async digests(after: string): Promise<readonly OwedDigest[]> {
      const { rows } = await connection.query<Row & { readonly sha256: Buffer | null }>(
        'select document_id, file_path, file_size, sha256 from app.digests_of_documents($1, $2)',
        [after, CHECK_PAGE],
      );
      return rows.map((row) => ({ ...owed(row), sha256: row.sha256?.toString('hex') }));
    },
    async keepDigest(document: string, sha256: string): Promise<void> {
      await connection.query(`select app.keep_digest($1, pg_catalog.decode($2, 'hex'))`, [document, sha256]);
    },
    /** What was planned and not committed stands only where it `isDone`. */
    async close(isDone: boolean): Promise<void> {
      try {
        await connection.query(isDone ? 'commit' : 'rollback');
      } finally {
        await connection.end();
      }
    },
  };
}

interface Row {
  readonly document_id: string;
  readonly file_path: string;
  readonly file_size: string | null;
}

function owed({ document_id: document, file_path: path, file_size: size }: Row): Owed {
  return { document, path, size: size === null ? undefined : Number(size) };
}
