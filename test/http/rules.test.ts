import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { buildOperationId } from '../../src/http/description/names.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { document } from '../support/described.ts';

/* These tests check the rules that the OpenAPI description of an operation lists: those of its database constraints. */

type Operation = Readonly<Record<'operationId' | 'description', string>>;

const operations = Object.values(document.paths).flatMap((path) => Object.values(path as Record<string, Operation>));
const describedBy = (id: string) => operations.find(({ operationId }) => operationId === id)?.description ?? '';

/** Rules about the caller or a stored list, which the request itself has no field for. */
const WITHOUT_FIELD = [
  'assignClient client_access',
  'chooseReminders id',
  'makeCalendar token',
  'withdrawClient client_access',
];

/** The fields that a body may set to more than one value. */
function findFreeFields(schema: z.ZodType | undefined): string[] {
  if (schema instanceof z.ZodArray) return findFreeFields(schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
    if (inner instanceof z.ZodLiteral || field.meta()?.['readOnly'] === true) return [];
    return [name, ...(name === 'changes' ? findFreeFields(inner) : [])];
  });
}

const ruled = allEndpoints.flatMap((endpoint) =>
  Object.entries(endpoint.constraints ?? {}).flatMap(([constraint, rules]) =>
    Object.keys(rules).map((field) => ({ endpoint, constraint, field })),
  ),
);

describe('the rules of an operation', () => {
  test('an operation lists only rules of fields that its path or its body can give', () => {
    expect(ruled.length).toBeGreaterThan(50);
    const others = ruled.filter(({ endpoint: { params, body, rows }, field }) => {
      const path = Object.keys(params?.shape ?? {});
      return ![...path, ...findFreeFields(body), ...findFreeFields(rows)].includes(field);
    });
    const named = others.map(({ endpoint, field }) => `${buildOperationId(endpoint)} ${field}`);
    expect([...new Set(named)].toSorted()).toEqual(WITHOUT_FIELD);
  });

  test.each([
    ['createInvoice', /issued|paid/],
    ['createUser', /erased|last client/],
    ['updateUser', /last client/],
    ['assignClient', /email|last client/],
    ['withdrawClient', /email|exist|erased/],
  ])('%s does not list a rule that it cannot break', (id, rule) => {
    expect(describedBy(id)).toContain('Rules:');
    expect(describedBy(id)).not.toMatch(rule);
  });

  test.each([
    ['updateInvoice', 'An invoice cannot be issued while another invoice has its number.'],
    ['updateUser', 'An erased user cannot be changed.'],
    ['withdrawClient', 'The last client of an ADMIN cannot be removed'],
    ['changePassword', 'Only a caller whose password the service stores can change it here.'],
  ])('%s lists the rule that it can break', (id, rule) => {
    expect(describedBy(id)).toContain(rule);
  });

  test('the rules of an operation are whole sentences', () => {
    const rules = operations.flatMap(({ description }) => description.split('Rules: ')[1] ?? []);
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter((text) => !/^(?:[`A-Z][^.;]*\.(?: |$))+$/.test(text))).toEqual([]);
  });
});
