import type { DocumentContents, DocumentDigest, DocumentRow } from './document-contents.ts';
import { RequestError } from '../errors.ts';
import { CONCURRENT_DOCUMENT_CHECKS, RECHECKED_DOCUMENT_CONTENTS, DOCUMENT_STORE_STALL_TIMEOUT_MS } from '../limits.ts';
import {
  compareBytes,
  computeSha256,
  withStallTimeout,
  type ContentStore,
  type StoredContent,
} from '../documents/content-store.ts';

export type ContentDifference =
  | { readonly kind: 'no content'; readonly document: string; readonly path: string; readonly size?: number }
  | {
      readonly kind: 'other length';
      readonly document: string;
      readonly path: string;
      readonly size: number;
      readonly found: number;
    }
  | { readonly kind: 'no document'; readonly path: string; readonly found: number };

export interface ContentCounts {
  documents: number;
  contents: number;
  /** The number of stored contents that have no document and are already scheduled for removal. */
  planned: number;
  differences: number;
}

interface CheckSources {
  readonly store: Pick<ContentStore, 'list' | 'size'>;
  readonly database: Pick<DocumentContents, 'rows' | 'statusOf'>;
}

interface RowAndContent {
  readonly row: DocumentRow | undefined;
  readonly stored: StoredContent | undefined;
}

/** Compares all contents with all documents. Checks each difference again, because uploads go on during the check. */
export async function* findContentDifferences(
  sources: CheckSources,
  counts: ContentCounts,
  onProgress: () => void = () => undefined,
): AsyncGenerator<ContentDifference> {
  let suspects: RowAndContent[] = [];
  for await (const pair of pairRowsWithContents(sources)) {
    const { row, stored } = pair;
    if (row !== undefined) counts.documents += 1;
    if (stored !== undefined) counts.contents += 1;
    onProgress();
    if (row !== undefined && stored !== undefined && isSizeOfRow(row, stored.size)) continue;
    suspects.push(pair);
    if (suspects.length < RECHECKED_DOCUMENT_CONTENTS) continue;
    yield* confirmDifferences(sources, suspects, counts);
    suspects = [];
  }
  yield* confirmDifferences(sources, suspects, counts);
}

async function* pairRowsWithContents({ store, database }: CheckSources): AsyncGenerator<RowAndContent> {
  const contents = assertContentOrder(store.list());
  const rows = database.rows();
  let [stored, row] = [await readNextItem(contents), await readNextItem(rows)];
  try {
    while (stored !== undefined || row !== undefined) {
      const order = comparePaths(row, stored);
      yield { row: order <= 0 ? row : undefined, stored: order >= 0 ? stored : undefined };
      if (order <= 0) row = await readNextItem(rows);
      if (order >= 0) stored = await readNextItem(contents);
    }
  } finally {
    await contents.return(undefined);
  }
}

async function readNextItem<T>(items: AsyncIterator<T, unknown>): Promise<T | undefined> {
  const result = await items.next();
  return result.done === true ? undefined : result.value;
}

function comparePaths(row: DocumentRow | undefined, stored: StoredContent | undefined): number {
  if (stored === undefined) return -1;
  return row === undefined ? 1 : compareBytes(row.path, stored.path);
}

/** @throws Error if the store lists contents in another order, because later contents would look lost */
async function* assertContentOrder(contents: AsyncIterable<StoredContent>): AsyncGenerator<StoredContent> {
  let lastPath = '';
  for await (const content of contents) {
    if (compareBytes(lastPath, content.path) >= 0)
      throw new Error(`the store lists ${content.path} after ${lastPath}: its order is not that of their bytes`);
    lastPath = content.path;
    yield content;
  }
}

const isSizeOfRow = ({ size }: DocumentRow, found: number): boolean => size === null || size === found;

async function* confirmDifferences(
  { store, database }: CheckSources,
  suspects: readonly RowAndContent[],
  counts: ContentCounts,
): AsyncGenerator<ContentDifference> {
  if (suspects.length === 0) return;
  const readSizes = async (paths: readonly string[]): Promise<Map<string, number | undefined>> =>
    new Map(await Promise.all(paths.map(async (path) => [path, await store.size(path)] as const)));
  const rows = suspects.flatMap(({ row }) => row ?? []);
  const contents = suspects.flatMap(({ row, stored }) => (row === undefined ? (stored ?? []) : []));
  // The deletion of a document removes its database row before its content, so every remaining row must have a content.
  const before = await readSizes(rows.map(({ path }) => path));
  const statuses = await database.statusOf([...rows, ...contents].map(({ path }) => path));
  for (const row of rows) {
    const { document, path, size } = row;
    const found = before.get(path);
    if (statuses.get(path)?.hasDocument !== true || (found !== undefined && isSizeOfRow(row, found))) continue;
    counts.differences += 1;
    yield found === undefined || size === null
      ? { kind: 'no content', document, path, ...(size !== null && { size }) }
      : { kind: 'other length', document, path, size, found };
  }
  // A removal deletes a content before its entry in the removal plan, so a content with neither a document row nor an
  // entry is a leftover.
  const unowned = contents.filter(({ path }) => {
    const { hasDocument, isPlanned } = statuses.get(path) ?? {};
    if (hasDocument !== true && isPlanned === true) counts.planned += 1;
    return hasDocument !== true && isPlanned !== true;
  });
  const after = await readSizes(unowned.map(({ path }) => path));
  for (const { path } of unowned) {
    const found = after.get(path);
    if (found === undefined) continue;
    counts.differences += 1;
    yield { kind: 'no document', path, found };
  }
}

/** `found` is the SHA-256 of the stored file, or the reason why the service could not compute the SHA-256. */
export interface DigestDifference {
  readonly kind: 'other bytes';
  readonly document: string;
  readonly path: string;
  readonly sha256: string | undefined;
  readonly found: string;
}

interface DigestCounts {
  read: number;
  withoutDigest: number;
  digestsKept: number;
  differences: number;
}

interface DigestSources {
  readonly store: Pick<ContentStore, 'read' | 'size'>;
  readonly database: Pick<DocumentContents, 'digests' | 'storeDigest' | 'statusOf'>;
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Compares contents with their stored digests; with `storesMissingDigests`, stores missing digests instead. */
export async function* findDigestDifferences(
  sources: DigestSources,
  counts: DigestCounts,
  storesMissingDigests: boolean,
  onProgress: () => void = () => undefined,
): AsyncGenerator<DigestDifference> {
  let page = await sources.database.digests(LOWEST_ID);
  for (let lastRow = page.at(-1); lastRow !== undefined; lastRow = page.at(-1)) {
    counts.withoutDigest += page.filter(({ sha256 }) => sha256 === null).length;
    const wanted = page.filter(({ sha256 }) => (sha256 === null) === storesMissingDigests);
    for (let from = 0; from < wanted.length; from += CONCURRENT_DOCUMENT_CHECKS) {
      const batch = wanted.slice(from, from + CONCURRENT_DOCUMENT_CHECKS);
      const results = await Promise.all(batch.map((row) => findDigestDifference(sources, row, counts)));
      const differences = results.flatMap((one) => one ?? []);
      counts.differences += differences.length;
      yield* differences;
      onProgress();
    }
    page = await sources.database.digests(lastRow.document);
  }
}

async function findDigestDifference(
  { store, database }: DigestSources,
  { document, path, size: expected, sha256 }: DocumentDigest,
  counts: DigestCounts,
): Promise<DigestDifference | undefined> {
  const size = await store.size(path);
  if (size === undefined || size !== (expected ?? size)) return undefined;
  counts.read += 1;
  const found = await store
    .read(path)
    .then((content) => computeSha256(withStallTimeout(content, DOCUMENT_STORE_STALL_TIMEOUT_MS), size))
    .catch((error: unknown) => {
      // An unreachable store ends the check; one unreadable content does not.
      if (error instanceof RequestError) throw error;
      return error instanceof Error ? error : new Error(String(error));
    });
  if (sha256 === null && typeof found === 'string') {
    await database.storeDigest(document, found);
    counts.digestsKept += 1;
    counts.withoutDigest -= 1;
    return undefined;
  }
  if (found !== undefined && found === sha256) return undefined;
  if ((await database.statusOf([path])).get(path)?.hasDocument !== true) return undefined;
  const words = found instanceof Error ? found.message : (found ?? `more than ${size} bytes`);
  return { kind: 'other bytes', document, path, sha256: sha256 ?? undefined, found: words };
}
