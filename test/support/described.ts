import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { ERRORS } from '../../src/errors.ts';
import { describeInterface } from '../../src/http/openapi.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import type { Answer } from './http.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** The description, as `GET /api-json` gives it. */
export const document = describeInterface(allEndpoints);

const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;

const patterns = Object.keys(paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(document, 'api');

/** Statuses of answers that belong to no operation: no such path, no such method, nothing that could be a request. */
const ELSEWHERE = new Set([400, 401, 404, 405, 408, 413, 414, 429, 431, 503]);

/**
 * Holds an answer against the description: the status is one of the operation's, the body is what it says.
 * @throws Error that names the difference
 */
export function expectDescribed(line: string, answer: Answer): void {
  const [method = '', target = ''] = line.split(' ');
  const [path = ''] = target.split('?');
  const known = paths[path] === undefined ? patterns.find(({ pattern }) => pattern.test(path))?.path : path;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = known === undefined ? undefined : paths[known]?.[verb];
  const difference =
    known === undefined || operation === undefined
      ? differenceElsewhere(method, answer)
      : differenceFrom(operation, ['paths', known, verb], method, answer);
  if (difference === undefined) return;
  throw new Error(
    `${line} answered ${answer.status}, which is not as described: ${difference}\n${answer.text}`,
  );
}

function differenceElsewhere(method: string, answer: Answer): string | undefined {
  const isPreflight = method === 'OPTIONS' && answer.status === 204;
  if (isPreflight) return undefined;
  if (!ELSEWHERE.has(answer.status)) return 'no operation has this path and method';
  return method === 'HEAD' ? undefined : mismatch(['components', 'schemas', 'Error'], answer);
}

function differenceFrom(
  { responses }: Operation,
  pointer: readonly string[],
  method: string,
  answer: Answer,
): string | undefined {
  const status = String(answer.status);
  const response = responses[status];
  if (response === undefined) return `only ${Object.keys(responses).join(', ')} are`;
  if (method === 'HEAD') return answer.text === '' ? undefined : 'HEAD has no body';
  const { content } = response;
  if (content === undefined) return answer.text === '' ? undefined : 'there should be no body';
  const type = answer.headers['content-type']?.split(';')[0] ?? '';
  if (!(type in content)) return '*/*' in content ? undefined : `the type is ${type}`;
  if (type !== 'application/json') return undefined;
  return (
    codeMismatch(answer) ?? mismatch([...pointer, 'responses', status, 'content', type, 'schema'], answer)
  );
}

function mismatch(pointer: readonly string[], { json }: Answer): string | undefined {
  const fragment = pointer
    .map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = ajv.getSchema(`api#/${fragment}`);
  if (validate === undefined) return `there is no schema at ${fragment}`;
  return validate(json) === true ? undefined : ajv.errorsText(validate.errors, { separator: '\n' });
}

/** The code of an error envelope is the one of its status. */
function codeMismatch({ status, json }: Answer): string | undefined {
  if (status < 400) return undefined;
  const { code } = (json as { error: { code: keyof typeof ERRORS } }).error;
  return ERRORS[code].status === status ? undefined : `${code} is not of this status`;
}
