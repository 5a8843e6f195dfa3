/**
 * OpenAPI 3.0 knows `nullable` beside a `type` alone. The generator also writes it as one more alternative, which then
 * allows anything, and beside nothing, where anything is allowed already; `false` is what every type is anyway. A reviver of `JSON.parse`.
 */
export function mendNullable(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('anyOf' in value && Array.isArray(value.anyOf)) {
    const typed = (value.anyOf as object[]).filter((one) => Object.keys(one).length > 0);
    const isNullable = typed.length < value.anyOf.length;
    return { ...value, anyOf: isNullable ? typed.map((one) => ({ ...one, nullable: true })) : typed };
  }
  if ('nullable' in value && (value.nullable === false || !('type' in value || 'allOf' in value))) {
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'nullable'));
  }
  return value;
}
