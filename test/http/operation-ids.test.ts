import { expect, test } from '@jest/globals';
import { ROWS } from '../resources/access.ts';
import { document } from '../support/described.ts';

/*
 * This test fixes every operationId. Code generators name functions after operationIds, so a changed operationId breaks
 * the code of API clients.
 */

const paths = document.paths as Record<string, Record<string, { readonly operationId: string }>>;

const OPERATION_IDS = {
  'GET /': 'checkHealthAtRoot',
  'GET /health': 'checkHealth',
  'POST /api/auth/login': 'logIn',
  'GET /api/auth/profile': 'getProfile',
  'GET /api/users/me': 'getCurrentUser',
  'GET /api/users/me/rights': 'getCurrentUserRights',
  'PUT /api/users/me/password': 'changePassword',
  'GET /api/users/me/reminders': 'getReminders',
  'PUT /api/users/me/reminders': 'chooseReminders',
  'POST /api/users/me/calendar': 'makeCalendar',
  'DELETE /api/users/me/calendar': 'endCalendar',
  'GET /calendar/{secret}.ics': 'readCalendar',
  'PUT /api/users/{id}/client-access/{clientId}': 'assignClient',
  'DELETE /api/users/{id}/client-access/{clientId}': 'withdrawClient',
  'GET /api/users/{id}/personal-data': 'listPersonalData',
  'POST /api/users/{id}/erasure': 'eraseUser',
  'GET /api/clients/{clientId}/reclamations': 'listClientReclamations',
  'GET /api/clients/{clientId}/assignees': 'listAssignees',
  'GET /api/deadlines': 'listDeadlines',
  'GET /api/changes': 'listChanges',
  'GET /api/reclamations/summary': 'summarizeReclamations',
  'GET /api/invoices/summary': 'summarizeInvoices',
  'GET /api/partner-invoices/summary': 'summarizePartnerInvoices',
  'POST /api/sites/import': 'importSites',
  'POST /api/reclamations/import': 'importReclamations',
  'GET /api/reclamations/{id}/history': 'listReclamationHistory',
  'GET /api/reclamations/{id}/moves': 'listReclamationMoves',
  'GET /api/invoices/{id}/moves': 'listInvoiceMoves',
  'GET /api/partner-invoices/{id}/moves': 'listPartnerInvoiceMoves',
  'POST /api/reclamations/changes': 'changeReclamations',
  'POST /api/invoices/changes': 'changeInvoices',
  'POST /api/partner-invoices/changes': 'changePartnerInvoices',
  'GET /api/reclamations/{id}/documents': 'listReclamationDocuments',
  'POST /api/reclamations/{id}/documents': 'uploadDocument',
  'GET /api/reclamations/{id}/documents.zip': 'downloadDocuments',
  'GET /api/documents': 'listDocuments',
  'GET /api/documents/{id}/changes': 'listDocumentChanges',
  'GET /api/tasks': 'listTasks',
  'GET /api/reclamations/{id}/notes': 'listReclamationNotes',
  'POST /api/reclamations/{id}/notes': 'createNote',
  'GET /api/notes/{id}': 'getNote',
  'GET /api/notes/{id}/changes': 'listNoteChanges',
  'PUT /api/notes/{id}': 'updateNote',
  'DELETE /api/notes/{id}': 'deleteNote',
  'GET /api/documents/{id}/content': 'downloadDocument',
  'POST /api/documents/{id}/link': 'linkDocument',
  'PUT /api/documents/{id}': 'updateDocument',
  'GET /api/documents/{id}': 'getDocument',
  'DELETE /api/documents/{id}': 'deleteDocument',
  'GET /api/audit-logs': 'listAuditLogs',
  'GET /api/identity-changes': 'listIdentityChanges',
  'GET /api-json': 'getDescription',
  'GET /api/words': 'getWords',
};

/** The path of each usual resource, with the singular and the plural of its name. */
const RESOURCES = ROWS.flatMap(({ line }) => {
  const segment = /^GET \/api\/([a-z-]+)\/\{\w+\}$/.exec(line)?.[1];
  const many = segment?.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  return segment === undefined || many === undefined || ['documents', 'notes'].includes(segment)
    ? []
    : [[`/api/${segment}`, many.replace(/s$/, ''), many] as const];
});

test('every operation of the API has its own operationId, as generated clients expect', () => {
  const ofResources = RESOURCES.flatMap(([path, one, many]) => {
    const at = `${path}/{${path === '/api/clients' ? 'clientId' : 'id'}}`;
    return [
      [`GET ${path}`, `list${many}`],
      [`POST ${path}`, `create${one}`],
      [`GET ${at}`, `get${one}`],
      [`PUT ${at}`, `update${one}`],
      [`GET ${at}/changes`, `list${one}Changes`],
      ...(path === '/api/users' ? [] : [[`DELETE ${at}`, `delete${one}`]]),
    ];
  });
  const named = Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [`${method.toUpperCase()} ${path}`, operationId]),
    ),
  );
  expect(named).toEqual({ ...OPERATION_IDS, ...(Object.fromEntries(ofResources) as object) });
  expect(new Set(Object.values(named)).size).toBe(Object.keys(named).length);
});
