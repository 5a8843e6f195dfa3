import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { listAssignees } from './assignees.ts';
import { listAuditRecords } from './audit-logs.ts';
import { logIn, readProfile } from './auth.ts';
import { changeCadastre, createCadastre, deleteCadastre, listCadastres, readCadastre } from './cadastres.ts';
import { assignClient, withdrawClient } from './client-access.ts';
import { changeClient, createClient, deleteClient, listClients, readClient } from './clients.ts';
import { listDeadlines } from './deadlines.ts';
import { description } from './description.ts';
import {
  createDocument,
  deleteDocument,
  listDocuments,
  readContent,
  readDocument,
} from './documents/documents.ts';
import { probesEvery } from './health.ts';
import { listIdentityChanges } from './identity-changes.ts';
import { changeInvoice, createInvoice, deleteInvoice, listInvoices, readInvoice } from './invoices.ts';
import {
  changePartnerInvoice,
  createPartnerInvoice,
  deletePartnerInvoice,
  listPartnerInvoices,
  readPartnerInvoice,
} from './partner-invoices.ts';
import { changePartner, createPartner, deletePartner, listPartners, readPartner } from './partners.ts';
import { changePassword } from './password.ts';
import { listInvoiceMoves, listPartnerInvoiceMoves, listReclamationMoves } from './possible-moves.ts';
import { listMoves } from './reclamation-history.ts';
import { listReclamations, listReclamationsOfClient } from './reclamation-lists.ts';
import { summarizeReclamations } from './reclamation-summary.ts';
import {
  changeReclamation,
  createReclamation,
  deleteReclamation,
  importReclamations,
  readReclamation,
} from './reclamations.ts';
import { changeSite, createSite, deleteSite, importSites, listSites, readSite } from './sites.ts';
import { changeUser, createUser, listUsers, readSelf, readUser } from './users.ts';

/** Everything that exists, in the order of matching: a fixed path stands before one with a parameter. */

/** Neither a token nor a limit. */
export const probes = probesEvery(1_000);

/** No token. */
export const publicEndpoints: readonly PublicEndpoint[] = [logIn];

export const endpoints: readonly Endpoint[] = [
  readProfile,
  readSelf,
  changePassword,
  listUsers,
  createUser,
  readUser,
  changeUser,
  assignClient,
  withdrawClient,
  listClients,
  createClient,
  readClient,
  changeClient,
  deleteClient,
  listReclamationsOfClient,
  listAssignees,
  listSites,
  createSite,
  importSites,
  readSite,
  changeSite,
  deleteSite,
  listCadastres,
  createCadastre,
  readCadastre,
  changeCadastre,
  deleteCadastre,
  listDeadlines,
  summarizeReclamations,
  listReclamations,
  createReclamation,
  importReclamations,
  readReclamation,
  changeReclamation,
  deleteReclamation,
  listMoves,
  listReclamationMoves,
  listPartners,
  createPartner,
  readPartner,
  changePartner,
  deletePartner,
  listInvoices,
  createInvoice,
  readInvoice,
  changeInvoice,
  deleteInvoice,
  listInvoiceMoves,
  listPartnerInvoices,
  createPartnerInvoice,
  readPartnerInvoice,
  changePartnerInvoice,
  deletePartnerInvoice,
  listPartnerInvoiceMoves,
  listDocuments,
  createDocument,
  readDocument,
  deleteDocument,
  readContent,
  listAuditRecords,
  listIdentityChanges,
  description(() => allEndpoints),
];

export const allEndpoints: readonly (Endpoint | PublicEndpoint)[] = [
  ...probes,
  ...publicEndpoints,
  ...endpoints,
];
