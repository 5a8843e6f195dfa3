import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { ERRORS_BY_CODE } from '../../src/errors.ts';
import { readColumnComments } from '../../src/db/comments.ts';
import { describeInterface } from '../../src/http/openapi.ts';
import { allEndpoints, TAG_DESCRIPTIONS } from '../../src/resources/index.ts';
import type { Answer } from './http.ts';

interface Response {
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response & Reference>>;
}

/** A value in the OpenAPI document: a schema, or a reference to a schema elsewhere in the document. */
interface Reference {
  readonly $ref?: string;
  readonly required?: boolean;
}

/** The OpenAPI document that `GET /api-json` returns. */
export const document = describeInterface(allEndpoints, TAG_DESCRIPTIONS, await readColumnComments());

const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;

const patterns = Object.keys(paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
// Narrower than RFC 3339: each time has three digits of a second, as that of a JavaScript Date.
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addSchema(document, 'api');

/** Response headers of HTTP itself or for browsers, which the OpenAPI document does not list per operation. */
const NOT_DESCRIBED = [
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['transfer-encoding', 'vary'],
  ...['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy'],
  ...['origin-agent-cluster', 'referrer-policy', 'strict-transport-security', 'x-content-type-options'],
  ...['x-dns-prefetch-control', 'x-download-options', 'x-frame-options'],
  ...['x-permitted-cross-domain-policies', 'x-xss-protection'],
  ...['access-control-allow-origin', 'access-control-expose-headers'],
];

/** The headers of a response that belongs to no operation of the OpenAPI document. */
function headersElsewhere(status: number): Record<string, Reference> {
  const required = [
    ...['X-Request-Id', 'Cache-Control', 'Content-Language'],
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 405 ? ['Allow'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return {
    ...Object.fromEntries(required.map((name) => [name, { required: true }])),
    ...{ RateLimit: {}, 'RateLimit-Policy': {} },
  };
}

/** The statuses of responses outside the OpenAPI operations, such as that for an unknown path. */
const ELSEWHERE = new Set([400, 401, 404, 405, 408, 413, 414, 429, 431, 503]);

/**
 * Compares the status, headers and body of a response with the OpenAPI document.
 * @throws Error that names the difference
 */
export function expectDescribed(line: string, answer: Answer): void {
  const [method = '', target = ''] = line.split(' ');
  const [path = ''] = target.split('?');
  const known = paths[path] === undefined ? patterns.find(({ pattern }) => pattern.test(path))?.path : path;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = known === undefined ? undefined : paths[known]?.[verb];
  const asked = new URLSearchParams(target.split('?')[1]).get('fields');
  const fields = asked === null ? undefined : ['id', ...asked.split(',')];
  const difference =
    known === undefined || operation === undefined
      ? differenceElsewhere(method, answer)
      : differenceFrom(operation, ['paths', known, verb], method, answer, fields);
  if (difference === undefined) return;
  throw new Error(`${line} answered ${answer.status}, which is not as described: ${difference}\n${answer.text}`);
}

function differenceElsewhere(method: string, answer: Answer): string | undefined {
  const isPreflight = method === 'OPTIONS' && answer.status === 204;
  if (isPreflight) return undefined;
  if (!ELSEWHERE.has(answer.status)) return 'no operation has this path and method';
  return (
    headerDifference(headersElsewhere(answer.status), answer) ??
    (method === 'HEAD' ? undefined : mismatch(['components', 'schemas', 'ErrorEnvelope'], answer))
  );
}

function differenceFrom(
  { responses }: Operation,
  pointer: readonly string[],
  method: string,
  answer: Answer,
  fields?: readonly string[],
): string | undefined {
  const status = String(answer.status);
  const named = responses[status];
  if (named === undefined) return `only ${Object.keys(responses).join(', ')} are`;
  const response = resolved(named) as Response;
  const header = headerDifference(response.headers ?? {}, answer) ?? withoutTag(method, response, answer);
  if (header !== undefined) return header;
  if (method === 'HEAD') return answer.text === '' ? undefined : 'HEAD has no body';
  const { content } = response;
  if (content === undefined) return answer.text === '' ? undefined : 'there should be no body';
  const type = answer.headers['content-type']?.split(';')[0] ?? '';
  if (!(type in content)) return '*/*' in content ? undefined : `the type is ${type}`;
  if (type !== 'application/json') return undefined;
  return (
    codeMismatch(answer) ??
    unexplained(answer) ??
    ofLibrary(answer) ??
    (fields !== undefined && answer.status === 200
      ? mismatchOfFields((content[type] as { schema: ListOfRecords }).schema, fields, answer)
      : mismatch([...(partsOf(named) ?? [...pointer, 'responses', status]), 'content', type, 'schema'], answer))
  );
}

/**
 * Returns an error text for a response header that the OpenAPI document does not describe, or for a required one that
 * is missing.
 */
function headerDifference(described: Readonly<Record<string, Reference>>, { headers }: Answer): string | undefined {
  const all = Object.entries(described).map(([name, header]) => ({
    name: name.toLowerCase(),
    isRequired: (resolved(header) as Reference).required === true,
  }));
  const missing = all.find(({ name, isRequired }) => isRequired && headers[name] === undefined);
  if (missing !== undefined) return `the header ${missing.name} is missing`;
  const known = [...all.map(({ name }) => name), ...NOT_DESCRIBED];
  const unknown = Object.keys(headers).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : `the header ${unknown} is not described`;
}

/**
 * Returns an error text if a JSON list has no ETag. The OpenAPI document cannot require the ETag, because a CSV list
 * has none.
 */
function withoutTag(method: string, { content }: Response, { status, headers }: Answer): string | undefined {
  const isListInJson =
    method === 'GET' &&
    status === 200 &&
    content?.['text/csv'] !== undefined &&
    headers['content-type']?.startsWith('application/json') === true;
  return isListInJson && headers['etag'] === undefined ? 'the header etag is missing' : undefined;
}

/**
 * Returns the path in the OpenAPI document to which a reference (`$ref`) points, or undefined if the value is no
 * reference.
 */
function partsOf({ $ref }: Reference): readonly string[] | undefined {
  return $ref?.replace('#/', '').split('/');
}

/** Returns the value in the OpenAPI document to which a reference points, and any other value unchanged. */
export function resolved(named: Reference): unknown {
  const parts = partsOf(named);
  if (parts === undefined) return named;
  return parts.reduce<unknown>((whole, part) => (whole as Record<string, unknown>)[part], document);
}

function mismatch(pointer: readonly string[], { json }: Answer): string | undefined {
  const fragment = pointer.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`api#/${fragment}`);
  if (validate === undefined) return `there is no schema at ${fragment}`;
  return validate(json) === true ? undefined : ajv.errorsText(validate.errors, { separator: '\n' });
}

interface ListOfRecords {
  readonly items: Reference;
}

/**
 * Returns an error text if a record in a list that was requested with `fields` has not exactly the requested fields.
 */
function mismatchOfFields({ items }: ListOfRecords, fields: readonly string[], { json }: Answer): string | undefined {
  const whole = resolved(items) as { readonly required?: readonly string[] };
  const required = (whole.required ?? []).filter((name) => fields.includes(name));
  const validate = ajv.compile(absolute({ type: 'array', items: { ...whole, required } }));
  const excess = (json as object[]).flatMap((record) =>
    Object.keys(record).filter((name) => (whole.required ?? []).includes(name) && !fields.includes(name)),
  );
  if (excess.length > 0) return `${excess.join()} was not asked for`;
  return validate(json) ? undefined : ajv.errorsText(validate.errors, { separator: '\n' });
}

/** Returns a schema with absolute references, so that it can be compiled outside of the OpenAPI document. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
}

/** Returns an error text if a response’s error code does not belong to its status. */
function codeMismatch({ status, json }: Answer): string | undefined {
  if (status < 400) return undefined;
  const { code } = (json as { error: { code: keyof typeof ERRORS_BY_CODE } }).error;
  return ERRORS_BY_CODE[code].status === status ? undefined : `${code} is not of this status`;
}

/**
 * Returns an error text if the details of an error have a sentence of the library zod, because all sentences must be
 * the service’s own.
 */
function ofLibrary({ json }: Answer): string | undefined {
  const { details = {} } = (json as { error?: { details?: object } } | null)?.error ?? {};
  return Object.values(details)
    .map(String)
    .find((rule) => /^(?:Invalid|Unrecognized|Too (?:small|big))\b/.test(rule));
}

/** Returns an error text if a response with status 409 has no reason in its details. */
function unexplained({ status, json }: Answer): string | undefined {
  if (status !== 409) return undefined;
  const { problems = [] } = (json as { error: { problems?: readonly { code: string }[] } }).error;
  const isOfRow = (problem: object): boolean => 'line' in problem || 'index' in problem;
  const isSilent = problems.every((problem) => problem.code === 'conflict' && !isOfRow(problem));
  return isSilent ? 'it does not say why' : undefined;
}
