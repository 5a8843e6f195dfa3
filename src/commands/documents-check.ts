import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { openDocumentContents } from '../db/document-contents.ts';
import { differencesOf } from '../documents/check.ts';
import type { Counts, Difference } from '../documents/check.ts';
import { openStore } from '../documents/documents.ts';

const USAGE = `npm run documents:check [-- --json] [-- --remove-unowned]
Holds the document store against the database at DATABASE_URL, with the variables of the service: which documents have
no content or one of another length, and which contents no document has. Mends nothing unasked.
  --json            each difference, and the counts in the end, as a line of JSON
  --remove-unowned  plan the removal of contents without a document: the service removes them in an hour, unless a
                    document has them by then; app.content_removals has what is planned, and may lose it again
Exits with 1 where something differs, with 2 where it could not be looked at to the end: nothing is planned then.
`;

const EVERY_MS = 2_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      'remove-unowned': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { database: config, documentStore, documentStoreEndpoint } = loadConfig(process.env);
  if (config.url === undefined)
    throw new Error('DATABASE_URL must be set: the documents are looked up there');
  const say = (words: string, json: object): void => {
    process.stdout.write(`${values.json ? JSON.stringify(json) : words}\n`);
  };
  const store = await openStore({ store: documentStore, endpoint: documentStoreEndpoint });
  const database = await openDocumentContents(config.url);
  const counts: Counts = { documents: 0, contents: 0, planned: 0, differences: 0 };
  let isDone = false;
  let planned = 0;
  try {
    for await (const difference of differencesOf({ store, database }, counts, progress(counts))) {
      say(inWords(difference), difference);
      if (!values['remove-unowned'] || difference.kind !== 'no document') continue;
      await database.planRemoval(difference.path);
      planned += 1;
    }
    isDone = true;
  } finally {
    store.close();
    await database.close(isDone);
  }
  say(
    `${counts.documents} documents and ${counts.contents} contents compared, ${counts.differences} differ; ` +
      `${counts.planned} contents were planned for removal already, ${planned} are now`,
    { ...counts, plannedNow: planned },
  );
  return counts.differences === 0 ? 0 : 1;
}

function inWords(difference: Difference): string {
  const { kind, path } = difference;
  if (kind === 'no document') return `${path}: ${difference.found} bytes without a document`;
  const of = `document ${difference.document}`;
  if (kind === 'no content') return `${path}: no content of ${of}`;
  return `${path}: ${difference.found} bytes of ${of}, which has ${difference.size}`;
}

/** One line now and then, for whoever waits. */
function progress(counts: Counts): () => void {
  let last = performance.now();
  return () => {
    if (performance.now() - last < EVERY_MS) return;
    last = performance.now();
    process.stderr.write(`${counts.documents} documents and ${counts.contents} contents so far\n`);
  };
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
