import type { DocumentContents, OwedDigest } from '../db/document-contents.ts';
import { RequestError } from '../errors.ts';
import type { ContentStore } from './content-store.ts';
import { digestOf } from './digest.ts';
import { CHECK_AT_ONCE, STORE_STALL_MS } from '../limits.ts';
import { failingOnStall } from './stalls.ts';

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
  /** Documents that have no digest, but for those that were given theirs. */
  withoutDigest: number;
  digestsKept: number;
  differences: number;
}

interface Sources {
  readonly store: Pick<ContentStore, 'read' | 'size'>;
  readonly database: Pick<DocumentContents, 'digests' | 'keepDigest' | 'standings'>;
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Reads every content that has a digest and holds it against that; with `keeps` it reads those without one instead, and
 * keeps theirs. A content that is not there, or of another length, is left to the walk over both (check.ts).
 */
export async function* otherBytes(
  sources: Sources,
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
  { store, database }: Sources,
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
      // Of one that cannot be read the others are none the worse; a store that is away has none of them.
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
  // A row goes before its content: of one that is still there the content must have been.
  if ((await database.standings([path])).get(path)?.hasDocument !== true) return undefined;
  const words = found instanceof Error ? found.message : (found ?? `more than ${size} bytes`);
  return { kind: 'other bytes', document, path, sha256, found: words };
}
