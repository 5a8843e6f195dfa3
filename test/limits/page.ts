import { readFile } from 'node:fs/promises';
import { MAX_HEADER_LENGTHS } from '../../src/http/request-headers.ts';
import * as values from '../../src/limits.ts';
import { document, resolved } from '../support/described.ts';

/** A limit that src/limits.ts declares in one line, with its name, unit and reason. */
export interface Limit {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly reason: string;
}

export const PAGE = new URL('../../docs/limits.md', import.meta.url);
const SOURCE = new URL('../../src/limits.ts', import.meta.url);
const LIMIT = /^export const (?<name>[A-Z0-9_]+) = [^;]+; \/\/ (?<unit>[^:]+): (?<reason>.+)$/;

/** @throws Error with the line that has no unit or no reason */
export async function readLimits(): Promise<readonly Limit[]> {
  let group = '';
  const limits: Limit[] = [];
  for (const line of (await readFile(SOURCE, 'utf8')).split('\n')) {
    group = /^\/\* (.+) \*\/$/.exec(line)?.[1] ?? group;
    if (!line.startsWith('export')) continue;
    const { name, unit, reason } = LIMIT.exec(line)?.groups ?? {};
    if (name === undefined || unit === undefined || reason === undefined)
      throw new Error(`${line}: a limit needs a unit and a reason`);
    limits.push({ group, name, unit, reason });
  }
  return limits;
}

export async function pageOfLimits(): Promise<string> {
  const limits = await readLimits();
  const groups = [...new Set(limits.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const lines = limits.filter((limit) => limit.group === group).map(lineOf);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  const headers = [...Map.groupBy(Object.keys(MAX_HEADER_LENGTHS), (name) => MAX_HEADER_LENGTHS[name] ?? 0)].map(
    ([most, names]): LimitedNames => [`${inDigits(most)} characters`, names],
  );
  return `# Limits

This page lists the limits that no environment variable sets. \`npm run limits:page\` generates it from
[src/limits.ts](../src/limits.ts), from the description of the interface and from the list of headers.
[Variables](configuration.md) set the rate limits, the statement timeout, the number of connections to Postgres and the
size of a document.

${sections.join('\n')}
${sectionOf('Fields of bodies', limitsOf(fieldsOfBodies()))}
${sectionOf('Parameters of the query', limitsOf(queryParameters()))}
${sectionOf('Headers', headers)}`;
}

interface Schema {
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly readOnly?: boolean;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

type LimitedNames = readonly [limit: string, names: readonly string[]];
type NamedSchema = readonly [name: string, schema: Schema];

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Operation[]);

/** Every field that a caller can send in the body of some operation, also in a list of records or changes. */
function fieldsOfBodies(): readonly NamedSchema[] {
  const fieldsOf = (schema: Schema): readonly NamedSchema[] => {
    const { items, properties = {} } = inFull(schema);
    const writable = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true);
    return [...writable, ...(items ? fieldsOf(items) : []), ...writable.flatMap(([, field]) => fieldsOf(field))];
  };
  return operations.flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema)),
  );
}

function queryParameters(): readonly NamedSchema[] {
  return operations.flatMap(({ parameters = [] }) =>
    parameters.flatMap((one) => (one.in === 'query' ? [[one.name, one.schema] as const] : [])),
  );
}

/** Groups the names of fields and parameters by their limit, such as `1 to 31`. */
function limitsOf(schemas: readonly NamedSchema[]): readonly LimitedNames[] {
  const limits = schemas.flatMap(([name, schema]) => limitsOfSchema(schema).map((limit) => ({ name, limit })));
  return [...Map.groupBy(limits, ({ limit }) => limit)].map(([limit, all]) => [limit, all.map(({ name }) => name)]);
}

function limitsOfSchema(schema: Schema): readonly string[] {
  const { maxLength, maxItems, items, minimum, maximum, description, allOf = [], anyOf = [] } = inFull(schema);
  const [, dates] = /(?<=^|\. )From (\d{4}-\S+ to \d{4}-\S+)\./.exec(description ?? '') ?? [];
  return [
    ...(maxLength === undefined ? [] : [`${inDigits(maxLength)} characters`]),
    // The page shows no limit for a list of enum values if the limit is just the number of possible values.
    ...(maxItems === undefined || maxItems === inFull(items ?? {}).enum?.length
      ? []
      : [`${inDigits(maxItems)} values`]),
    ...(minimum === undefined || maximum === undefined ? [] : [`${inShort(minimum)} to ${inShort(maximum)}`]),
    ...(dates === undefined ? [] : [dates]),
    ...[...allOf, ...anyOf].flatMap(limitsOfSchema),
  ];
}

function sectionOf(heading: string, limits: readonly LimitedNames[]): string {
  const lines = limits.map(([limit, names]) => {
    const sorted = [...new Set(names)].toSorted().map((name) => `\`${name}\``);
    return wrap(`- ${limit}: ${sorted.join(', ')}`);
  });
  return `## ${heading}\n\n${lines.join('\n')}\n`;
}

const wrap = (text: string): string => text.replaceAll(/(.{1,100})(?: |$)/g, '$1\n  ').trimEnd();

const inFull = (schema: Schema): Schema => resolved(schema as object) as Schema;
/** Numbers get a comma between thousands, but a year such as 2200 gets none. */
const inShort = (value: number): string => value.toLocaleString('en-US', { useGrouping: 'min2' });
const inDigits = (value: number): string => value.toLocaleString('en-US');

function lineOf({ name, unit, reason }: Limit): string {
  const value: unknown = values[name as keyof typeof values];
  const texts = (Array.isArray(value) ? value : [value]).map((one) => inDigits(Number(one)));
  return `- \`${name}\` ${texts.join(' to ')} ${unit}: ${reason}`;
}
