import type { ColumnComments } from '../../db/comments.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * `x-table` names the table whose column comments describe the fields; `x-said` has texts that replace these comments.
 * `x-not-created` lists the record's fields that the body of a creation may not have; `src/http/input.ts` reads it.
 */
interface AnnotatedSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly 'x-said': Readonly<Record<string, string>>;
  readonly 'x-table'?: string;
}

/** Describes each field: first its `x-said` text or column comment, then its rule. Removes the annotations. */
export function describeFields(schema: object, commentOf: ColumnComments): object {
  if (!('x-said' in schema && 'properties' in schema)) return schema;
  const { 'x-said': said, 'x-table': table, properties, ...rest } = schema as AnnotatedSchema;
  const described = Object.entries(properties).map(([name, field]) => {
    const meaning = said[name] ?? (table === undefined ? undefined : commentOf(table, name));
    return [name, meaning === undefined ? field : prependMeaning(meaning, field)] as const;
  });
  return { ...rest, 'x-not-created': undefined, properties: Object.fromEntries(described) };
}

/** Puts a `$ref` into `allOf`, because OpenAPI 3.0 allows no description beside a `$ref`. */
function prependMeaning(meaning: string, { description: rule = '', ...field }: JsonSchema): object {
  const description = `${meaning} ${String(rule)}`.trim();
  return '$ref' in field ? { allOf: [field], description } : { ...field, description };
}
