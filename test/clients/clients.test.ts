import { execFile } from 'node:child_process';
import { cp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadDemonstration } from '../support/demonstration.ts';
import { blockOf } from '../support/pages.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { shell } from '../support/shell.ts';

/* Clients that tools generate from docs/openapi.json, compiled strictly, at work. */

const ROOT = join(import.meta.dirname, '..', '..');
const CLIENTS = ['1', '2', '3'].map((last) => `c1000000-0000-4000-8000-00000000000${last}`);

/** As a frontend would have it. The tools write their own parts for no more than this: not for exactOptionalPropertyTypes. */
const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noUncheckedIndexedAccess: true },
    ...{ noImplicitOverride: true, noImplicitReturns: true, noFallthroughCasesInSwitch: true },
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], types: ['node'], skipLibCheck: true },
    ...{ module: 'esnext', moduleResolution: 'bundler', rootDir: '.', outDir: 'compiled' },
  },
  exclude: ['node_modules', 'compiled'],
};

const PAGE = 'docs/frontend.md';
/** The options of the page, for types that its command wrote: a list as CSV, by two values of a filter. */
const OPENAPI_FETCH = `import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
const [baseUrl = '', token = ''] = process.argv.slice(2);
${blockOf(PAGE, 'const api = createClient')}
const { data, response } = await api.GET('/api/reclamations', {
  params: { query: { status: ['DRAFT', 'SUBMITTED'] } },
  headers: { authorization: \`Bearer \${token}\`, accept: 'text/csv' },
  parseAs: 'text',
});
console.log(JSON.stringify([response.status, new URL(response.url).search, data]));
`;

let folder: string;
let service: Service;
let token: string;

/** The output of a script, or its failure with the output, on which a compiler says what is wrong. */
async function run(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
  } catch (error) {
    const { stdout, message } = error as Error & { stdout: string };
    throw new Error(`${stdout}\n${message}`, { cause: error });
  }
}

beforeAll(async () => {
  folder = await createScratchFolder();
  await cp(join(import.meta.dirname, 'flows'), join(folder, 'flows'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const description = join(ROOT, 'docs', 'openapi.json');
  await run(join(import.meta.dirname, 'generate.ts'), description, folder);
  await shell(blockOf(PAGE, 'npx openapi-typescript', { '/tmp/': `${folder}/` }));
  await writeFile(join(folder, 'page.ts'), OPENAPI_FETCH);
  await run(join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'));
  service = await startService();
  await loadDemonstration(service);
  token = await service.token('ACCOUNT_MANAGER', CLIENTS, { sub: 'demonstration|marc' });
}, 180_000);
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

test.each(['openapi-typescript', 'orval', 'hey-api'])(
  'a client that %s generates compiles strictly, and does the work of an account manager',
  async (tool) => {
    const flow = join(folder, 'compiled', 'flows', `${tool}.js`);
    const result = JSON.parse(await run(flow, `http://127.0.0.1:${service.port}`, token)) as Record<string, number>;
    expect(result).toEqual({
      name: 'Marc Lefèvre',
      ...{
        claims: result['total'],
        total: expect.any(Number),
        pages: Math.ceil(Number(result['total']) / 2),
      },
      ...{ status: 'READY_FOR_REVIEW', filename: 'avis.txt', content: 'Avis de taxe foncière', billed: 1500 },
      refusals: ['ERROR_PRECONDITION_FAILED', 'ERROR_CONFLICT'],
    });
    expect(result['total']).toBeGreaterThan(5);
  },
);

test('a client that oazapfts generates compiles strictly', async () => {
  // Of what does not compile there is no client at all, and this test fails before it begins.
  const { logIn } = (await import(join(folder, 'compiled', 'oazapfts', 'client.js'))) as object & {
    logIn?: unknown;
  };
  expect(logIn).toBeInstanceOf(Function);
});

test('the options of docs/frontend.md for openapi-fetch compile, and read claims of two statuses as CSV', async () => {
  const said = await run(join(folder, 'compiled', 'page.js'), `http://127.0.0.1:${service.port}`, token);
  const csv = expect.stringMatching(/^id,[^]*,SUBMITTED,/);
  expect(JSON.parse(said)).toEqual([200, '?status=DRAFT,SUBMITTED', csv]);
});
