import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { validationError, problemsText, RequestError, type Problem } from '../errors.ts';
import { readJson } from './body.ts';
import type { Endpoint, RequestInput, PublicEndpoint } from './endpoint.ts';
import { AUTHENTICATED_BODY_BUDGET, PUBLIC_BODY_BUDGET } from './json-budget.ts';
import { CHECKED_INPUT_CACHE_CHARACTERS } from '../limits.ts';
import { castToProblemRule, rule, type ProblemRule } from '../problems.ts';

const NO_FIELDS = z.strictObject({});

type InputSchemas = Pick<Endpoint | PublicEndpoint, 'path' | 'params' | 'query' | 'body' | 'roles' | 'budget'>;

/**
 * Checks path and query, then reads and checks the body. @throws RequestError ERROR_VALIDATION, and the errors of
 * `readJson`
 */
export async function readInput(endpoint: InputSchemas, request: Request): Promise<RequestInput> {
  const input = checkPathAndQuery(endpoint, request);
  if (endpoint.body === undefined) return input;
  const budget = endpoint.roles === 'public' ? PUBLIC_BODY_BUDGET : (endpoint.budget ?? AUTHENTICATED_BODY_BUDGET);
  const { value: body, problems } = validateInputPart('body', endpoint.body, await readJson(request, budget));
  throwIfProblems(problems);
  return { ...input, body };
}

const inputCache = new LRUCache<string, { readonly endpoint: InputSchemas; readonly input: RequestInput }>({
  maxSize: CHECKED_INPUT_CACHE_CHARACTERS,
  sizeCalculation: (_, target) => target.length,
});

/**
 * Returns the checked path and query as a frozen object; a later request with the same URL gets the same object.
 * @throws RequestError ERROR_VALIDATION
 */
export function checkPathAndQuery(endpoint: InputSchemas, request: Request): RequestInput {
  const key = `${request.method} ${request.url}`;
  const cached = inputCache.get(key);
  if (cached?.endpoint === endpoint) return cached.input;
  const { params = NO_FIELDS, query = NO_FIELDS } = endpoint;
  const checkedPath = validateInputPart('path', params, parsePath(endpoint.path, request.path));
  const checkedQuery = validateInputPart('query', query, request.query);
  throwIfProblems([...checkedPath.problems, ...checkedQuery.problems]);
  const input = { params: checkedPath.value as RequestInput['params'], query: checkedQuery.value, body: {} };
  inputCache.set(key, { endpoint, input: deepFreeze(input) });
  return input;
}

/** Returns the checked parameters of a path; undefined for a path that is not valid. */
export function readPath(
  params: z.ZodObject,
  pattern: string,
  { path }: Request,
): Readonly<Record<string, string>> | undefined {
  try {
    return params.safeParse(parsePath(pattern, path)).data as Readonly<Record<string, string>> | undefined;
  } catch {
    return undefined;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/**
 * Express's query parser would drop parameters after the thousandth and keep malformed escapes. @throws RequestError
 */
export function parseQuery(query: string | null): ParsedUrlQuery {
  const text = query ?? '';
  try {
    decodeURIComponent(text);
  } catch (cause) {
    throw validationError('query', rule('not_percent_encoded'), 'a malformed escape in the query', cause);
  }
  return parse(text, '&', '=', { maxKeys: 0 });
}

/** Returns the decoded parameters of a path by name. @throws URIError for a malformed escape */
function parsePath(pattern: string, path: string): Record<string, string> {
  const segments = path.split('/');
  return Object.fromEntries(
    pattern.split('/').flatMap((segment, index) => {
      const [, name, ending = ''] = /^\{(\w+)\}(.*)$/.exec(segment) ?? [];
      const value = segments[index] ?? '';
      return name === undefined ? [] : [[name, decodeURIComponent(value.slice(0, value.length - ending.length))]];
    }),
  );
}

export function validateInputPart(
  part: string,
  schema: z.ZodObject,
  input: unknown,
): { value: Record<string, unknown>; problems: readonly Problem[] } {
  const { success, data, error } = schema.safeParse(input, { error: findRuleForIssue });
  if (success) return { value: data, problems: findUnstorableText(data, []) };
  const notCreated = (schema.meta()?.['x-not-created'] ?? []) as readonly PropertyKey[];
  return {
    value: {},
    problems: error.issues.flatMap((issue) => toProblems(part, issue, input, notCreated, schema.shape)),
  };
}

const RULES_BY_TYPE: Readonly<Record<string, ProblemRule>> = {
  object: rule('not_an_object'),
  array: rule('not_a_list'),
  string: rule('not_text'),
  boolean: rule('not_true_or_false'),
};

function findRuleForIssue(issue: z.core.$ZodRawIssue): ProblemRule {
  return (issue.code === 'invalid_type' ? RULES_BY_TYPE[issue.expected] : undefined) ?? rule('not_as_described');
}

function toProblems(
  part: string,
  issue: z.core.$ZodIssue,
  input: unknown,
  notCreated: readonly PropertyKey[],
  shape: object,
): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const meant = part === 'query' ? key.replace(/\[\d*\]$/, '') : key;
      if (meant !== key && meant in shape)
        return createFieldProblem([key], rule('unknown_field.form', { field: meant }));
      const isKnown = issue.path.length === 0 && notCreated.includes(key);
      return createFieldProblem([...issue.path, key], rule(isKnown ? 'unknown_field.creation' : 'unknown_field'));
    });
  }
  const broken = isFieldMissing(issue.path, input)
    ? rule('required')
    : (castToProblemRule(issue.message) ?? rule('not_as_described'));
  if (part === 'query') return [createParameterProblem(issue, broken, input)];
  return [createFieldProblem(issue.path.length === 0 ? [part] : issue.path, broken)];
}

/** True if the request lacks the field; the response then reports `required` instead of the field's own rule. */
function isFieldMissing(path: readonly PropertyKey[], input: unknown): boolean {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value === undefined;
}

/**
 * Returns one problem for the whole query parameter, even if only one of the parameter's values is wrong. In `query`, a
 * repeated parameter is an array.
 */
function createParameterProblem(issue: z.core.$ZodIssue, broken: ProblemRule, query: unknown): Problem {
  const field = String(issue.path[0] ?? 'query');
  const isRepeated = Array.isArray((query as Readonly<Record<string, unknown>>)[field]);
  const expectsList = issue.code === 'invalid_type' && issue.expected === 'array';
  return { field, rule: isRepeated && !expectsList ? rule('given_twice') : broken };
}

/** Postgres cannot store NUL, and stores unpaired surrogates as other text. */
function findUnstorableText(value: unknown, path: readonly string[]): Problem[] {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? [createFieldProblem(path, rule('not_storable'))] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => findUnstorableText(inner, [...path, key]));
}

/** Turns the path of a field into a problem: ["changes", 3, "status"] becomes the field `status` at index 3. */
function createFieldProblem(path: readonly PropertyKey[], broken: ProblemRule): Problem {
  const index = Number(path[1]);
  const isListItem = path.length > 2 && Number.isInteger(index);
  const field = path.slice(isListItem ? 2 : 0).join('.');
  return { field, rule: broken, ...(isListItem && { position: { index } }) };
}

function throwIfProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new RequestError('ERROR_VALIDATION', problemsText(problems), { problems });
}
