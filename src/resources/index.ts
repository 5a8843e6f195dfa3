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
  Health: 'Whether the service can serve, for whoever watches it.',
  Authentication: 'Who the caller is: the identity provider’s token, and what it says.',
  Users: 'Who works with the service, in which role, and for which clients.',
  Clients: 'The companies whose taxes are claimed back; everything else belongs to one of them.',
  Sites: 'The places of a client that are taxed.',
  Cadastres: 'The parcels of the land register that a site has.',
  Reclamations: 'The claims, from the draft to the refund, and how each has moved.',
  Deadlines: 'What runs out when, of claims, tasks and invoices.',
  Documents: 'The files that are attached to a claim.',
  Notes: 'What is written on a claim, within the firm or with the client, and the tasks on it.',
  Partners: 'Who brings clients or works for them, and is paid for it.',
  Invoices: 'What the firm bills its clients.',
  'Partner invoices': 'What partners bill the firm; clients never see it.',
  Changes: 'What was created, changed and deleted, told to programs and to pages that are open.',
  Audit: 'What was written and what was refused, and whose request it was.',
  Description: 'This description, and the words of its enums in French and English.',
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
