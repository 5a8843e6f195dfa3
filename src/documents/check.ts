import type { DocumentContents, Owed } from '../db/document-contents.ts';
import { byBytes } from './content-store.ts';
import type { ContentStore, Stored } from './content-store.ts';
import { CHECK_SUSPECTS } from '../limits.ts';

/** Where the database and the store do not agree. */
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

/** A path as both sides have it; what is absent on both is nowhere. */
interface Pair {
  readonly owed: Owed | undefined;
  readonly stored: Stored | undefined;
}

/**
 * Holds every content against every document, in one walk over both. Uploads and deletions may go on meanwhile: whatever
 * looks wrong is looked at again, in the order in which neither makes it look wrong.
 */
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
  // A row goes before its content: of one that is still there after the store was asked, the content must have been.
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
  // A content goes before its plan: of one without either that is still there after that, no upload will have it.
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
