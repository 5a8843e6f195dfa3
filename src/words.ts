/** The texts that a screen shows for a value of an enum. */
export type BilingualLabel = readonly [french: string, english: string];
export type BilingualLabels = Readonly<Record<string, BilingualLabel>>;

/** The values of each enum with their labels. Lists sorted by status use the order of the values in ENUM_LABELS. */
export const ENUM_LABELS = {
  HealthStatus: { ok: ['En service', 'In service'] },
  None: { none: ['Aucune valeur', 'No value'] },
  ListCount: { exact: ['Nombre exact', 'Exact number'] },
  CsvDialect: { fr: ['Excel en français', 'Excel in French'] },
  Role: {
    ADMIN: ['Administrateur', 'Administrator'],
    ACCOUNT_MANAGER: ['Chargé de clientèle', 'Account manager'],
    TAX_SPECIALIST: ['Fiscaliste', 'Tax specialist'],
    CLIENT: ['Client', 'Client'],
  },
  Language: { fr: ['Français', 'French'], en: ['Anglais', 'English'] },
  ClaimType: {
    TF: ['Taxe foncière', 'Property tax'],
    CFE: ['Cotisation foncière des entreprises', 'Business property tax'],
  },
  DeadlineBasis: {
    EVENT: ['Événement qui motive la réclamation', 'Event that founds the claim'],
    NEW_NOTICE: ['Nouvel avis d’imposition', 'New notice'],
    KNOWLEDGE: ['Connaissance certaine d’une imposition erronée', 'Certain knowledge of a wrong tax'],
    PAYMENT: ['Versement d’un impôt sans rôle', 'Payment of a tax without a roll'],
    VACANCY: ['Vacance', 'Vacancy'],
    REASSESSMENT: ['Procédure de reprise ou de rectification', 'Reassessment'],
  },
  CourtInstance: {
    TA: ['Tribunal administratif', 'Administrative court'],
    CAA: ['Cour administrative d’appel', 'Administrative court of appeal'],
    CE: ['Conseil d’État', 'Conseil d’État'],
  },
  ReclamationStatus: {
    DRAFT: ['Brouillon', 'Draft'],
    READY_FOR_REVIEW: ['À relire', 'Ready for review'],
    APPROVED: ['Validée', 'Approved'],
    SUBMITTED: ['Déposée', 'Submitted'],
    REGULARISATION_REQUESTED: ['Régularisation demandée', 'Regularisation requested'],
    ACKNOWLEDGED: ['Accusé de réception', 'Acknowledged'],
    REJECTED: ['Rejetée', 'Rejected'],
    PARTIALLY_ACCEPTED: ['Admise en partie', 'Accepted in part'],
    LITIGATION: ['Devant le juge', 'Before a court'],
    ACCEPTED: ['Admise', 'Accepted'],
    REFUNDED: ['Remboursée', 'Refunded'],
    WITHDRAWN: ['Retirée (désistement)', 'Withdrawn'],
    CLOSED: ['Classée', 'Closed'],
  },
  DocumentKind: {
    AVIS: ['Avis d’imposition', 'Tax notice'],
    MANDAT: ['Mandat', 'Mandate'],
    RECLAMATION: ['Réclamation', 'Claim as sent'],
    DECISION: ['Décision', 'Decision'],
    COURRIER: ['Courrier', 'Letter'],
    AUTRE: ['Autre document', 'Other document'],
  },
  DeadlineKind: {
    claim: ['Délai de réclamation', 'Claim deadline'],
    response: ['Réponse attendue', 'Response due'],
    silence: ['Silence de l’administration', 'No answer in time'],
    regularisation: ['Régularisation', 'Regularisation'],
    court: ['Délai de recours', 'Court deadline'],
    appeal: ['Délai d’appel ou de cassation', 'Appeal deadline'],
    relief: ['Dégrèvement d’office', 'Relief of the administration’s own motion'],
    task: ['Tâche', 'Task'],
    invoice: ['Échéance de facture', 'Invoice due'],
    partner_invoice: ['Échéance de facture de partenaire', 'Partner’s invoice due'],
  },
  ChangeKind: {
    created: ['Création', 'Created'],
    changed: ['Modification', 'Changed'],
    deleted: ['Suppression', 'Deleted'],
  },
  InvoiceKind: {
    INVOICE: ['Facture', 'Invoice'],
    CREDIT_NOTE: ['Avoir', 'Credit note'],
  },
  InvoiceStatus: {
    DRAFT: ['Brouillon', 'Draft'],
    ISSUED: ['Émise', 'Issued'],
    PAID: ['Payée', 'Paid'],
    CANCELLED: ['Annulée', 'Cancelled'],
  },
  PartnerInvoiceStatus: {
    RECEIVED: ['Reçue', 'Received'],
    DISPUTED: ['Contestée', 'Disputed'],
    VALIDATED: ['Validée', 'Validated'],
    PAID: ['Payée', 'Paid'],
  },
  IdentityChangeState: {
    WAITING: ['En attente', 'Waiting'],
    FAILING: ['En échec, sera réessayé', 'Failing, will be tried again'],
    DELIVERED: ['Transmis', 'Delivered'],
  },
} as const satisfies Readonly<Record<string, BilingualLabels>>;

export const ENUM_DESCRIPTIONS: Readonly<Record<keyof typeof ENUM_LABELS, string>> = {
  HealthStatus: 'Health of the service.',
  None: 'Filter value for records without a value.',
  ListCount: 'How to count the records of a list.',
  CsvDialect:
    'Spreadsheet that opens a CSV file with a double click. fr has semicolons, decimal commas, VRAI and FAUX, dates as 31/12/2026, and times as 31/12/2026 23:59:59, the time in Paris.',
  Role: 'Role of a user, which determines what the user may do with the records of the clients in client_access.',
  Language: 'Language of mails to a user.',
  ClaimType: 'Tax that is claimed back.',
  DeadlineBasis: 'Event from which the claim deadline runs, if not from the collection date.',
  CourtInstance: 'Court that hears the claim or that judged last.',
  ReclamationStatus:
    'Status of a claim (réclamation), in the order of its life. `GET /api/reclamations/{id}/moves` returns the possible next statuses.',
  DocumentKind: 'Kind of a document, AUTRE by default.',
  DeadlineKind: 'Kind of a deadline.',
  ChangeKind: 'Kind of a change of a record.',
  InvoiceKind: 'Invoice or credit note (avoir), whose amounts are deducted from an issued invoice.',
  InvoiceStatus: 'Status of an invoice (facture), in the order of its life.',
  PartnerInvoiceStatus: 'Status of a partner’s bill (facture de partenaire), in the order of its life.',
  IdentityChangeState: 'State of the delivery of a change of rights to the identity provider.',
};

/** The labels of the fields of records, of the values of `by` in summaries, and of the values of `expand`. */
// prettier-ignore
const FIELD_LABELS: BilingualLabels = {
  action: ['Opération', 'Operation'], actor: ['Auteur', 'Actor'], address: ['Adresse', 'Address'],
  appeal_deadline: ['Délai d’appel ou de cassation', 'Appeal deadline'],
  amount: ['Montant demandé', 'Amount claimed'], amount_excl_tax: ['Montant HT', 'Amount without VAT'], amount_incl_tax: ['Montant TTC', 'Amount with VAT'],
  area_m2: ['Contenance (m²)', 'Area (m²)'], assignee: ['Responsable', 'Assignee'], assignee_id: ['Responsable (identifiant)', 'Assignee (id)'],
  attempts: ['Tentatives', 'Attempts'], author: ['Auteur', 'Author'], author_id: ['Auteur (identifiant)', 'Author (id)'],
  buyer_address: ['Adresse de l’acheteur', 'Buyer’s address'], buyer_name: ['Acheteur', 'Buyer'], buyer_siren: ['SIREN de l’acheteur', 'Buyer’s SIREN'],
  changed_at: ['Date du changement', 'Time of the move'], changed_by: ['Auteur du changement', 'Author of the move'],
  claim_deadline: ['Délai de réclamation', 'Claim deadline'], claim_type: ['Impôt', 'Tax'], client: ['Client', 'Client'],
  client_access: ['Clients autorisés', 'Clients with access'], client_context: ['Client concerné', 'Client concerned'], client_id: ['Client (identifiant)', 'Client (id)'],
  client_ids: ['Clients (identifiants)', 'Clients (ids)'], collection_date: ['Mise en recouvrement', 'Collection date'], commission_rate: ['Taux de commission', 'Commission rate'],
  commune_code: ['Code commune', 'Commune code'], company_name: ['Raison sociale', 'Company name'], contact_email: ['Courriel de contact', 'Contact email'],
  credits_id: ['Facture créditée (identifiant)', 'Credited invoice (id)'], description: ['Désignation', 'Description'],
  court_deadline: ['Délai de recours', 'Court deadline'], created_at: ['Date de création', 'Time of creation'], deadline: ['Délai de réclamation', 'Claim deadline'],
  deadline_basis: ['Point de départ du délai', 'Start of the claim deadline'], decision_received_on: ['Décision reçue le', 'Decision received on'],
  decision: ['Décision', 'Decision'], decision_date: ['Date de décision', 'Decision date'], delivered_at: ['Date de transmission', 'Time of delivery'],
  done_at: ['Terminée le', 'Time of completion'], due: ['Échéance', 'Due date'], due_date: ['Échéance', 'Due date'],
  due_on: ['Échéance', 'Due date'], email: ['Courriel', 'Email'],
  ends_tokens: ['Met fin aux sessions', 'Ends sessions'], error_message: ['Motif du refus', 'Reason of the refusal'], file_path: ['Adresse du fichier', 'Path of the file'], file_size: ['Taille du fichier', 'File size'],
  filename: ['Nom du fichier', 'File name'], from_status: ['État précédent', 'Status before'], granted_amount: ['Montant accordé', 'Amount granted'],
  grounds: ['Moyens', 'Grounds'], id: ['Identifiant', 'Id'], invoice: ['Facture', 'Invoice'],
  instance: ['Juridiction', 'Court'], judgment_notified_on: ['Jugement notifié le', 'Judgment notified on'],
  internal: ['Interne', 'Internal'], invoice_id: ['Facture (identifiant)', 'Invoice (id)'], ip_address: ['Adresse IP', 'IP address'], is_active: ['Actif', 'Active'],
  is_correction: ['Correction d’une erreur', 'Correction of a mistake'], issue: ['Émission', 'Issue'], issue_date: ['Date d’émission', 'Issue date'], kind: ['Nature', 'Kind'], last_error: ['Dernière erreur', 'Last error'],
  missing: ['À renseigner', 'To be entered'],
  mime_type: ['Type de fichier', 'File type'], moves: ['Étapes possibles', 'Possible moves'], name: ['Nom', 'Name'],
  next_attempt_at: ['Prochaine tentative', 'Next attempt'], nom: ['Raison sociale', 'Company name'], notice_reference: ['Référence de l’avis', 'Notice reference'],
  number: ['Numéro', 'Number'], paid: ['Paiement', 'Payment'], paid_at: ['Date de paiement', 'Time of payment'],
  partner: ['Partenaire', 'Partner'], partner_id: ['Partenaire (identifiant)', 'Partner (id)'], phone: ['Téléphone', 'Phone'],
  prefix: ['Préfixe', 'Prefix'], reclamation: ['Réclamation', 'Claim'], reclamation_id: ['Réclamation (identifiant)', 'Claim (id)'],
  received_on: ['Réclamation reçue le', 'Claim received on'], refund_interest: ['Intérêts moratoires', 'Interest on the refund'],
  regularisation_asked_on: ['Régularisation demandée le', 'Regularisation asked on'], regularisation_due_on: ['Régularisation avant le', 'Regularisation due'],
  reason: ['Motif', 'Reason'], reference: ['Référence cadastrale', 'Parcel reference'], reference_year: ['Année de référence', 'Reference year'], refund_amount: ['Montant remboursé', 'Amount refunded'],
  rental_value: ['Valeur locative', 'Rental value'], request_id: ['Requête', 'Request'], resource_id: ['Enregistrement (identifiant)', 'Record (id)'],
  response_extended: ['Délai de réponse prolongé', 'Time to answer extended'], response_is_estimate: ['Réponse attendue : date estimée', 'Response due is an estimate'],
  resource_type: ['Type d’enregistrement', 'Kind of record'], response_due_at: ['Réponse attendue le', 'Response due'], role: ['Rôle', 'Role'],
  section: ['Section', 'Section'], sha256: ['Empreinte SHA-256', 'SHA-256'], service_date: ['Date de la prestation', 'Date of the service'], siren: ['SIREN', 'SIREN'], siret: ['SIRET', 'SIRET'],
  site: ['Site', 'Site'], site_id: ['Site (identifiant)', 'Site (id)'], site_name: ['Nom du site', 'Site name'],
  status_reason: ['Motif de l’état', 'Reason of the status'],
  state: ['État de la transmission', 'State of the delivery'], status: ['État', 'Status'], submitted: ['Dépôt', 'Submission'],
  submitted_amount: ['Montant réclamé au dépôt', 'Amount at submission'], submitted_at: ['Date de dépôt', 'Time of submission'], success: ['Réussite', 'Success'], tax_year: ['Année d’imposition', 'Tax year'],
  text: ['Texte', 'Text'], to_status: ['État suivant', 'Status after'], type: ['Impôt', 'Tax'], updated_at: ['Dernière modification', 'Last change'],
  uploaded_at: ['Date de versement', 'Time of upload'], user: ['Utilisateur', 'User'], user_agent: ['Navigateur', 'User agent'],
  user_id: ['Utilisateur (identifiant)', 'User (id)'], vat_amount: ['TVA', 'VAT'], vat_exemption_reason: ['Motif d’exonération de TVA', 'Reason of no VAT'], vat_rate: ['Taux de TVA', 'VAT rate'],
  year: ['Année d’imposition', 'Tax year'],
};

/** The text that a prefix (`-`) or a suffix such as `_month` of a field name adds to the field's label. */
// prettier-ignore
const LABEL_SUFFIXES: readonly (readonly [form: RegExp, french: string, english: string])[] = [
  [/^-/, ', décroissant', ', descending'], [/_month$/, ', par mois', ', by month'], [/_quarter$/, ', par trimestre', ', by quarter'],
];

export function buildFieldLabel(word: string): BilingualLabel {
  const [form, inFrench, inEnglish] = LABEL_SUFFIXES.find(([one]) => one.test(word)) ?? [/^$/, '', ''];
  const [french, english] = FIELD_LABELS[word.replace(form, '')] ?? ['', ''];
  return [french + inFrench, english + inEnglish];
}
