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

const EMPTY_OBJECT_SCHEMA = z.strictObject({});

type InputSchemas = Pick<Endpoint | PublicEndpoint, 'path' | 'params' | 'query' | 'body' | 'roles' | 'budget'>;

/**
 * Checks path and query, then reads and checks the body. @throws RequestError ERROR_VALIDATION, and the errors of
 * `readJson`
 */
export async function readInput(endpoint: InputSchemas, request: Request): Promise<RequestInput> {
  const pathAndQueryInput = checkPathAndQuery(endpoint, request);
  if (endpoint.body === undefined) return pathAndQueryInput;
  const jsonBudget = endpoint.roles === 'public' ? PUBLIC_BODY_BUDGET : (endpoint.budget ?? AUTHENTICATED_BODY_BUDGET);
  const bodyValidationResult = validateInputPart('body', endpoint.body, await readJson(request, jsonBudget));
  throwIfProblems(bodyValidationResult.problems);
  return { ...pathAndQueryInput, body: bodyValidationResult.value };
}

const checkedInputCache = new LRUCache<string, { readonly endpoint: InputSchemas; readonly input: RequestInput }>({
  maxSize: CHECKED_INPUT_CACHE_CHARACTERS,
  sizeCalculation: (_, target) => target.length,
});

/**
 * Returns the checked path and query as a frozen object; a later request with the same URL gets the same object.
 * @throws RequestError ERROR_VALIDATION
 */
export function checkPathAndQuery(endpoint: InputSchemas, request: Request): RequestInput {
  const inputCacheKey = `${request.method} ${request.url}`;
  const cachedInput = checkedInputCache.get(inputCacheKey);
  if (cachedInput?.endpoint === endpoint) return cachedInput.input;
  const pathValidationResult = validateInputPart(
    'path',
    endpoint.params ?? EMPTY_OBJECT_SCHEMA,
    parsePath(endpoint.path, request.path),
  );
  const queryValidationResult = validateInputPart('query', endpoint.query ?? EMPTY_OBJECT_SCHEMA, request.query);
  throwIfProblems([...pathValidationResult.problems, ...queryValidationResult.problems]);
  const checkedInput = {
    params: pathValidationResult.value as RequestInput['params'],
    query: queryValidationResult.value,
    body: {},
  };
  checkedInputCache.set(inputCacheKey, { endpoint, input: deepFreeze(checkedInput) });
  return checkedInput;
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
  const queryString = query ?? '';
  try {
    decodeURIComponent(queryString);
  } catch (cause) {
    throw validationError('query', rule('not_percent_encoded'), 'a malformed escape in the query', cause);
  }
  return parse(queryString, '&', '=', { maxKeys: 0 });
}

/** Returns the decoded parameters of a path by name. @throws URIError for a malformed escape */
function parsePath(pattern: string, path: string): Record<string, string> {
  const pathSegments = path.split('/');
  return Object.fromEntries(
    pattern.split('/').flatMap((segment, index) => {
      const [, name, ending = ''] = /^\{(\w+)\}(.*)$/.exec(segment) ?? [];
      const pathSegment = pathSegments[index] ?? '';
      return name === undefined
        ? []
        : [[name, decodeURIComponent(pathSegment.slice(0, pathSegment.length - ending.length))]];
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
  const notCreatedFields = (schema.meta()?.['x-not-created'] ?? []) as readonly PropertyKey[];
  return {
    value: {},
    problems: error.issues.flatMap((issue) => convertIssueToProblems(part, issue, input, notCreatedFields)),
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

function convertIssueToProblems(
  part: string,
  issue: z.core.$ZodIssue,
  input: unknown,
  notCreatedFields: readonly PropertyKey[],
): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const isNotCreated = issue.path.length === 0 && notCreatedFields.includes(key);
      return createFieldProblem([...issue.path, key], rule(isNotCreated ? 'unknown_field.creation' : 'unknown_field'));
    });
  }
  const isAbsentField = isFieldMissing(issue.path, input);
  const brokenRule = isAbsentField ? rule('required') : (castToProblemRule(issue.message) ?? rule('not_as_described'));
  if (part === 'query') return [createParameterProblem(issue, brokenRule, input)];
  return [createFieldProblem(issue.path.length === 0 ? [part] : issue.path, brokenRule)];
}

/** True if the request lacks the field; the response then reports `required` instead of the field's own rule. */
function isFieldMissing(path: readonly PropertyKey[], input: unknown): boolean {
  let inputValueAtPath = input;
  for (const key of path) {
    if (typeof inputValueAtPath !== 'object' || inputValueAtPath === null) return false;
    inputValueAtPath = (inputValueAtPath as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return inputValueAtPath === undefined;
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
