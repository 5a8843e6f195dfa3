import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { listAssignees } from './assignees.ts';
import { listAuditRecords } from './audit-logs.ts';
import { logIn, readProfile } from './auth.ts';
import { cadastreEndpoints } from './cadastres.ts';
import { clientAccessEndpoints } from './client-access.ts';
import { clientEndpoints } from './clients.ts';
import { listDeadlines } from './deadlines.ts';
import { description } from './description.ts';
import { documentEndpoints } from './documents/documents.ts';
import { probesEvery } from './health.ts';
import { listIdentityChanges } from './identity-changes.ts';
import { invoiceEndpoints } from './invoices.ts';
import { partnerInvoiceEndpoints } from './partner-invoices.ts';
import { partnerEndpoints } from './partners.ts';
import { changePassword } from './password.ts';
import { possibleMoves } from './possible-moves.ts';
import { listMoves } from './reclamation-history.ts';
import { summarizeReclamations } from './reclamation-summary.ts';
import { listReclamationsOfClient, reclamationEndpoints } from './reclamations.ts';
import { siteEndpoints } from './sites.ts';
import { userEndpoints } from './users.ts';

/** Everything that exists, in the order of matching: a fixed path stands before one with a parameter. */

/** Neither a token nor a limit. */
export const probes = probesEvery(1_000);

/** No token. */
export const publicEndpoints: readonly PublicEndpoint[] = [logIn];

export const endpoints: readonly Endpoint[] = [
  readProfile,
  changePassword,
  ...userEndpoints,
  ...clientAccessEndpoints,
  ...clientEndpoints,
  listReclamationsOfClient,
  listAssignees,
  ...siteEndpoints,
  ...cadastreEndpoints,
  listDeadlines,
  summarizeReclamations,
  ...reclamationEndpoints,
  listMoves,
  ...partnerEndpoints,
  ...invoiceEndpoints,
  ...partnerInvoiceEndpoints,
  ...possibleMoves,
  ...documentEndpoints,
  listAuditRecords,
  listIdentityChanges,
  description(() => allEndpoints),
];

export const allEndpoints: readonly (Endpoint | PublicEndpoint)[] = [
  ...probes,
  ...publicEndpoints,
  ...endpoints,
];
