import { expect, test } from '@jest/globals';
import { document } from '../support/described.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { PAGE_ROLES } from './access.ts';

const service = await forSuite(startService());

type Words = Readonly<Record<string, Readonly<Record<string, Readonly<Record<'fr' | 'en', string>>>>>>;

const response = await service.ask('GET /api/words', { token: await service.token('CLIENT') });
const words = response.json as Words;

const inFrench = (name: string): string[] => Object.values(words[name] ?? {}).map(({ fr }) => fr);

test('every role reads the same translations from GET /api/words', async () => {
  for (const role of PAGE_ROLES) {
    const answer = await service.ask('GET /api/words', { token: await service.token(role) });
    expect([role, answer.status, answer.text]).toEqual([role, 200, response.text]);
  }
});

test('GET /api/words lists the values of every named enum of the OpenAPI description', () => {
  const named = Object.entries(document.components?.schemas ?? {}).filter(([, schema]) => 'enum' in schema);
  expect(named.length).toBeGreaterThan(30);
  expect(Object.keys(words)).toEqual(named.map(([name]) => name));
  for (const [name, schema] of named)
    expect([name, Object.keys(words[name] ?? {})]).toEqual([
      name,
      (schema as { enum: (string | null)[] }).enum.filter((value) => value !== null),
    ]);
});

test('GET /api/words returns the firm’s own words for statuses, taxes and roles', () => {
  expect(inFrench('ReclamationStatus')).toEqual([
    ...['Brouillon', 'À relire', 'Validée', 'Déposée', 'Régularisation demandée', 'Accusé de réception'],
    ...['Rejetée', 'Admise en partie', 'Devant le juge', 'Admise', 'Remboursée'],
    ...['Retirée (désistement)', 'Classée'],
  ]);
  expect(inFrench('ClaimType')).toEqual(['Taxe foncière', 'Cotisation foncière des entreprises']);
  expect(inFrench('Role')).toEqual(['Administrateur', 'Chargé de clientèle', 'Fiscaliste', 'Client']);
  expect(words['ReclamationSort']?.['-amount']).toEqual({
    fr: 'Montant demandé, décroissant',
    en: 'Amount claimed, descending',
  });
});

test('a browser may cache GET /api/words, and gets 304 while the words are unchanged', async () => {
  const { etag = '', 'cache-control': kept } = response.headers;
  expect(kept).toBe('private, no-cache');
  const token = await service.token('CLIENT');
  const again = await service.ask('GET /api/words', { token, headers: { 'if-none-match': etag } });
  expect([again.status, again.text, again.headers.etag, again.headers['cache-control']]).toEqual([
    ...[304, '', etag, kept],
  ]);
  const other = await service.ask('GET /api/words', { token, headers: { 'if-none-match': '"another"' } });
  expect([other.status, other.text]).toEqual([200, response.text]);
});
