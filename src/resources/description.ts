import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { tagOfText, unlessKnown } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';

const WORKER = new URL(`./description-worker${extname(import.meta.filename)}`, import.meta.url);

let known: Promise<string> | undefined;

/** Written by a thread for the first caller: it takes longer than a request may hold the event loop, and much memory. */
async function writeDescription(): Promise<string> {
  const thread = new Worker(WORKER, { name: 'description', env: {}, execArgv: [] });
  const [text] = (await once(thread, 'message')) as [string];
  return text;
}

export const readDescription = endpoint({
  method: 'get',
  path: '/api-json',
  summary: 'Read the OpenAPI description of this interface',
  operationId: 'getDescription',
  tag: 'Description',
  resource: 'description',
  roles: ROLES,
  responses: { 200: z.looseObject({ openapi: z.string() }).meta({ id: 'Description' }), 304: null },
  handle: async (_input, request) => {
    // An empty transaction checks that the token's rights still hold.
    await request.runAll();
    known ??= writeDescription();
    const text = await known.catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return unlessKnown(request.incoming, { status: 200, body: text, headers: { ETag: tagOfText(text) } });
  },
});
