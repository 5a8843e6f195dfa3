import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { listAssignees } from './assignees.ts';
import { listAuditRecords } from './audit-logs.ts';
import { logIn, readProfile } from './auth.ts';
import { cadastreEndpoints } from './cadastres.ts';
import { clientAccessEndpoints } from './client-access.ts';
import { clientEndpoints } from './clients.ts';
import { listDeadlines } from './deadlines.ts';
import { readDescription } from './description.ts';
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

export const TAGS: Readonly<Record<string, string>> = {
  Health: 'Whether the service can serve, for whoever watches it.',
  Authentication: 'Who the caller is: the identity provider’s token, and what it says.',
  Users: 'Who works with the service, in which role, and for which clients.',
  Clients: 'The companies whose taxes are claimed back; everything else belongs to one of them.',
  Sites: 'The places of a client that are taxed.',
  Cadastres: 'The parcels of the land register that a site has.',
  Reclamations: 'The claims, from the draft to the refund, and how each has moved.',
  Deadlines: 'What runs out when, of claims and invoices.',
  Documents: 'The files that are attached to a claim.',
  Partners: 'Who brings clients or works for them, and is paid for it.',
  Invoices: 'What the firm bills its clients.',
  'Partner invoices': 'What partners bill the firm; clients never see it.',
  Audit: 'What was written and what was refused, and whose request it was.',
  Description: 'This description.',
};

/** Neither a token nor a limit. */
export const probes = probesEvery(1_000);

export const publicEndpoints: readonly PublicEndpoint[] = [logIn];

/** In the order of matching: a fixed path stands before one with a parameter. */
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
  readDescription,
];

export const allEndpoints: readonly (Endpoint | PublicEndpoint)[] = [
  ...probes,
  ...publicEndpoints,
  ...endpoints,
];
