import type { DocumentContents, Owed, OwedDigest } from '../db/document-contents.ts';
import { RequestError } from '../errors.ts';
import { CHECK_AT_ONCE, CHECK_SUSPECTS, STORE_STALL_MS } from '../limits.ts';
import { byBytes } from './content-store.ts';
import type { ContentStore, Stored } from './content-store.ts';
import { digestOf, failingOnStall } from './content-stream.ts';

export type Difference =
  | { readonly kind: 'no content'; readonly document: string; readonly path: string; readonly size?: number }
  | {
      readonly kind: 'other length';
      readonly document: string;
      readonly path: string;
      readonly size: number;
      readonly found: number;
    }
  /** A content that no document has, and none will. */
  | { readonly kind: 'no document'; readonly path: string; readonly found: number };

export interface Counts {
  documents: number;
  contents: number;
  /** Without a document and planned for removal: of uploads that are under way or have failed, and of deletions. */
  planned: number;
  differences: number;
}

interface Sources {
  readonly store: Pick<ContentStore, 'list' | 'size'>;
  readonly database: Pick<DocumentContents, 'owed' | 'standings'>;
}

interface Pair {
  readonly owed: Owed | undefined;
  readonly stored: Stored | undefined;
}

/** Compares every content with every document in one walk. What looks wrong is checked again: uploads and deletions go on. */
export async function* differencesOf(
  sources: Sources,
  counts: Counts,
  progress: () => void = () => undefined,
): AsyncGenerator<Difference> {
  let suspects: Pair[] = [];
  for await (const pair of paired(sources)) {
    if (pair.owed !== undefined) counts.documents += 1;
    if (pair.stored !== undefined) counts.contents += 1;
    progress();
    if (pair.owed !== undefined && pair.stored !== undefined && agrees(pair.owed, pair.stored.size)) continue;
    suspects.push(pair);
    if (suspects.length < CHECK_SUSPECTS) continue;
    yield* confirmed(sources, suspects, counts);
    suspects = [];
  }
  yield* confirmed(sources, suspects, counts);
}

async function* paired({ store, database }: Sources): AsyncGenerator<Pair> {
  const contents = inOrder(store.list());
  let stored = await contents.next();
  const rows = database.owed()[Symbol.asyncIterator]() as AsyncIterator<Owed, undefined>;
  let owed = await rows.next();
  try {
    while (stored.done !== true || owed.done !== true) {
      const order = compared(owed, stored);
      yield {
        owed: order <= 0 && owed.done !== true ? owed.value : undefined,
        stored: order >= 0 && stored.done !== true ? stored.value : undefined,
      };
      if (order <= 0) owed = await rows.next();
      if (order >= 0) stored = await contents.next();
    }
  } finally {
    await contents.return(undefined);
  }
}

function compared(owed: IteratorResult<Owed, undefined>, stored: IteratorResult<Stored, undefined>): number {
  if (stored.done === true) return -1;
  return owed.done === true ? 1 : byBytes(owed.value.path, stored.value.path);
}

/** @throws Error where a store lists in another order: what follows would be taken for lost. */
async function* inOrder(contents: AsyncIterable<Stored>): AsyncGenerator<Stored, undefined> {
  let last = '';
  for await (const content of contents) {
    if (byBytes(last, content.path) >= 0)
      throw new Error(`the store lists ${content.path} after ${last}: its order is not that of their bytes`);
    last = content.path;
    yield content;
  }
  return undefined;
}

const agrees = ({ size }: Owed, found: number): boolean => size === undefined || size === found;

async function* confirmed(
  { store, database }: Sources,
  suspects: readonly Pair[],
  counts: Counts,
): AsyncGenerator<Difference> {
  if (suspects.length === 0) return;
  const sizesOf = async (paths: readonly string[]): Promise<Map<string, number | undefined>> =>
    new Map(await Promise.all(paths.map(async (path) => [path, await store.size(path)] as const)));
  const owed = suspects.flatMap(({ owed }) => owed ?? []);
  const unowned = suspects.flatMap(({ owed, stored }) => (owed === undefined ? (stored ?? []) : []));
  // A row is deleted before its content, so the content of a remaining row must exist.
  const before = await sizesOf(owed.map(({ path }) => path));
  const standings = await database.standings([...owed, ...unowned].map(({ path }) => path));
  for (const one of owed) {
    const found = before.get(one.path);
    if (standings.get(one.path)?.hasDocument !== true || (found !== undefined && agrees(one, found)))
      continue;
    counts.differences += 1;
    const { document, path, size } = one;
    yield found === undefined || size === undefined
      ? { kind: 'no content', document, path, ...(size !== undefined && { size }) }
      : { kind: 'other length', document, path, size, found };
  }
  // A content is deleted before its plan, so a remaining content without either has no owner.
  const nobodys = unowned.filter(({ path }) => {
    const { hasDocument, isPlanned } = standings.get(path) ?? {};
    if (hasDocument !== true && isPlanned === true) counts.planned += 1;
    return hasDocument !== true && isPlanned !== true;
  });
  const after = await sizesOf(nobodys.map(({ path }) => path));
  for (const { path } of nobodys) {
    const found = after.get(path);
    if (found === undefined) continue;
    counts.differences += 1;
    yield { kind: 'no document', path, found };
  }
}

/** A content that is not what its row says; `found` is its digest, or why it could not be read. */
export interface OtherBytes {
  readonly kind: 'other bytes';
  readonly document: string;
  readonly path: string;
  readonly sha256: string | undefined;
  readonly found: string;
}

export interface DigestCounts {
  read: number;
  withoutDigest: number;
  digestsKept: number;
  differences: number;
}

interface DigestSources {
  readonly store: Pick<ContentStore, 'read' | 'size'>;
  readonly database: Pick<DocumentContents, 'digests' | 'keepDigest' | 'standings'>;
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** With `keeps`, reads the contents without a digest and keeps theirs; otherwise holds all others against theirs. */
export async function* otherBytes(
  sources: DigestSources,
  counts: DigestCounts,
  keeps: boolean,
  progress: () => void = () => undefined,
): AsyncGenerator<OtherBytes> {
  let page = await sources.database.digests(BEFORE_ALL);
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    counts.withoutDigest += page.filter(({ sha256 }) => sha256 === undefined).length;
    const toRead = page.filter(({ sha256 }) => (sha256 === undefined) === keeps);
    for (let from = 0; from < toRead.length; from += CHECK_AT_ONCE) {
      const some = toRead.slice(from, from + CHECK_AT_ONCE);
      const differing = await Promise.all(some.map((owed) => differenceOf(sources, owed, counts)));
      counts.differences += differing.flatMap((one) => one ?? []).length;
      yield* differing.flatMap((one) => one ?? []);
      progress();
    }
    page = await sources.database.digests(last.document);
  }
}

async function differenceOf(
  { store, database }: DigestSources,
  { document, path, size: owedSize, sha256 }: OwedDigest,
  counts: DigestCounts,
): Promise<OtherBytes | undefined> {
  const size = await store.size(path);
  if (size === undefined || size !== (owedSize ?? size)) return undefined;
  counts.read += 1;
  const found = await store
    .read(path)
    .then((content) => digestOf(failingOnStall(content, STORE_STALL_MS), size))
    .catch((error: unknown) => {
      // One unreadable content stops nothing; a store that is away does.
      if (error instanceof RequestError) throw error;
      return error instanceof Error ? error : new Error(String(error));
    });
  if (sha256 === undefined && typeof found === 'string') {
    await database.keepDigest(document, found);
    counts.digestsKept += 1;
    counts.withoutDigest -= 1;
    return undefined;
  }
  if (found !== undefined && found === sha256) return undefined;
  if ((await database.standings([path])).get(path)?.hasDocument !== true) return undefined;
  const words = found instanceof Error ? found.message : (found ?? `more than ${size} bytes`);
  return { kind: 'other bytes', document, path, sha256, found: words };
}
