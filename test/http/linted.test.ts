import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { document } from '../support/described.ts';

/** Rules of the OpenAPI linter Redocly that the service's description does not follow. */
const RULES = {
  // The description names no license, because only the firm itself uses the service.
  'info-license': 'off',
} as const;

async function lint(description: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({ source: JSON.stringify(description), absoluteRef: '/api.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${String(location[0]?.pointer)}`);
}

test('the OpenAPI description passes every recommended rule of Redocly', async () => {
  expect(await lint(document)).toEqual([]);
});

test('Redocly reports an operation of the OpenAPI description that has no summary', async () => {
  const health = { ...document.paths['/health']?.get };
  delete health.summary;
  const problems = await lint({ ...document, paths: { '/health': { get: health } } });
  expect(problems.join()).toContain('operation-summary');
});
