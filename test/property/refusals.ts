import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { document } from '../support/described.ts';
import type { Answer } from '../support/http.ts';
import { OPERATIONS } from './requests.ts';
import type { Request } from './requests.ts';
import type { Schema } from './values.ts';

/*
 * Checks the answers 400 to generated requests. If a request matches its JSON schema, the service is allowed to refuse
 * it only by a rule that the OpenAPI description states.
 */

const ajv = new Ajv({ strict: false, validateSchema: false });
addFormats.default(ajv);

/** Rules of the service with the words in which the OpenAPI description states them. */
const IN_OTHER_WORDS: Readonly<Record<string, string>> = {
  'must lie between 1900 and 2200': 'from 1900-01-01',
  'must lie between 0001 and 9999': 'years 0001 to 9999',
  'must have at most 15 digits': 'a number of more than 15 digits',
  'must be the cursor of a Link header': 'cursor from the link header of the previous page',
  'must be the cursor of a Link header of the same list in the same order':
    'cursor from the link header of the previous page, for the same list in the same order',
  'must name at least one of your clients': 'at least one of the caller’s clients',
  'is not your current password': 'current password of the caller, at most 72 bytes',
  'must be a SIRET: its check digit is wrong': 'SIRET, 14 digits with a valid checksum',
};

function wordsOf(text: string): string {
  return text.replaceAll(/[`\\]/g, '').toLowerCase();
}

/** Returns the part of an error message that the OpenAPI description must also contain. */
function core(rule: string): string {
  if (/^must not name \w+ twice$/.test(rule)) return 'two different fields';
  const [, maximum] = /^must be a decimal from 0 to ([\d.]+) with at most two places$/.exec(rule) ?? [];
  if (maximum !== undefined) return `0 to ${maximum}, at most two decimal places`;
  return wordsOf(IN_OTHER_WORDS[rule] ?? rule).replace(/^must (?:not )?(?:be |have )?(?:an? )?/, '');
}

/** Converts a text from a query string into the type that its schema names. */
function typed(schema: Schema, text: string): unknown {
  if (schema.type === 'array') return text.split(',').map((one) => typed(schema.items ?? {}, one));
  if (schema.type === 'integer' || schema.type === 'number') return /^[\d.]+$/.test(text) ? Number(text) : text;
  if (schema.type === 'boolean') return { true: true, false: false }[text] ?? text;
  return text;
}

function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? '')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/**
 * Returns the fields that the service refused although no rule in their schema or in the OpenAPI description forbids
 * the values.
 */
export function undescribedRules({ operation, target, body }: Request, { status, json }: Answer): string[] {
  if (status !== 400) return [];
  const { details = {} } = (json as { error: { details?: Readonly<Record<string, string>> } }).error;
  const described = OPERATIONS.find(({ name }) => name === operation)?.operation;
  const content = described?.requestBody?.content['application/json']?.schema.properties ?? {};
  const description = wordsOf(`${JSON.stringify(described)} ${String(document.info.description)}`);
  const query = new URLSearchParams(target.split('?')[1]);
  const sent = fieldsOf(body);
  return Object.entries(details).flatMap(([name, rule]) => {
    const parameter = described?.parameters?.find((one) => one.in === 'query' && one.name === name);
    const schema = parameter?.schema ?? (Object.hasOwn(content, name) ? content[name] : undefined);
    const value = parameter === undefined ? sent[name] : typed(parameter.schema, query.get(name) ?? '');
    if (schema === undefined || value === undefined || !ajv.validate(schema, value)) return [];
    return description.includes(core(rule)) ? [] : [`${operation} ${name} ${rule}: ${JSON.stringify(value)}`];
  });
}
