import { ConfigError, loadConfig } from '../../config.ts';
import { openDocumentContents } from '../document-contents.ts';
import { findContentDifferences, findDigestDifferences } from '../document-check.ts';
import type { ContentDifference, DigestDifference } from '../document-check.ts';
import { createContentStore } from '../../documents/documents.ts';
import { replaceControlCharacters } from '../../single-line.ts';
import { createProgressReporter, runCommand } from './run-command.ts';

const command = {
  usage: `usage: npm run documents:check -- [options]
Compares the document store with the database at DATABASE_URL, with the variables of the service. Reports documents
without content or with content of another length, and contents without a document. Then reads every content and
reports those whose SHA-256 differs from the upload. Changes nothing without --digest or --remove-unowned.
  --json            print each difference and the final counts as one line of JSON each
  --sizes-only      do not read the contents
  --digest          read only the contents of documents without a digest, and store their digests; the present content
                    is assumed to be the uploaded one. You can stop at any time; the next run continues
  --remove-unowned  schedule the removal of contents without a document. The service removes them after an hour, unless
                    a document has them by then; delete rows of app.content_removals to cancel
  --help, --version
Exit codes: 0 no differences; 1 differences; 2 the check did not finish, and no removal was scheduled.`,
  failureExitCode: 2,
  options: {
    json: { type: 'boolean', default: false },
    'remove-unowned': { type: 'boolean', default: false },
    'sizes-only': { type: 'boolean', default: false },
    digest: { type: 'boolean', default: false },
  },
} as const;

await runCommand(command, async ({ values }) => {
  if (values.digest && values['sizes-only'])
    throw new ConfigError('--digest reads contents, and --sizes-only reads none: choose one');
  const { database: config, documents } = loadConfig(process.env);
  if (config.url === undefined) throw new ConfigError('DATABASE_URL must be set: the documents are looked up there');
  const print = (words: string, json: object): void => {
    process.stdout.write(`${replaceControlCharacters(values.json ? JSON.stringify(json) : words)}\n`);
  };
  const store = await createContentStore(documents);
  const database = await openDocumentContents(config.url, config.passwordFile);
  const sources = { store, database };
  const counts = { documents: 0, contents: 0, planned: 0, differences: 0, read: 0, withoutDigest: 0, digestsKept: 0 };
  const report = createProgressReporter(
    () => `${counts.documents} documents and ${counts.contents} contents so far, ${counts.read} read`,
  );
  let isDone = false;
  let plannedNow = 0;
  try {
    for await (const difference of findContentDifferences(sources, counts, report)) {
      print(describe(difference), difference);
      if (!values['remove-unowned'] || difference.kind !== 'no document') continue;
      await database.planRemoval(difference.path);
      plannedNow += 1;
    }
    await database.commit();
    if (!values['sizes-only'])
      for await (const difference of findDigestDifferences(sources, counts, values.digest, report))
        print(describe(difference), difference);
    isDone = true;
  } finally {
    store.close();
    await database.close(isDone);
  }
  print(
    `${counts.documents} documents and ${counts.contents} contents compared, ${counts.differences} differ; ` +
      `${counts.planned} removals of contents were planned already, ${plannedNow} are planned now; ` +
      (values['sizes-only']
        ? 'no content was read'
        : `${counts.read} contents were read, ${counts.digestsKept} digests were stored, ` +
          `and ${counts.withoutDigest} documents have no digest`),
    { ...counts, plannedNow },
  );
  return counts.differences === 0 ? 0 : 1;
});

function describe(difference: ContentDifference | DigestDifference): string {
  const { kind, path } = difference;
  if (kind === 'no document') return `${path}: ${difference.found} bytes that belong to no document`;
  const of = `document ${difference.document}`;
  if (kind === 'no content') return `${path}: the content of ${of} is missing`;
  if (kind === 'other bytes')
    return `${path}: digest ${difference.found}, but ${of} has ${difference.sha256 ?? 'no digest'}`;
  return `${path}: ${difference.found} bytes, but ${of} has ${difference.size}`;
}
