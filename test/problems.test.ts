import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ERRORS_BY_CODE } from '../src/errors.ts';
import {
  castToProblemRule,
  ALL_PROBLEM_TEXTS,
  collectProblemLabels,
  rule,
  formatProblemText,
  type ProblemRule,
} from '../src/problems.ts';
import { allEndpoints } from '../src/resources/index.ts';
import { invoiceStatus } from '../src/resources/invoices.ts';
import { partnerInvoiceStatus as billStatus } from '../src/resources/partner-invoices.ts';
import { reclamationStatus } from '../src/resources/reclamation-record.ts';

/* These tests check that each kind of problem in a request has a code, an English text and a French text. */

const placesOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => name))].sort();

describe.each(ALL_PROBLEM_TEXTS)('the problem %s has a correct English and French text', (key, english, french) => {
  test('the English and the French text of a problem use the same values', () => {
    expect(english).toMatch(/^[^A-Z].*[^.]$/);
    expect(french).toMatch(/^(?:[A-ZÀÉÎ].*\.|\{.*)$|\{moves next\}$/);
    expect(french).not.toBe(english);
    expect(placesOf(french)).toEqual(placesOf(english));
  });

  test('the French text of a problem has French apostrophes, quotation marks and spaces', () => {
    const prose = french.replaceAll(/Content-Type: \S+ \S+|\d[T ][\d:+]+/g, '');
    expect(prose).not.toMatch(/['"]|\S[:;?!»]|«\S/);
    const words = formatProblemText(JSON.stringify([key, {}]) as ProblemRule, 'fr');
    expect(words).not.toMatch(/ [:;?!»]|« /);
  });

  test('collectProblemLabels lists the code of each problem that an error response can have', () => {
    expect(Object.keys(collectProblemLabels())).toContain(key.replace(/\..*/, ''));
  });
});

test.each(Object.entries(ERRORS_BY_CODE))(
  'the error code %s has a message in English and in French',
  (_code, { en, fr }) => {
    expect(en).toMatch(/^[A-Z].*\.$/);
    expect(fr).toMatch(/^[A-Z].*\.$/);
    expect(fr).not.toBe(en);
  },
);

describe('a problem’s text names its values in English and in French', () => {
  test.each<[ProblemRule, string, string]>([
    [rule('required'), 'is required', 'Ce champ est obligatoire.'],
    [
      rule('too_long', { max: 10_000 }),
      'must be text of at most 10000 characters',
      'Ce texte dépasse 10_000 caractères.',
    ],
    [
      rule('not_a_decimal', { max: 99_999_999.99 }),
      'must be a decimal from 0 to 99999999.99 with at most two places',
      'Un nombre de 0 à 99_999_999,99 est attendu, avec deux décimales au plus.',
    ],
    [
      rule('not_a_decimal', { max: 100 }),
      'must be a decimal from 0 to 100.00 with at most two places',
      'Un nombre de 0 à 100,00 est attendu, avec deux décimales au plus.',
    ],
    [
      rule('out_of_range', { min: 1, max: 9999 }),
      'must lie between 0001 and 9999',
      'L’année doit être comprise entre 0001 et 9999.',
    ],
    [
      rule('not_a_whole_number', { min: 1900, max: 2200 }),
      'must be a whole number from 1900 to 2200',
      'Un nombre entier de 1900 à 2200 est attendu.',
    ],
    [rule('not_one_of', { values: ['TF', 'CFE'] }), 'must be one of TF, CFE', 'Valeurs possibles_: TF, CFE.'],
    [
      rule('ambiguous.amount', { readings: ['1234', '1.234'] }),
      'may be read as 1234 or as 1.234: write it with two decimals, as in 1234,50',
      'Ce montant peut se lire 1234 ou 1.234_: écrivez-le avec deux décimales, par exemple 1234,50.',
    ],
    [
      rule('move_not_allowed', { from: 'DRAFT', to: 'CLOSED', moves: ['READY_FOR_REVIEW', 'WITHDRAWN'] }),
      'cannot be CLOSED now: from DRAFT you can move it to READY_FOR_REVIEW, WITHDRAWN',
      'Passage à l’état «_Classée_» impossible depuis l’état «_Brouillon_». Suites possibles_: «_À relire_», «_Retirée (désistement)_».',
    ],
    [
      rule('already', { from: 'CLOSED', moves: [] }),
      'is CLOSED already: from CLOSED you can move it no further',
      'L’état est déjà «_Classée_». Vous ne pouvez lui donner aucun autre état.',
    ],
  ])('the problem %j has the expected text in English and in French', (broken, english, french) => {
    expect(formatProblemText(broken)).toBe(english);
    expect(formatProblemText(broken, 'fr').replaceAll(/[\u00a0\u202f]/g, '_')).toBe(french);
  });

  test.each([...reclamationStatus.options, ...invoiceStatus.options, ...billStatus.options])(
    'in the French text of a problem, the status %s is translated',
    (status) => {
      expect(formatProblemText(rule('never_deleted', { status }), 'fr')).not.toContain(status);
    },
  );
});

test('a text is read as a problem with a code only if it has exactly the form that the rule of a field produces', () => {
  for (const text of ['', 'is required', '"required"', '["is required",{}]', '[]', 'null', '["toString",{}]'])
    expect([text, castToProblemRule(text)]).toEqual([text, undefined]);
});

/** Finds the message of every schema and check within a schema, with its path. */
function rulesWithin(
  path: string,
  value: unknown,
  codesSoFar: Set<unknown>,
): (readonly [path: string, text: string])[] {
  if (typeof value !== 'object' || value === null || codesSoFar.has(value)) return [];
  codesSoFar.add(value);
  if (Array.isArray(value)) return value.flatMap((one, at) => rulesWithin(`${path}.${at}`, one, codesSoFar));
  if (value instanceof z.core.$ZodType || value instanceof z.core.$ZodCheck) {
    const { def } = value._zod;
    const { error } = def as unknown as { error?: z.core.$ZodErrorMap };
    const said = error?.({ code: 'custom', input: '-x,x', path: [] } as unknown as z.core.$ZodRawIssue);
    const text = typeof said === 'object' ? said?.message : said;
    return [...(text == null ? [] : [[path, text] as const]), ...rulesWithin(path, { ...def }, codesSoFar)];
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return [];
  return Object.entries(value).flatMap(([name, one]) => rulesWithin(`${path}.${name}`, one, codesSoFar));
}

test('every rule of a request’s parameter or field has a problem code', () => {
  const codesSoFar = new Set<unknown>();
  const rules = allEndpoints.flatMap(({ method, path, params, query, body, rows, form }) =>
    rulesWithin(`${method} ${path}`, { params, query, body, rows, form }, codesSoFar),
  );
  expect(rules.length).toBeGreaterThan(100);
  expect(rules.filter(([, text]) => castToProblemRule(text) === undefined)).toEqual([]);
});
