import { describe, expect, test } from '@jest/globals';
import { askRaw, parseRaw, type Answer, type Question } from '../support/http.ts';
import { details, expectError, problemsOf, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* These tests check the message, code and values of each problem in an error answer, in English and in French. */

const service = await forSuite(startService({ corsOrigins: ['https://desk.example'] }));
const own = await service.furnishedTenant('Boulangerie Martin');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);
const chief = await service.token('ADMIN');

const FRENCH = { 'accept-language': 'fr-FR, fr;q=0.9, en;q=0.8' };

function ask(line: string, { token = manager, headers = {}, ...question }: Question = {}): Promise<Answer> {
  return service.ask(line, { token, headers: { ...FRENCH, ...headers }, ...question });
}

const named = (answer: Answer): unknown =>
  problemsOf(answer).map((problem) =>
    Object.fromEntries(Object.entries(problem).filter(([name]) => name !== 'message')),
  );

const messageOf = ({ json }: Answer): string => (json as { error: { message: string } }).error.message;

const claim = { client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 1 };

describe('the answer to an invalid request explains each problem in English or French', () => {
  test('the answer to an invalid claim has each problem with its field, code, values and French message', async () => {
    const body = { ...claim, amount: 'x', site_id: undefined, tax_year: 1, status: 'CLOSED', colour: 1 };
    const answer = await ask('POST /api/reclamations', { body });
    expect(answer.status).toBe(400);
    expect(named(answer)).toEqual([
      { field: 'site_id', code: 'required', params: {} },
      { field: 'amount', code: 'not_a_decimal', params: { max: 99_999_999.99 } },
      { field: 'status', code: 'not_first_status', params: { status: 'DRAFT' } },
      { field: 'tax_year', code: 'not_a_whole_number', params: { min: 1900, max: 2200 } },
      { field: 'colour', code: 'unknown_field', params: {} },
    ]);
    expect(messageOf(answer)).toBe('La demande n’est pas valide.');
    expect(details(answer)).toMatchObject({
      site_id: 'Ce champ est obligatoire.',
      status: 'L’état de départ est «\u00a0Brouillon\u00a0».',
      colour: 'Ce champ n’existe pas ici.',
    });
    expect(Object.values(details(answer) as object)).toEqual(problemsOf(answer).map(({ message }) => message));
  });

  test('the answer to an invalid claim has English messages if the caller accepts no French', async () => {
    const answer = await service.ask('POST /api/reclamations', {
      token: manager,
      body: { ...claim, amount: 'x' },
    });
    expectError(answer, 'ERROR_VALIDATION', {
      amount: 'must be a decimal from 0 to 99999999.99 with at most two places',
    });
  });

  test('the answer to a request with a malformed If-None-Match names the header and the code of the problem', async () => {
    const answer = await ask('GET /api/sites', { headers: { 'if-none-match': 'x' } });
    expect(answer.status).toBe(400);
    expect(named(answer)).toEqual([{ field: 'If-None-Match', code: 'not_entity_tags', params: {} }]);
  });
});

async function made(resource: string, body: object): Promise<string> {
  const answer = await ask(`POST /api/${resource}`, { body, token: chief });
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

describe('an answer with 409 explains why the change is impossible', () => {
  async function why(line: string, body?: object, question: Question = {}): Promise<unknown> {
    const answer = await ask(line, { token: chief, ...(body && { body }), ...question });
    expect([answer.status, messageOf(answer)]).toEqual([
      409,
      'La demande est incompatible avec l’état actuel de la ressource.',
    ]);
    return named(answer);
  }

  test('the 409 to an impossible status change of a claim names the present, the wanted and the possible statuses, also in French', async () => {
    const id = await made('reclamations', claim);
    const moves = ['READY_FOR_REVIEW', 'WITHDRAWN'];
    const refused = await ask(`PUT /api/reclamations/${id}`, { body: { status: 'CLOSED' } });
    expect(named(refused)).toEqual([
      { field: 'status', code: 'move_not_allowed', params: { from: 'DRAFT', to: 'CLOSED', moves } },
    ]);
    expect(details(refused)).toEqual({
      status:
        'Passage à l’état « Classée » impossible depuis l’état « Brouillon ». Suites possibles : « À relire », « Retirée (désistement) ».'.replaceAll(
          / (?=[:»])|(?<=«) /g,
          '\u00a0',
        ),
    });
    expect(await why(`PUT /api/reclamations/${id}`, { status: 'DRAFT' })).toEqual([
      { field: 'status', code: 'already', params: { from: 'DRAFT', moves } },
    ]);
  });

  test('a request in which an ADMIN deactivates the own account or demotes the last ADMIN gets 409 with the reason', async () => {
    const id = await made('users', { email: 'chief@alone.example', name: 'Chief', role: 'ADMIN' });
    const own = await service.token('ADMIN', [], { email: 'chief@alone.example', sub: 'auth|alone' });
    expect((await ask('POST /api/auth/login', { body: { token: own } })).status).toBe(200);
    expect(await why(`PUT /api/users/${id}`, { is_active: false }, { token: own })).toEqual([
      { field: 'is_active', code: 'own_account', params: {} },
    ]);
    expect(await why(`PUT /api/users/${id}`, { role: 'CLIENT' })).toEqual([
      { field: 'role', code: 'last_administrator', params: {} },
    ]);
  });
});

describe('the answer to an invalid import explains the problems of each line', () => {
  const CSV = { 'content-type': 'text/csv' };

  test('the answer to an invalid CSV import names the line and the field of each problem', async () => {
    const table = `client_id;site_id;claim_type;amount;collection_date
${own.clients};${own.sites};TF;1.200;01/02/2024
${own.clients};${own.sites};IR;;5/24
`;
    const answer = await ask('POST /api/reclamations/import', { body: table, headers: CSV });
    expect([answer.status, named(answer)]).toEqual([
      400,
      [
        { line: 2, field: 'amount', code: 'ambiguous', params: { readings: ['1200', '1.200'] } },
        { line: 3, field: 'collection_date', code: 'not_a_date', params: {} },
        { line: 3, field: 'claim_type', code: 'not_one_of', params: { values: ['TF', 'CFE'] } },
        { line: 3, field: 'amount', code: 'required', params: {} },
      ],
    ]);
    expect(details(answer)).toMatchObject({
      'line 3, collection_date': 'Une date est attendue, au format 31/12/2026 ou 2026-12-31.',
      'line 3, amount': 'Ce champ est obligatoire.',
    });
  });

  test('the answer to an import with 200 problems lists 100 problems and the number of the remaining problems', async () => {
    const body = Array.from({ length: 200 }, () => ({ client_id: own.clients }));
    const problems = problemsOf(await ask('POST /api/sites/import', { body }));
    expect(problems.at(-1)).toEqual({
      ...{ field: '…', code: 'more', params: { count: 100 } },
      message: 'Et 100 de plus.',
    });
    expect(problems).toHaveLength(101);
  });
});

describe('Accept-Language chooses the language of an error', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'en'],
    ['fr', 'fr'],
    ['FR', 'fr'],
    ['fr-CA', 'fr'],
    ['de, fr;q=0.5', 'fr'],
    ['en;q=0.5, fr;q=0.6', 'fr'],
    ['en, fr', 'en'],
    ['fr;q=0', 'en'],
    ['fr;q=x, ;;,', 'en'],
    [`${'de,'.repeat(300)}fr`, 'fr'],
  ])(
    'an error for a caller with the Accept-Language %j is in the language %s, which Content-Language names',
    async (accepted, language) => {
      const headers = accepted === undefined ? {} : { 'accept-language': accepted };
      const answer = await service.ask('GET /api/nothing', { token: manager, headers });
      expect([answer.status, answer.headers['content-language']]).toEqual([404, language]);
      expect(answer.headers.vary?.split(/, ?/)).toContain('Accept-Language');
      expect(messageOf(answer)).toBe(
        language === 'fr' ? 'Cette ressource n’existe pas.' : 'There is no such resource.',
      );
    },
  );

  const refused = 'Vous n’êtes pas autorisé à accéder à cette ressource.';

  test.each<[number, string, Question, string]>([
    [401, 'GET /api/sites', { token: 'x' }, refused],
    [403, 'GET /api/audit-logs', {}, refused],
    [405, 'PUT /api/sites', {}, 'Cette méthode n’est pas admise ici.'],
    [414, `GET /api/sites?${'q'.repeat(20_000)}`, {}, 'L’adresse demandée est trop longue.'],
    [415, 'POST /api/sites', { body: 'x' }, 'Ce type de contenu n’est pas accepté.'],
    [431, 'GET /api/sites', { headers: { accept: 'x'.repeat(2_000) } }, 'Les en-têtes de la demande sont trop longs.'],
  ])(
    'an error response with the status %s has a French message if the caller prefers French',
    async (status, line, question, message) => {
      const answer = await ask(line, question);
      expect([answer.status, messageOf(answer)]).toEqual([status, message]);
      expect(answer.headers['content-language']).toBe('fr');
    },
  );

  test('an answer with 200 has no Content-Language, and does not vary by Accept-Language', async () => {
    const answer = await ask('GET /api/sites?limit=1');
    expect([answer.status, answer.headers['content-language']]).toEqual([200, undefined]);
    expect(answer.headers.vary).not.toContain('Language');
  });

  test('the Vary header of an error names Accept, Accept-Encoding and Origin as well as Accept-Language', async () => {
    const headers = { origin: 'https://desk.example', accept: 'text/csv' };
    const answer = await ask('GET /api/sites?limit=0', { headers });
    expect(answer.headers.vary?.split(/, ?/).sort()).toEqual(
      ['Accept', 'Accept-Encoding', 'Accept-Language', 'Origin'].sort(),
    );
  });

  test('the answer to bytes that are not valid HTTP is in English', async () => {
    const { answer } = parseRaw(await askRaw(service.port, 'GET /é HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect(answer).toMatchObject({ status: 400, headers: { 'content-language': 'en' } });
    expect(named(answer)).toEqual([{ field: 'path', code: 'not_ascii', params: {} }]);
  });
});
