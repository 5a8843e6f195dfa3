import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { assigneesEndpoint } from './assignees.ts';
import { auditRecordsEndpoint } from './audit-logs.ts';
import { loginEndpoint, profileEndpoint } from './auth.ts';
import { cadastreEndpoints } from './cadastres.ts';
import { calendarAddressEndpoints, calendarEndpoint } from './calendar.ts';
import { changesEndpoint } from './changes.ts';
import { clientAccessEndpoints } from './client-access.ts';
import { clientEndpoints } from './clients.ts';
import { deadlinesEndpoint } from './deadlines.ts';
import { descriptionEndpoints } from './description.ts';
import { documentEndpoints } from './documents/documents.ts';
import { createHealthProbes } from './health.ts';
import { identityChangesEndpoint } from './identity-changes.ts';
import { invoiceEndpoints } from './invoices.ts';
import { noteEndpoints } from './notes.ts';
import { partnerInvoiceEndpoints } from './partner-invoices.ts';
import { partnerEndpoints } from './partners.ts';
import { passwordEndpoint } from './password.ts';
import { personalDataEndpoints } from './personal-data.ts';
import { statusMovesEndpoint } from './reclamation-history.ts';
import { clientReclamationsEndpoint, reclamationEndpoints } from './reclamations.ts';
import { reminderEndpoints } from './reminders.ts';
import { rightsEndpoint } from './rights.ts';
import { siteEndpoints } from './sites.ts';
import { summaryEndpoints } from './summaries.ts';
import { userEndpoints } from './users.ts';

export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Health: 'Health checks for monitoring and load balancers.',
  Authentication: 'Log in with a token of the identity provider, and read its claims.',
  Users: 'Users, their roles and the clients they have access to.',
  Clients: 'Companies whose taxes are claimed back. Every other record belongs to a client.',
  Sites: 'Taxed premises of a client.',
  Cadastres: 'Parcels of the land register (cadastre) that belong to a site.',
  Reclamations: 'Claims (réclamations), from the draft to the refund, with their status history.',
  Deadlines: 'Deadlines of claims, tasks and invoices.',
  Documents: 'Files attached to a claim.',
  Notes: 'Notes and tasks on a claim, internal or shared with the client.',
  Partners: 'Partners who bring in clients or work for them, for a commission.',
  Invoices: 'Invoices of the firm to its clients.',
  'Partner invoices': 'Bills of partners to the firm. Clients never see them.',
  Changes: 'Feed and live stream of created, changed and deleted records.',
  Audit: 'Log of writes and refused requests.',
  Description: 'OpenAPI description, and the French and English labels of its enums.',
};

/** The health probes, which need no token and have no rate limit. */
export const healthProbes = createHealthProbes(1_000);

export const publicEndpoints: readonly PublicEndpoint[] = [loginEndpoint, calendarEndpoint];

/** The endpoints in the order of matching: a fixed path comes before a path with a parameter. */
const resourceEndpoints: readonly Endpoint[] = [
  profileEndpoint,
  passwordEndpoint,
  ...reminderEndpoints,
  ...calendarAddressEndpoints,
  ...userEndpoints,
  ...clientAccessEndpoints,
  ...personalDataEndpoints,
  ...clientEndpoints,
  clientReclamationsEndpoint,
  assigneesEndpoint,
  ...siteEndpoints,
  ...cadastreEndpoints,
  deadlinesEndpoint,
  ...summaryEndpoints,
  ...reclamationEndpoints,
  statusMovesEndpoint,
  ...partnerEndpoints,
  ...invoiceEndpoints,
  ...partnerInvoiceEndpoints,
  ...documentEndpoints,
  ...noteEndpoints,
  changesEndpoint,
  auditRecordsEndpoint,
  identityChangesEndpoint,
  ...descriptionEndpoints,
];

export const authenticatedEndpoints: readonly Endpoint[] = [rightsEndpoint(resourceEndpoints), ...resourceEndpoints];

export const allEndpoints: readonly (Endpoint | PublicEndpoint)[] = [
  ...healthProbes,
  ...publicEndpoints,
  ...authenticatedEndpoints,
];
