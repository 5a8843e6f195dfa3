import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { document } from '../support/described.ts';

/* The description under the two linters that frontends use, with every rule that they have for it. */

/** The rules that do not hold here. */
const REDOCLY = {
  // The firm's own: nobody is licensed to use it.
  'info-license': 'off',
} as const;

const SPECTRAL = {
  // The same.
  'info-license': 'off',
  'license-url': 'off',
  // Whoever reads it has it from the firm that runs the service, and asks there.
  'info-contact': 'off',
  // They stand in the order in which somebody new needs them.
  'openapi-tags-alphabetical': 'off',
} as const;

/** What redocly says of a description. */
async function redocly(description: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: REDOCLY });
  const source = JSON.stringify(description);
  const problems = await lintFromString({ source, absoluteRef: '/api.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${String(location[0]?.pointer)}`);
}

/** What spectral says of it, with each of its rules and not only those that it recommends. */
async function lintedBySpectral(description: unknown): Promise<string[]> {
  const linter = new spectral.Spectral();
  // Their two packages do not call its type the same.
  const every = rulesets.oas as unknown as RulesetDefinition;
  linter.setRuleset({ extends: [[every, 'all']], rules: SPECTRAL });
  const problems = await linter.run(description as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code} ${message} ${path.join('/')}`);
}

test('redocly has neither an error nor a warning', async () => {
  expect(await redocly(document)).toEqual([]);
});

test('spectral has neither an error nor a warning', async () => {
  expect(await lintedBySpectral(document)).toEqual([]);
});

test('either names an operation that has lost its summary and its name', async () => {
  const health = { ...document.paths['/health']?.get };
  delete health.summary;
  delete health.operationId;
  const spoiled = { ...document, paths: { '/health': { get: health } } };
  expect((await redocly(spoiled)).join()).toContain('operation-summary');
  expect((await lintedBySpectral(spoiled)).join()).toContain('operation-operationId');
});
