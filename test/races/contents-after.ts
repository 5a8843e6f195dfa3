import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Violation } from './invariants.ts';
import type { Lane } from './lane.ts';
import type { Outcome } from './race.ts';

export const STORED_FILE = 'each document has its content, and each content its document';

/**
 * SQL for the file paths of the documents that the requests created, changed or deleted. For each path, the SQL also
 * tells whether a document in the database still has it.
 */
const PATHS = `
select coalesce(w.after, w.before) ->> 'file_path' as path, bool_or(d.id is not null) as kept
from races.writes as w
left join public.documents as d on d.file_path = coalesce(w.after, w.before) ->> 'file_path'
where w.request_id = any ($1) and w.table_name = 'documents'
group by 1`;

/**
 * Compares the documents that simultaneous requests wrote with the contents in the document store. Contents of deleted
 * documents are removed first.
 */
export async function contentsAfter(lane: Lane, { exchanges }: Outcome): Promise<Violation[]> {
  const ids = exchanges.map(({ answer }) => answer.headers['x-request-id']);
  const { rows } = await lane.watcher.query<{ path: string; kept: boolean }>({
    name: 'paths of documents',
    text: PATHS,
    values: [ids],
  });
  if (rows.some(({ kept }) => !kept)) await lane.service.documents.removeDueContents();
  const found = await Promise.all(
    rows.map(async ({ path, kept }) => {
      const isThere = await exists(join(lane.service.documentFolder, path));
      return isThere === kept
        ? []
        : [
            `${path} ${kept ? 'has a document’s row and no stored content' : 'has a stored content and no document’s row'}`,
          ];
    }),
  );
  return found.flat().map((detail) => ({ invariant: STORED_FILE, detail }));
}

/**
 * Compares all documents in the database with all contents in the document store. Only this comparison finds the
 * content of an upload that was refused.
 */
export async function contentsAtRest({ service, watcher }: Lane): Promise<Violation[]> {
  await service.documents.removeDueContents();
  const entries = await readdir(service.documentFolder, { recursive: true });
  const files: string[] = [];
  for (const entry of entries) if ((await stat(join(service.documentFolder, entry))).isFile()) files.push(entry);
  const { rows } = await watcher.query<{ path: string }>('select file_path as path from public.documents');
  const paths = new Set(rows.map(({ path }) => path));
  const alone = [
    ...files.filter((file) => !paths.has(file)).map((file) => `${file} has no row`),
    ...[...paths].filter((path) => !files.includes(path)).map((path) => `${path} has no content`),
  ];
  return alone.map((detail) => ({ invariant: STORED_FILE, detail }));
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
