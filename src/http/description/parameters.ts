import { z } from 'zod';
import type { Endpoint, PublicEndpoint } from '../endpoint.ts';
import { parameter } from '../fields.ts';
import { inWords, recordNameOf } from './names.ts';
import { KEY_CHARACTERS } from '../../limits.ts';

/** Headers of requests that an endpoint hears. */
const REQUEST_HEADERS = {
  'If-Match': 'Refuses with 412 when the record has changed since it had this ETag.',
  'If-None-Match': 'Answers 304, without a body, while the ETag is this one still.',
  Range: 'Asks for a part of the content: bytes=0-1023, bytes=1024- or bytes=-1024.',
  'If-Range': 'Gives the part only while the ETag is this one still, and otherwise the whole.',
  'Idempotency-Key': `A new one for each record that is to be made, 1 to ${KEY_CHARACTERS} printable characters, such as a UUID. For 24 hours the same caller's same request (of a form its fields and its file) gets the same answer and makes nothing again; another one is a conflict (409), and so is one while the first is under way (409 with Retry-After).`,
} as const;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Header parameters of those names. */
export function headerParameters(names: readonly RequestHeader[]): z.ZodObject {
  return z.object(
    Object.fromEntries(
      names.map((name) => [name, parameter(z.string(), REQUEST_HEADERS[name]).optional()] as const),
    ),
  );
}

/** An id to try for each kind of record, by its name. */
export type ExampleIds = ReadonlyMap<string, string>;

/** The records that stand in the path, each with its sentence and an id to try. */
export function pathParameters(
  { params, path }: Endpoint | PublicEndpoint,
  ids: ExampleIds,
): z.ZodObject | undefined {
  if (params === undefined) return undefined;
  return z.object(
    Object.fromEntries(
      Object.entries(params.shape as Record<string, z.ZodType>).map(([placeholder, rule]) => {
        const name = recordNameOf(path, placeholder);
        const [description, example] = [`The id of the ${inWords(name)}.`, ids.get(name)];
        return [placeholder, rule.meta({ param: { description, example } })] as const;
      }),
    ),
  );
}
