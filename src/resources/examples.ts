import type { Examples } from '../records/record.ts';

/* Examples for the description, from db/demonstration; a test tries each. */

const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const SITE = '51000000-0000-4000-8000-000000000001';
const RECLAMATION = 'e1000000-0000-4000-8000-000000000001';
const PARTNER = 'b1000000-0000-4000-8000-000000000001';

/** When the database was filled, which is another time in each. */
const FILLED = '2026-01-05T08:00:00Z';

export const user: Examples = {
  record: {
    id: 'd1000000-0000-4000-8000-000000000003',
    email: 'amelie.durand@cabinet.example',
    name: 'Amélie Durand',
    role: 'TAX_SPECIALIST',
    client_access: [CLIENT, 'c1000000-0000-4000-8000-000000000002'],
    is_active: true,
    created_at: '2024-01-03T09:00:00Z',
    updated_at: FILLED,
  },
  creation: {
    email: 'jeanne.morel@cabinet.example',
    name: 'Jeanne Morel',
    role: 'TAX_SPECIALIST',
    client_access: [CLIENT],
  },
  change: { name: 'Amélie Durand-Roche' },
};

export const client: Examples = {
  record: {
    id: CLIENT,
    company_name: 'Logistique du Rhône SAS',
    nom: 'Logistique du Rhône SAS',
    contact_email: 'fiscalite@logistique-rhone.example',
    address: '12 rue des Docks, 69009 Lyon',
    created_at: '2024-01-15T09:00:00Z',
    updated_at: FILLED,
  },
  creation: {
    company_name: 'Brasserie du Vieux-Port SARL',
    contact_email: 'compta@brasserie-vieux-port.example',
    address: '5 quai du Port, 13002 Marseille',
  },
  change: { address: '14 rue des Docks, 69009 Lyon' },
};

export const site: Examples = {
  record: {
    id: SITE,
    client_id: CLIENT,
    site_name: 'Entrepôt de Saint-Priest',
    address: '4 rue du Lyonnais, 69800 Saint-Priest',
    created_at: '2024-01-15T09:10:00Z',
    updated_at: FILLED,
  },
  creation: {
    client_id: CLIENT,
    site_name: 'Entrepôt de Vénissieux',
    address: '30 boulevard Irène Joliot-Curie, 69200 Vénissieux',
  },
  change: { site_name: 'Entrepôt de Saint-Priest, halle A' },
};

export const cadastre: Examples = {
  record: {
    id: 'ca000000-0000-4000-8000-000000000001',
    site_id: SITE,
    commune_code: '69290',
    prefix: '000',
    section: 'BX',
    number: '0142',
    reference: '69290000BX0142',
    area_m2: 18450,
    address: '4 rue du Lyonnais',
    rental_value: 412300,
    reference_year: 2025,
    created_at: FILLED,
    updated_at: FILLED,
  },
  creation: { site_id: SITE, commune_code: '69290', section: 'BX', number: '0144', area_m2: 1250 },
  change: { rental_value: 398000, reference_year: 2026 },
};

export const reclamation: Examples = {
  record: {
    id: RECLAMATION,
    client_id: CLIENT,
    site_id: SITE,
    claim_type: 'TF',
    amount: 48210.55,
    status: 'PARTIALLY_ACCEPTED',
    tax_year: 2024,
    commune_code: '69290',
    notice_reference: '24 69 1234567 01',
    collection_date: '2024-08-31',
    claim_deadline: '2025-12-31',
    submitted_at: '2024-10-21T08:00:00Z',
    response_due_at: '2025-04-21T08:00:00Z',
    decision_date: '2025-03-14',
    court_deadline: '2025-05-14',
    granted_amount: 30100,
    refund_amount: null,
    grounds: 'Surface pondérée surévaluée : les auvents sont comptés comme surface close.',
    assignee_id: 'd1000000-0000-4000-8000-000000000003',
    created_at: '2024-10-07T09:30:00Z',
    updated_at: FILLED,
  },
  creation: {
    client_id: CLIENT,
    site_id: SITE,
    claim_type: 'CFE',
    amount: 12940.5,
    tax_year: 2026,
    commune_code: '69290',
    notice_reference: '26 69 7654321 10',
    collection_date: '2026-10-31',
    grounds: 'Base d’imposition : équipement cédé en 2024.',
  },
  change: { refund_amount: 30100 },
};

export const document: Examples = {
  record: {
    id: 'd0000000-0000-4000-8000-000000000001',
    reclamation_id: RECLAMATION,
    filename: 'avis-taxe-foncière-2024.pdf',
    file_size: 1024,
    mime_type: 'application/pdf',
    uploaded_at: '2024-10-07T09:40:00Z',
    sha256: '31cadabf1722c3ff0dd3c1e4510f4f17d4e4f7818fbdea058e9f09e8e9722fb9',
  },
};

export const partner: Examples = {
  record: {
    id: PARTNER,
    name: 'Apport Conseil Rhône-Alpes',
    siret: '90123456700013',
    contact_email: 'contact@apport-conseil.example',
    phone: '+33 4 72 00 00 01',
    address: '6 place Bellecour, 69002 Lyon',
    commission_rate: 12.5,
    client_ids: [CLIENT, 'c1000000-0000-4000-8000-000000000003'],
    created_at: FILLED,
    updated_at: FILLED,
  },
  creation: {
    name: 'Cabinet Dubois Conseil',
    siret: '73282932000074',
    contact_email: 'contact@dubois-conseil.example',
    commission_rate: 8,
    client_ids: [CLIENT],
  },
  change: { commission_rate: 11.5 },
};

export const invoice: Examples = {
  record: {
    id: 'f1000000-0000-4000-8000-000000000003',
    client_id: 'c1000000-0000-4000-8000-000000000002',
    reclamation_id: null,
    number: null,
    status: 'DRAFT',
    issue_date: null,
    due_date: null,
    amount_excl_tax: 1500,
    vat_rate: 20,
    vat_amount: 300,
    amount_incl_tax: 1800,
    paid_at: null,
    created_at: FILLED,
    updated_at: FILLED,
  },
  creation: {
    client_id: CLIENT,
    reclamation_id: RECLAMATION,
    amount_excl_tax: 1250,
  },
  change: { amount_excl_tax: 1600 },
};

export const partnerInvoice: Examples = {
  record: {
    id: 'b2000000-0000-4000-8000-000000000002',
    partner_id: 'b1000000-0000-4000-8000-000000000002',
    client_id: 'c1000000-0000-4000-8000-000000000002',
    invoice_id: null,
    number: 'RIV-88',
    status: 'RECEIVED',
    issue_date: '2025-06-30',
    due_date: '2025-07-30',
    amount_excl_tax: 410,
    vat_rate: 20,
    vat_amount: 82,
    amount_incl_tax: 492,
    created_at: FILLED,
    updated_at: FILLED,
  },
  creation: { partner_id: PARTNER, client_id: CLIENT, number: 'ACR-2026-031', amount_excl_tax: 480 },
  change: { due_date: '2025-08-31' },
};
