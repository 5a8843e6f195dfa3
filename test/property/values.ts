import fc from 'fast-check';

/** The part of a JSON schema that the value generators read. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly nullable?: boolean;
  readonly readOnly?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/**
 * The table of each id field. Until a request is sent, its ids are names, for example `<own.sites>` for the site of the
 * caller’s tenant.
 */
const TABLES: Readonly<Record<string, string>> = {
  client_id: 'clients',
  clientId: 'clients',
  client_ids: 'clients',
  client_access: 'clients',
  assignee_id: 'users',
  site_id: 'sites',
  reclamation_id: 'reclamations',
  partner_id: 'biller',
  invoice_id: 'factures',
  user_id: 'users',
};

/**
 * Generates an id: mostly of the caller’s tenant, sometimes of another tenant, and sometimes an unknown id in upper
 * case.
 */
export function idFor(name: string, table = TABLES[name] ?? 'clients'): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(`<own.${table}>`) },
    { weight: 1, arbitrary: fc.constant(`<foreign.${table}>`) },
    { weight: 1, arbitrary: fc.uuid().map((id) => id.toUpperCase()) },
  );
}

const HOME = '🏠';

/** Generates texts of up to one character more than allowed, with characters of one to four bytes. */
function textOf(maxLength = 40): fc.Arbitrary<string> {
  const lengths = [0, 1, maxLength - 1, maxLength, maxLength + 1];
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: Math.min(maxLength, 30), unit: 'grapheme' }) },
    { weight: 2, arbitrary: fc.string({ maxLength: 30, unit: 'binary' }) },
    fc
      .tuple(fc.constantFrom('a', 'é', '学', HOME, '\u0301'), fc.constantFrom(...lengths))
      .map(([unit, length]) => unit.repeat(Math.max(0, length))),
  );
}

const DATES = ['2026-12-31', '2024-02-29', '1900-01-01', '2200-12-31'];
const NO_DATES = [
  ...['2026-02-30', '2023-02-29', '2026-13-01', '1899-12-31', '2201-01-01', '0000-00-00', '26-1-1'],
  ...['-infinity'],
];
const TIMES = [
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456+02:00', '0001-01-01T00:00:00Z'],
  ...['9999-12-31T23:59:59-14:00'],
];
const NO_TIMES = [
  ...['2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T24:00:01Z', '2026-01-01T00:00:00', 'now'],
  ...['2026-12-31T23:59:60Z'],
];

/** Generates strings that a schema allows, or that differ from allowed strings in a detail. */
export function stringOf(schema: Schema, name: string): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  const words = schema.items?.enum?.map(String);
  if (words !== undefined) return fc.subarray(words).map((some) => some.join(','));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(String));
  if (format === 'uuid') return idFor(name);
  if (pattern?.includes('(?:none|')) return fc.oneof(fc.constant('none'), idFor(name));
  if (format === 'date') return fc.constantFrom(...DATES, ...DATES, ...NO_DATES);
  if (format === 'date-time') return fc.constantFrom(...TIMES, ...TIMES, ...NO_TIMES);
  if (format === 'email' || pattern?.includes('@') === true)
    return fc.oneof(
      fc.stringMatching(/^[a-z]{8}$/).map((name) => `${name}@b.example`),
      fc.emailAddress(),
      fc.constantFrom(`${'a'.repeat(250)}@b.example`, '@', 'a@b', 'é@é.fr', 'a b@c.fr', ''),
    );
  // The generator has only one valid password, because the service needs long to hash one. The two other passwords have
  // an invalid length.
  if (format === 'password') return fc.constantFrom('long enough it is', 'short', 'é'.repeat(37));
  if (name === 'token') return fc.constantFrom('<token>', 'nonsense', 'a.b.c');
  if (name === 'commune_code') return fc.constantFrom('75056', '75101', '2A004', '69290', '01003');
  if (name === 'siret') return fc.constantFrom('73282932000074', '73282932000075', '35600000000048', '1');
  if (pattern !== undefined && schema.maxLength === undefined) return fc.stringMatching(new RegExp(pattern));
  return textOf(schema.maxLength);
}

/** Numbers in all forms that JSON allows. */
export const NUMBERS = [
  ...['0', '-0', '1', '-1', '0.01', '0.1', '1.005', '1.10', '0.001', '99.99', '100', '100.01', '1e2', '1E-2', '1e-7'],
  ...['99999999.99', '99999999.991', '100000000', '4999999999.99', '5000000000', '2147483647', '2147483648'],
  ...[
    '9007199254740993',
    '12.340000000000000001',
    '12.3400000000000000000',
    '123456789012345678901234567890',
    '1e308',
    '1e400',
    '-1e400',
    '5e-324',
  ],
];

const STRINGS = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\udfff', '\ufffe', '\u202e', "' or 1=1 --", '${x}', '../../etc/passwd'],
];
const DECIMALS = ['1.00', '1.005', '00000000001.5', '1,5', '0x10', 'NaN', 'Infinity', '-1', '1e3', '.5', '1.', '٣'];

/** Generates JSON texts that no field accepts. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '[]', '{}', '[null]', '[[[]]]', '{"__proto__":{"a":1}}', '{"length":1}'),
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...STRINGS, ...DECIMALS).map((text) => JSON.stringify(text)),
  fc.constantFrom(9_999, 10_000, 10_001, 70_000).map((length) => JSON.stringify(HOME.repeat(length))),
  fc.json({ maxDepth: 3 }),
);

/** Generates a JSON text for a field, mostly one that the schema allows. */
export function valueOf(schema: Schema, name: string): fc.Arbitrary<string> {
  const weights = { asked: 14, hostile: 1, none: schema.nullable === true ? 2 : 0 };
  return fc.oneof(
    { weight: weights.asked, arbitrary: askedFor(schema, name) },
    { weight: weights.hostile, arbitrary: hostile },
    { weight: weights.none, arbitrary: fc.constant('null') },
  );
}

function askedFor(schema: Schema, name: string): fc.Arbitrary<string> {
  const [whole] = schema.allOf ?? [];
  if (whole !== undefined) return askedFor(whole, name);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => askedFor(one, name)));
  switch (schema.type) {
    case 'string':
      return stringOf(schema, name).map((text) => JSON.stringify(text));
    case 'integer': {
      const { minimum = 0, maximum = 2_147_483_647 } = schema;
      return fc.oneof(
        fc.integer({ min: minimum, max: maximum }).map(String),
        fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1, minimum + 0.5).map(String),
      );
    }
    case 'number':
      return fc.oneof(
        fc.integer({ min: 0, max: 999_999 }).map((cents) => String(cents / 100)),
        fc.constantFrom(...NUMBERS),
      );
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, name), { maxLength: 3 }).map((items) => `[${items.join()}]`);
    case 'object':
      return objectOf(schema);
    default:
      // A request can contain a read-only field with any value.
      return fc.oneof(fc.constant('"x"'), hostile);
  }
}

/** Generates the JSON text of an object with missing, repeated and unknown fields. */
export function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<string> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const member = valueOf(schema, name).map((value) => `${JSON.stringify(name)}:${value}`);
    return fc.oneof(
      { weight: required.includes(name) ? 30 : 3, arbitrary: member.map((one) => [one]) },
      { weight: required.includes(name) ? 1 : 6, arbitrary: fc.constant<string[]>([]) },
      { weight: required.includes(name) ? 1 : 0, arbitrary: fc.tuple(member, member).map(([a, b]) => [a, b]) },
    );
  });
  const surprise = fc.oneof(
    { weight: 30, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...SURPRISES), hostile).map(([key, value]) => [`"${key}":${value}`]),
    },
  );
  return fc.tuple(surprise, ...fields).map((members) => `{${members.flat().join()}}`);
}

export const SURPRISES = ['__proto__', 'constructor', 'toString', 'surprise', 'password_hash', 'hasOwnProperty', ''];
