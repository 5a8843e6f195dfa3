import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, defaultPlugins } from '@hey-api/openapi-ts';
import { generateSource } from 'oazapfts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate as orval } from 'orval';
import ts from 'typescript';

/* Generates a client with each of the tools that frontends use, as their own documentation says. */

const [description = '', folder = ''] = process.argv.slice(2);

/** Types alone, for openapi-fetch; a content is a Blob to whoever sends or takes it. */
async function openapiTypescriptTypes(): Promise<void> {
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const types = await openapiTypescript(new URL(`file://${description}`), {
    transform: ({ format }) => (format === 'binary' ? blob : undefined),
  });
  await mkdir(join(folder, 'openapi-typescript'));
  await writeFile(join(folder, 'openapi-typescript', 'schema.ts'), astToString(types));
}

/** A client of fetch, and zod schemas of everything that is sent and answered. */
async function orvalClient(): Promise<void> {
  const input = { target: description };
  const mutator = { path: join(folder, 'flows', 'orval-request.ts'), name: 'request', extension: '.js' };
  const [target, schemas] = [join(folder, 'orval', 'client.ts'), join(folder, 'orval', 'model')];
  await orval({ input, output: { target, schemas, client: 'fetch', mode: 'split', override: { mutator } } }, folder);
  await orval({ input, output: { target: join(folder, 'orval', 'zod.ts'), client: 'zod', mode: 'single' } }, folder);
}

/** A client of fetch that holds everything against its zod schemas by itself. */
async function heyApiClient(): Promise<void> {
  await createClient({
    input: description,
    output: join(folder, 'hey-api'),
    logs: { level: 'silent' },
    plugins: [
      ...defaultPlugins,
      '@hey-api/client-fetch',
      {
        name: 'zod',
        // By itself it takes a content for text.
        '~resolvers': {
          string: ({ $, schema, plugin }) =>
            schema.format === 'binary' ? $(plugin.external('zod.z')).attr('instanceof').call('Blob') : undefined,
        },
      },
      { name: '@hey-api/sdk', validator: true },
    ],
  });
}

/** A client of fetch with its types in one file, of interfaces with an index signature where a schema has other fields. */
async function oazapftsClient(): Promise<void> {
  await mkdir(join(folder, 'oazapfts'));
  await writeFile(join(folder, 'oazapfts', 'client.ts'), await generateSource(description));
}

await openapiTypescriptTypes();
await orvalClient();
await heyApiClient();
await oazapftsClient();
