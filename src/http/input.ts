import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { invalid, RequestError } from '../errors.ts';
import { readJson } from './body.ts';
import type { Endpoint, Input, PublicEndpoint } from './endpoint.ts';
import { CALLER_BUDGET, PUBLIC_BUDGET } from './json-budget.ts';
import { KNOWN_INPUT_CHARACTERS } from '../limits.ts';

type Problem = readonly [field: string, rule: string];

const NOTHING = z.strictObject({});

type Asked = Pick<Endpoint | PublicEndpoint, 'path' | 'params' | 'query' | 'body' | 'roles'>;

/** Reads the body once path and query are right. @throws RequestError ERROR_VALIDATION, and the errors of `readJson` */
export async function readInput(endpoint: Asked, request: Request): Promise<Input> {
  const input = inputOf(endpoint, request);
  if (endpoint.body === undefined) return input;
  const budget = endpoint.roles === 'public' ? PUBLIC_BUDGET : CALLER_BUDGET;
  const content = check('body', endpoint.body, await readJson(request, budget));
  refuse(content.problems);
  return { ...input, body: content.value };
}

const known = new LRUCache<string, { readonly endpoint: Asked; readonly input: Input }>({
  maxSize: KNOWN_INPUT_CHARACTERS,
  sizeCalculation: (_, target) => target.length,
});

/** The result is frozen, because later requests share it. @throws RequestError ERROR_VALIDATION */
export function inputOf(endpoint: Asked, request: Request): Input {
  const target = `${request.method} ${request.url}`;
  const before = known.get(target);
  if (before?.endpoint === endpoint) return before.input;
  const path = check('path', endpoint.params ?? NOTHING, paramsOf(endpoint.path, request.path));
  const search = check('query', endpoint.query ?? NOTHING, request.query);
  refuse([...path.problems, ...search.problems]);
  const input = { params: path.value as Input['params'], query: search.value, body: {} };
  known.set(target, { endpoint, input: frozen(input) });
  return input;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** Express's own parser drops parameters after the thousandth, and keeps malformed escapes. @throws RequestError */
export function parametersOf(query: string | null): ParsedUrlQuery {
  const text = query ?? '';
  try {
    decodeURIComponent(text);
  } catch (cause) {
    throw invalid('query', 'must be percent-encoded UTF-8', 'a malformed escape in the query', cause);
  }
  return parse(text, '&', '=', { maxKeys: 0 });
}

/** The decoded parameters of a path, by name. @throws URIError for a malformed escape */
function paramsOf(pattern: string, path: string): Record<string, string> {
  const values = path.split('/');
  return Object.fromEntries(
    pattern.split('/').flatMap((segment, index) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(values[index] ?? '')]];
    }),
  );
}

export function check(
  part: string,
  schema: z.ZodObject,
  input: unknown,
): { value: Record<string, unknown>; problems: readonly Problem[] } {
  const { success, data, error } = schema.safeParse(input, { error: ruleOf });
  if (success) return { value: data, problems: unstorable(data, []) };
  return { value: {}, problems: error.issues.flatMap((issue) => problemsOf(part, issue, input)) };
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'must be an object',
  array: 'must be an array',
  string: 'must be text',
  boolean: 'must be true or false',
};

function ruleOf(issue: z.core.$ZodRawIssue): string {
  return (issue.code === 'invalid_type' ? TYPES[issue.expected] : undefined) ?? 'is not as it is described';
}

function problemsOf(part: string, issue: z.core.$ZodIssue, input: unknown): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => [nameOf([...issue.path, key]), 'is not known here']);
  }
  const rule = isMissing(issue.path, input) ? 'is required' : issue.message;
  if (part === 'query') return [problemOfParameter(issue, rule, input)];
  return [[issue.path.length === 0 ? part : nameOf(issue.path), rule]];
}

/** True where the field is missing: the message is then "is required", not the rule. */
function isMissing(path: readonly PropertyKey[], input: unknown): boolean {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value === undefined;
}

/** Names the parameter instead of one of its values. A parameter that is given twice is an array. */
function problemOfParameter(issue: z.core.$ZodIssue, rule: string, query: unknown): Problem {
  const name = String(issue.path[0] ?? 'query');
  const isTwice = Array.isArray((query as Readonly<Record<string, unknown>>)[name]);
  const takesSeveral = issue.code === 'invalid_type' && issue.expected === 'array';
  return [name, isTwice && !takesSeveral ? 'must be given once' : rule];
}

/** Postgres cannot store NUL, and stores unpaired surrogates as other text. */
function unstorable(value: unknown, path: readonly string[]): Problem[] {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed()
      ? [[nameOf(path), 'must not contain NUL or unpaired surrogates']]
      : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => unstorable(inner, [...path, key]));
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const reason = problems.map(([field, rule]) => `${field} ${rule}`).join('; ');
  throw new RequestError('ERROR_VALIDATION', reason, { details: Object.fromEntries(problems) });
}
