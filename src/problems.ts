import { z } from 'zod';
import { ENUM_LABELS, type BilingualLabel, type BilingualLabels } from './words.ts';

/*
 * The problems that a field may have. Programs compare a problem's code; people read its text in `message` and
 * `details`.
 */

export const LANGUAGES = ['en', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];

/**
 * The English text completes a sentence that begins with the field's name; the French text is a whole sentence. In a
 * key such as `required.file`, the part before the dot is the problem code. A placeholder is {name} or {name format};
 * `formatParam` knows the formats.
 */
// prettier-ignore
const PROBLEM_TEXTS = {
  required: ['is required', 'Ce champ est obligatoire.'],
  'required.file': ['is required: a file with a name', 'Joignez un fichier, avec son nom.'],
  'required.column': ['is required: the first line names the fields', 'Colonne obligatoire : la première ligne donne le nom des champs.'],
  'required.move': ['is needed for the move to {to}', 'Ce champ est obligatoire pour passer à l’état « {to label} ».'],
  'required.before_move': ['must be stored before the move to {to}: enter it first', 'Ce champ doit être enregistré avant de passer à l’état « {to label} » : saisissez-le d’abord.'],
  'required.step_back': ['is needed for the step back to {to}: why the last move was a mistake', 'Pour revenir à l’état « {to label} », indiquez pourquoi le dernier passage était une erreur.'],
  'required.issued': ['must be given once the invoice is issued', 'La date d’émission est obligatoire dès que la facture est émise.'],
  'required.task': ['is required for a task', 'Une tâche a une échéance : indiquez-la.'],
  'required.own_client': ['must name at least one of your clients', 'Indiquez au moins un de vos clients.'],
  blank: ['must not be blank', 'Ce champ ne peut pas rester vide.'],
  empty: ['must not be empty', 'Ce champ ne peut pas être vide.'],
  'empty.records': ['must have at least one record', 'Le fichier ne contient aucun enregistrement.'],

  not_text: ['must be text', 'Un texte est attendu.'],
  'not_text.password': ['must be a text', 'Un texte est attendu.'],
  'not_text.up_to': ['must be text of at most {max} characters', 'Un texte de {max} caractères au plus est attendu.'],
  shortened_number: ['is {rule}, a number that a spreadsheet has shortened: give the column the format of text, and enter the value again', 'Le tableur a remplacé cette valeur par un nombre abrégé, {rule} : donnez à la colonne le format « texte » et ressaisissez-la.'],
  too_long: ['must be text of at most {max} characters', 'Ce texte dépasse {max} caractères.'],
  not_true_or_false: ['must be true or false', 'Une valeur vraie ou fausse (true, false) est attendue.'],
  not_an_object: ['must be an object', 'Un objet est attendu.'],
  not_a_list: ['must be an array', 'Une liste est attendue.'],
  'not_a_list.uuids': ['must be an array of UUIDs', 'Une liste d’identifiants (UUID) est attendue.'],
  'not_a_list.clients': ['must be a list of clients', 'Une liste de clients est attendue.'],
  too_many_items: ['must have at most {max} items', 'Cette liste dépasse {max} éléments.'],
  'too_many_items.clients': ['must be a list of at most {max} clients', 'Cette liste dépasse {max} clients.'],
  not_one_of: ['must be one of {values}', 'Valeurs possibles : {values}.'],
  'not_one_of.only': ['must be {values}', 'Seule valeur possible : {values}.'],
  not_a_uuid: ['must be a UUID', 'Un identifiant (UUID) est attendu.'],
  'not_a_uuid.or_none': ['must be a UUID, or none', 'Un identifiant (UUID) est attendu, ou « none ».'],
  not_a_sha256: ['must be a SHA-256 of 64 hexadecimal digits', 'Une empreinte SHA-256 de 64 chiffres hexadécimaux est attendue.'],
  not_an_email: ['must be an email address', 'Une adresse électronique est attendue, par exemple nom@exemple.fr.'],
  not_a_date: ['must be a date, as in 2026-12-31', 'Une date est attendue, au format 2026-12-31.'],
  'not_a_date.sheet': ['must be a date, as in 31/12/2026 or 2026-12-31', 'Une date est attendue, au format 31/12/2026 ou 2026-12-31.'],
  'not_a_date.month_first': ['must be a date, as in 31/12/2026 or 2026-12-31: the day is first', 'Une date est attendue, au format 31/12/2026 ou 2026-12-31 : le jour vient en premier.'],
  'not_a_date.year': ['must have a year of four digits', 'L’année doit avoir quatre chiffres.'],
  'not_a_date.number': ['is the number that a spreadsheet keeps for a day: give the column the format of a date', 'Le tableur a enregistré cette date sous forme de nombre : donnez à la colonne le format « date ».'],
  not_a_time: ['must be a date and time with its offset, as in RFC 3339', 'Une date et une heure avec leur décalage horaire (RFC 3339) sont attendues.'],
  'not_a_time.sheet': ['must be a date and time with its offset, as in 2026-12-31T09:30:00+01:00, or by the clock in Paris as in 31/12/2026 09:30', 'Une date et une heure sont attendues, avec leur décalage horaire (2026-12-31T09:30:00+01:00) ou à l’heure de Paris (31/12/2026 09:30).'],
  'not_a_time.skipped': ['does not exist: the clock in Paris skipped this hour', 'Cette heure n’a pas existé à Paris (passage à l’heure d’été).'],
  out_of_range: ['must lie between {min year} and {max year}', 'L’année doit être comprise entre {min year} et {max year}.'],
  not_a_whole_number: ['must be a whole number from {min} to {max}', 'Un nombre entier de {min} à {max} est attendu.'],
  'not_a_whole_number.or_none': ['must be a whole number from {min} to {max}, or none', 'Un nombre entier de {min} à {max} est attendu, ou « none ».'],
  not_a_decimal: ['must be a decimal from 0 to {max decimal} with at most two places', 'Un nombre de 0 à {max decimal} est attendu, avec deux décimales au plus.'],
  'ambiguous.amount': ['may be read as {readings or}: write it with two decimals, as in 1234,50', 'Ce montant peut se lire {readings or} : écrivez-le avec deux décimales, par exemple 1234,50.'],
  'ambiguous.date': ['may be read as {readings or}: write 2026-12-31, or put semicolons between the cells, where the day is first', 'Cette date peut se lire {readings or} : écrivez 2026-12-31, ou séparez les cellules par des points-virgules (le jour vient alors en premier).'],
  'ambiguous.time': ['may be read as {readings or}, for the clock in Paris showed it twice: write one of them', 'L’horloge de Paris a affiché cette heure deux fois : {readings or}. Écrivez l’une des deux.'],
  not_a_commune_code: ['must be the INSEE code of a commune', 'Le code INSEE d’une commune est attendu.'],
  'not_a_commune_code.or_none': ['must be the INSEE code of a commune, or none', 'Le code INSEE d’une commune est attendu, ou « none ».'],
  'not_a_commune_code.form': ['must be the INSEE code of a commune: five digits, or 2A or 2B and three', 'Le code INSEE d’une commune est attendu : cinq chiffres, ou 2A ou 2B suivi de trois chiffres.'],
  'not_a_commune_code.unknown': ['must be the INSEE code of a commune, and none has had {code} since 1976 (the notice prints department and commune apart: 69 and 290 are 69290)', 'Aucune commune n’a porté le code INSEE {code} depuis 1976. L’avis l’imprime en deux parties, département et commune : 69 et 290 donnent 69290.'],
  'not_a_commune_code.postal': ['must be an INSEE code: {code} is the postal code of {values}', 'Un code INSEE est attendu : {code} est le code postal de {values}.'],
  'not_a_parcel_code.prefix': ['must be one to three digits', 'Le préfixe de section compte un à trois chiffres.'],
  'not_a_parcel_code.section': ['must be one or two digits or letters', 'La section compte un ou deux caractères, chiffres ou lettres.'],
  'not_a_parcel_code.number': ['must be one to four digits', 'Le numéro de parcelle compte un à quatre chiffres.'],
  'not_a_siret.nobody': ['must be the SIRET of a business: no SIREN is nine zeros, so leave the field out if it is unknown', 'Le SIREN 000000000 n’existe pas : laissez ce champ vide si le SIRET est inconnu.'],
  not_a_siret: ['must be 14 digits', 'Un numéro SIRET compte 14 chiffres.'],
  not_a_siren: ['must be 9 digits', 'Un numéro SIREN compte 9 chiffres.'],
  'not_a_siren.check': ['must be a SIREN: its check digit is wrong', 'Ce numéro SIREN est erroné : sa clé de contrôle ne correspond pas.'],
  'not_a_siret.check': ['must be a SIRET: its check digit is wrong', 'Ce numéro SIRET est erroné : sa clé de contrôle ne correspond pas.'],

  unknown_field: ['is not known here', 'Ce champ n’existe pas ici.'],
  'unknown_field.creation': ['cannot be given at creation: leave it out', 'Ce champ ne se renseigne pas à la création : retirez-le.'],
  'unknown_field.form': ['is not known here: the field is {field}', 'Ce champ n’existe pas ici : le champ attendu est « {field} ».'],
  'unknown_field.columns': ['may name {fields}', 'Colonnes possibles : {fields}.'],
  not_as_described: ['does not match the description of the API', 'Cette valeur ne correspond pas à la description de l’interface.'],
  not_storable: ['must not contain NUL or unpaired surrogates', 'Ce texte contient des caractères qui ne peuvent pas être enregistrés.'],
  given_twice: ['must be given once', 'Ce paramètre ne peut figurer qu’une fois.'],
  'given_twice.values': ['must be given once, with commas between its values', 'Ce paramètre ne peut figurer qu’une fois, ses valeurs séparées par des virgules.'],
  'given_twice.sort': ['must not name {field} twice', 'Le tri ne peut pas citer deux fois « {field} ».'],
  'given_twice.column': ['is given twice', 'Cette colonne figure deux fois.'],
  'given_twice.record': ['is that of a record that is already in the list', 'Cet enregistrement figure déjà plus haut.'],
  'given_twice.claim': ['is that of an earlier claim in the list, with the same site_id, claim_type, tax_year and commune_code', 'Cette réclamation figure déjà plus haut : même site, même impôt, même année, même commune, même avis.'],
  too_many_values: ['must be one value, or up to {max} with commas between them', 'Une valeur est attendue, ou {max} au plus, séparées par des virgules.'],
  not_a_cursor: ['must be the cursor of a Link header', 'Le curseur d’un en-tête Link est attendu.'],
  'not_a_cursor.list': ['must be the cursor of a Link header of the same list in the same order', 'Le curseur d’un en-tête Link de la même liste, dans le même ordre, est attendu.'],
  'not_a_cursor.changes': ['must be a position returned by GET /api/changes', 'Une position donnée par GET /api/changes est attendue.'],
  expired: ['is older than the audit log: read the records again, and start without it', 'Cette position est plus ancienne que le journal d’audit : relisez les enregistrements et recommencez sans elle.'],
  not_for_csv: ['is not allowed for text/csv, which returns the whole list', 'Ce paramètre ne s’applique pas à un export CSV, qui contient toute la liste.'],
  for_csv: ['is allowed for text/csv alone: send Accept: text/csv', 'Ce paramètre ne s’applique qu’à un export CSV : demandez le type text/csv dans l’en-tête Accept.'],
  not_percent_encoded: ['must be percent-encoded UTF-8', 'L’adresse doit être en UTF-8, avec l’encodage « pourcent ».'],
  not_ascii: ['must be ASCII: UTF-8 in a path or query is percent-encoded', 'L’adresse doit être en ASCII : les caractères UTF-8 y prennent l’encodage « pourcent ».'],
  not_entity_tags: ['must be * or a list of entity tags in double quotes', 'Une liste d’étiquettes (ETag) entre guillemets droits est attendue, ou *.'],
  not_versioned: ['is not supported here, because the resource has no version: leave the header out', 'Cet en-tête n’est pas comparé ici : cette demande n’a pas de version. Retirez-le.'],
  not_a_key: ['must be one key of 1 to {max} printable ASCII characters, in double quotes or without any', 'Une seule clé de 1 à {max} caractères ASCII imprimables est attendue, avec ou sans guillemets droits.'],
  key_in_use: ['belongs to a request that is still running', 'La demande portant cette clé est encore en cours.'],
  key_used: ['was used for another request', 'Cette clé a déjà servi à une autre demande.'],

  not_json: ['must be JSON in UTF-8', 'Du JSON en UTF-8 est attendu.'],
  too_complex: ['must not be nested more than {max} deep', 'Le JSON ne peut pas dépasser {max} niveaux d’imbrication.'],
  'too_complex.values': ['must not have more than {max} values', 'Le JSON ne peut pas dépasser {max} valeurs.'],
  'too_complex.fields': ['must not have more than {max} fields', 'Le JSON ne peut pas dépasser {max} champs.'],
  'too_complex.digits': ['must have no number of more than {max} digits', 'Aucun nombre ne peut dépasser {max} chiffres.'],
  too_many_digits: ['must have at most {max} digits', 'Ce nombre ne peut pas dépasser {max} chiffres.'],
  small_pieces: ['must not come in pieces that have less than {min} bytes on average', 'L’envoi est trop morcelé : ses fragments doivent compter au moins {min} octets en moyenne.'],
  not_a_form: ['must be a whole multipart form', 'Un formulaire multipart complet est attendu.'],
  'not_a_form.boundary': ['must have a boundary of at most {max} characters', 'Le séparateur (boundary) du formulaire ne peut pas dépasser {max} caractères.'],
  not_one_file: ['must hold one file in the field {field}, and nothing else', 'Le formulaire doit contenir un seul fichier, dans le champ « {field} », et rien d’autre.'],
  not_a_file_name: ['must have a name of 1 to {max} characters', 'Le nom du fichier doit compter de 1 à {max} caractères.'],
  'not_a_file_name.characters': ['must have a name in UTF-8 without control characters', 'Le nom du fichier doit être en UTF-8, sans caractère de contrôle.'],
  'not_a_file_name.folders': ['must be the name of a file, without folders or control characters', 'Le nom d’un fichier est attendu, sans dossier ni caractère de contrôle.'],
  not_the_same: ['must be the same text as {field}', 'Ce champ doit contenir le même texte que « {field} ».'],
  not_a_link: ['must be the secret of a document link', 'La valeur qui figure dans l’adresse est attendue.'],
  file_type: ['must be a PDF, an image (PNG, JPEG, WebP, GIF, TIFF, HEIC), an office file, a mail (.eml), or text or CSV in UTF-8', 'Fichiers acceptés : PDF, image (PNG, JPEG, WebP, GIF, TIFF, HEIC), document bureautique, courriel (.eml), texte ou CSV en UTF-8.'],
  'file_type.password': ['is protected by a password: save it without one', 'Ce fichier est protégé par un mot de passe : enregistrez-le sans mot de passe.'],
  'file_type.macros': ['has macros: save it without, as .docx, .xlsx or .pptx, or as a PDF', 'Ce fichier contient des macros : enregistrez-le sans macros (.docx, .xlsx ou .pptx), ou en PDF.'],
  'file_type.windows_1252': ['is text, but not in UTF-8: it seems to be Windows-1252. Save it in UTF-8, in Excel as "CSV UTF-8 (comma delimited)"', 'Ce texte n’est pas en UTF-8, mais sans doute en Windows-1252. Enregistrez-le en UTF-8 (dans Excel : « CSV UTF-8 (délimité par des virgules) »).'],
  'file_type.utf_16': ['is text in UTF-16: save it in UTF-8, in Excel as "CSV UTF-8 (comma delimited)"', 'Ce texte est en UTF-16. Enregistrez-le en UTF-8 (dans Excel : « CSV UTF-8 (délimité par des virgules) »).'],

  content_lost: ['is of a claim with documents whose content is lost: {values}. Have them restored, or delete them', 'Le contenu de certains documents de la réclamation est perdu : {values}. Faites-les restaurer, ou supprimez-les.'],

  too_many_records: ['must have at most {max} records, empty lines included', 'Le fichier dépasse {max} enregistrements, lignes vides comprises.'],
  'too_many_records.documents': ['must be of a claim with at most {max} documents', 'Cette réclamation compte plus de {max} documents.'],
  record_too_large: ['must not have a record of {max} bytes', 'Un enregistrement doit compter moins de {max} octets.'],
  too_many_cells: ['has more cells than the first line names', 'Cette ligne a plus de cellules que la première ligne n’a de colonnes.'],
  not_a_csv: ['is not a line of a CSV file', 'Cette ligne n’est pas une ligne de fichier CSV.'],
  'not_a_csv.open': ['has a quotation mark that is never closed', 'Un guillemet n’est jamais fermé.'],
  'not_a_csv.behind': ['has text after a closing quotation mark; a quotation mark within a cell is written twice', 'Un guillemet fermant est suivi d’autre chose ; dans une cellule, un guillemet s’écrit deux fois.'],
  'not_a_csv.within': ['has a quotation mark in a cell that does not begin with one', 'Une cellule contient un guillemet sans commencer par un guillemet.'],
  'not_a_csv.row': ['has more than {characters} characters or {cells} cells: a quotation mark may not be closed', 'Cette ligne dépasse {characters} caractères ou {cells} cellules : un guillemet n’est peut-être pas fermé.'],
  'not_a_csv.workbook': ['is a workbook, not a CSV file. In Excel, save it as "CSV UTF-8 (comma delimited)"', 'Ce fichier est un classeur. Dans Excel, enregistrez-le au format « CSV UTF-8 (délimité par des virgules) ».'],
  not_utf_8: ['must be UTF-8, which it is not: it may be Windows-1252. In Excel, save it as "CSV UTF-8 (comma delimited)", or say so: Content-Type: text/csv; charset=windows-1252', 'Ce fichier n’est pas en UTF-8, mais peut-être en Windows-1252. Dans Excel, enregistrez-le au format « CSV UTF-8 (délimité par des virgules) », ou annoncez-le : Content-Type: text/csv; charset=windows-1252.'],
  'not_utf_8.utf_16': ['must be UTF-8, and is UTF-16. In Excel, save it as "CSV UTF-8 (comma delimited)"', 'Ce fichier est en UTF-16. Dans Excel, enregistrez-le au format « CSV UTF-8 (délimité par des virgules) ».'],
  'not_utf_8.windows': ['has a byte that is no letter in Windows-1252', 'Cette ligne contient un octet sans caractère en Windows-1252.'],
  not_windows_1252: ['must be Windows-1252, as its Content-Type says, and is UTF-8: leave the charset out', 'Ce fichier est en UTF-8, alors que son Content-Type annonce du Windows-1252 : retirez « charset ».'],
  breaks_rule: ['breaks the rule {rule}', 'Cette ligne enfreint la règle « {rule} ».'],
  more: ['and {count} more', 'Et {count} de plus.'],
  'more.lines': ['and the lines that were not checked', 'Et les lignes qui n’ont plus été essayées.'],

  weak_password: ['must have at least {min} characters and at most {max} bytes', 'Le mot de passe doit compter au moins {min} caractères et au plus {max} octets.'],
  'weak_password.email': ['must not be the email', 'Le mot de passe ne peut pas être l’adresse électronique.'],
  'weak_password.present': ['must differ from the current password', 'Le nouveau mot de passe doit différer de l’actuel.'],
  wrong_password: ['is not your current password', 'Ce n’est pas votre mot de passe actuel.'],
  no_password: ['is not stored here: the identity provider manages your password', 'Vous n’avez pas de mot de passe ici : il est géré par votre fournisseur d’identité.'],

  not_stored: ['is not stored yet: log in once', 'Vous n’êtes pas encore connu ici : connectez-vous une première fois.'],

  taken: ['must not be the address of another user', 'Cette adresse est déjà celle d’un autre utilisateur.'],
  'taken.number': ['must be one that the partner has not used for this client', 'Ce partenaire a déjà utilisé ce numéro pour ce client.'],
  'taken.next_number': ['cannot be ISSUED now: the next number of the year is taken', 'La facture ne peut pas être émise : le prochain numéro de l’année est déjà pris.'],
  'taken.parcel': ['is that of a parcel that the site already has', 'Cette parcelle est déjà enregistrée pour ce site.'],
  'taken.claim': ['is that of another claim, with the same site_id, claim_type, tax_year and commune_code: change that claim instead', 'Une réclamation existe déjà pour ce site, cet impôt, cette année, cette commune et cet avis : modifiez-la.'],
  'taken.token_email': ['must not contain the email of another user', 'Ce jeton porte l’adresse électronique d’un autre utilisateur.'],
  'taken.subject': ['must not have the id of another user as its subject', 'Ce jeton porte l’identifiant d’un autre utilisateur.'],
  other_rights: ['has other rights than the service has stored: log in again', 'Ce jeton porte d’autres droits que ceux qui sont enregistrés : reconnectez-vous.'],
  no_such_record: ['does not exist', 'Cet enregistrement n’existe pas.'],
  'no_such_record.clients': ['must name clients that exist', 'Un de ces clients n’existe pas.'],
  of_another_client: ['must be a record of the same client', 'Cet enregistrement est celui d’un autre client.'],
  not_assignable: ['must be an active user with access to the client', 'La personne choisie doit être active et avoir accès à ce client.'],
  'not_assignable.task': ['must be an active user with access to the client, and not a CLIENT if the note is internal', 'La personne choisie doit être active et avoir accès à ce client ; un client ne voit pas une note interne.'],
  above_amount: ['must not exceed amount', 'Le montant accordé ne peut pas dépasser le montant réclamé.'],
  before_issue_date: ['must not lie before issue_date', 'L’échéance ne peut pas précéder la date d’émission.'],
  before_credited: ['must be {day} or later: invoice {field} is of that day', 'Un avoir ne peut pas être daté d’avant la facture {field}, qui est du {day date}.'],
  too_early: ['must not lie before {field}, {day}', 'Cette date ne peut pas précéder le {day date} (« {field} »).'],
  in_future: ['must not lie after today, {day}: enter it once it has happened', 'Cette date ne peut pas être postérieure à aujourd’hui ({day date}) : saisissez-la une fois le fait survenu.'],
  derived: ['must be {day}, which follows from {field}: leave it out', 'Cette date se déduit de « {field} » : {day date}. Retirez-la.'],
  'derived.moment': ['must be the end of {day}, which follows from {field}: leave it out', 'Cette échéance se déduit de « {field} » : fin du {day date}. Retirez-la.'],
  'derived.unknown': ['is derived from {field}, which is unknown: enter {field}, and leave this field out', 'Cette date se déduit de « {field} », qui manque : renseignez « {field} » et retirez-la.'],
  'derived.claim_deadline': ['must be {day}, which follows from collection_date: for another start give deadline_basis', 'Le délai se déduit de la mise en recouvrement : {day date}. Pour un autre point de départ, renseignez « deadline_basis ».'],
  'derived.no_collection_date': ['is derived from collection_date, which is unknown: enter collection_date, or deadline_basis', 'Le délai se déduit de la mise en recouvrement, qui manque : renseignez « collection_date » ou « deadline_basis ».'],
  'derived.by_service': ['is computed by the service, and differs from the stored value: leave it out', 'Ce champ est calculé par le service, et diffère de la valeur enregistrée : retirez-le.'],
  of_judgment_before: ['is that of the previous judgment: enter it before the move to {to}, or leave it out', 'Cette date est celle de la décision précédente : saisissez-la avant de passer à l’état « {to label} », ou retirez-la.'],
  wrong_sum: ['must be the sum of amount_excl_tax and vat_amount', 'Le montant TTC doit être la somme du montant HT et de la TVA.'],
  not_paid: ['is allowed only for a paid invoice', 'La date de paiement ne se renseigne que pour une facture payée.'],
  fixed: ['cannot be changed after creation', 'Ce champ ne peut plus changer après la création.'],
  'fixed.kept': ['cannot change any more: the record is {status}', 'Ce champ ne peut plus changer : l’enregistrement est à l’état « {status label} ».'],
  not_of_kind: ['is required for a credit note, and allowed only for one', 'La facture créditée se renseigne pour un avoir, et pour lui seul.'],
  not_creditable: ['must be an invoice that is ISSUED or PAID, and no credit note', 'Un avoir se rapporte à une facture émise ou payée, et non à un autre avoir.'],
  not_the_invoices_rate: ['must be {rule}, as on the invoice', 'Le taux de TVA doit être celui de la facture : {rule}.'],
  above_credit: ['must be at most {rule}, the amount left of invoice {field}', 'Le montant HT ne peut pas dépasser ce qui reste de la facture {field} : {rule}.'],
  not_a_vat_rate: ['must be a French VAT rate: {values}', 'Ce taux de TVA n’existe pas en France. Taux possibles : {values}.'],
  'required.vat_exemption': ['is required: an invoice without VAT must state the reason', 'Une facture sans TVA doit en indiquer le motif.'],
  after_today: ['must not be after today, {rule}: leave it out for today', 'La date d’émission ne peut pas être postérieure à aujourd’hui ({rule}) : laissez-la vide pour dater la facture d’aujourd’hui.'],
  before_last_number: ['must not be before {rule}, the date of the last invoice number of the year: leave it out for today', 'La date d’émission ne peut pas précéder le {rule}, date du dernier numéro de l’année : laissez-la vide pour dater la facture d’aujourd’hui.'],
  not_first_status: ['must be {status}, the status of every new record', 'L’état de départ est « {status label} ».'],
  'not_first_status.invoice': ['must be {status}, the status of every new invoice', 'Une facture commence à l’état « {status label} ».'],
  'not_first_status.bill': ['must be {status}, the status of every new bill', 'Une facture de partenaire commence à l’état « {status label} ».'],
  move_not_allowed: ['cannot be {to} now: from {from} you can move it {moves next}', 'Passage à l’état « {to label} » impossible depuis l’état « {from label} ». {moves next}'],
  'move_not_allowed.answer': ['cannot be {to} now: the answer is due until {day}', 'Passage à l’état « {to label} » impossible : la réponse est attendue jusqu’au {day date}.'],
  'move_not_allowed.whole': ['cannot be {to} now: the whole amount was granted, and granted_amount must be below amount before the move', 'Passage à l’état « {to label} » impossible : tout le montant réclamé a été accordé. Si ce n’est pas le cas, corrigez d’abord le montant accordé.'],
  'move_not_allowed.judgment': ['cannot be {to} now: no court has judged the claim', 'Passage à l’état « {to label} » impossible : aucun juge n’a encore statué sur la réclamation.'],
  granted_amount: ['must be above 0 for a claim that is {status}', 'Le montant accordé doit être supérieur à 0 à l’état « {status label} ».'],
  'granted_amount.none': ['must be null for a claim that is {status}: if a part was granted, it is PARTIALLY_ACCEPTED', 'Rien n’est accordé à l’état « {status label} » : videz le montant accordé, ou choisissez « Admise en partie ».'],
  'granted_amount.part': ['must be below amount for a claim that is {status}: if all was granted, it is ACCEPTED', 'Le montant accordé doit être inférieur au montant réclamé à l’état « {status label} » : si tout est accordé, choisissez « Admise ».'],
  changed_since: ['has changed since the record was read', 'Cet enregistrement a changé depuis sa lecture.'],
  already: ['is {from} already: from {from} you can move it {moves next}', 'L’état est déjà « {from label} ». {moves next}'],
  moved_meanwhile: ['was moved meanwhile: from {from} you can move it {moves next}', 'L’état est passé entre-temps à « {from label} ». {moves next}'],
  in_use: ['belongs to a record that is still in use', 'Cet enregistrement est encore utilisé.'],
  'in_use.invoices': ['issued for this client, and never deleted: {count}', 'Factures émises pour ce client, qui ne se suppriment pas : {count}.'],
  'in_use.kept_bills': ['validated or disputed for this client, and never deleted: {count}', 'Factures de partenaires validées ou contestées pour ce client, qui ne se suppriment pas : {count}.'],
  'in_use.claim': ['refer to this claim, so it cannot be deleted: {values}', 'Cette réclamation figure sur une facture émise et ne se supprime pas : {values}.'],
  'in_use.bills': ['bills of this partner: {count}', 'Factures de ce partenaire : {count}.'],
  never_deleted: ['is {status}: a record with this status is never deleted', 'L’enregistrement est à l’état « {status label} » : il ne se supprime plus.'],
  last_administrator: ['is that of the last active ADMIN with access to all clients, who must remain one', 'C’est le dernier administrateur actif ayant accès à tous les clients : il doit le rester.'],
  'last_administrator.token': ['must not remove the rights of the last active ADMIN with access to all clients', 'Ce jeton retirerait ses droits au dernier administrateur actif ayant accès à tous les clients.'],
  erased: ['is that of an erased user', 'Cet utilisateur a été effacé : il ne peut plus être modifié.'],
  own_account: ['is your own: another ADMIN has to change it', 'C’est votre propre compte : un autre administrateur doit le modifier.'],
  last_client: ['must not become empty: an ADMIN with an empty list has access to every client', 'Un administrateur sans liste aurait accès à tous les clients.'],
  refused: ['{sentence}', 'Demande refusée : {sentence}.'],
  conflict: ['conflicts with the stored data', 'Cette demande ne s’accorde pas avec les données enregistrées.'],
} as const satisfies Readonly<Record<string, readonly [english: string, french: string]>>;

/** The texts that introduce the list of statuses to which a record can move next. */
// prettier-ignore
const NEXT_STATUS_TEXTS = {
  some: { en: 'to ', fr: 'Suites possibles : ' },
  none: { en: 'no further', fr: 'Vous ne pouvez lui donner aucun autre état.' },
} as const;

const { ReclamationStatus, InvoiceStatus, PartnerInvoiceStatus } = ENUM_LABELS;
const STATUS_LABELS: BilingualLabels = { ...ReclamationStatus, ...InvoiceStatus, ...PartnerInvoiceStatus };

const number = z.number().meta({ description: 'Number in the message.' });
const word = z.string().meta({ description: 'Text in the message.' });
const words = z.array(z.string()).meta({ description: 'List in the message.' });
const existingId = z.guid().meta({ description: 'Id of the record that already exists, if the caller may see it.' });

export const problemParams = z
  .strictObject({
    min: number,
    max: number,
    count: number,
    characters: number,
    cells: number,
    code: word,
    field: word,
    day: word,
    rule: word,
    status: word,
    from: word,
    to: word,
    sentence: word,
    fields: words,
    values: words,
    readings: words,
    moves: words,
    existing_id: existingId,
  })
  .partial()
  .meta({ id: 'ProblemParams', description: 'Values that are inserted into the message.' });

type OptionalParams = z.output<typeof problemParams>;
type ProblemTextParams = {
  readonly [Name in keyof OptionalParams]-?: Readonly<NonNullable<OptionalParams[Name]>>;
};

export type ProblemTextKey = keyof typeof PROBLEM_TEXTS;
export type ProblemCode = ProblemTextKey extends infer K ? (K extends `${infer Code}.${string}` ? Code : K) : never;

type FirstPlaceholderWord<Place extends string> = Place extends `${infer Name} ${string}` ? Name : Place;
type PlaceholderNames<Text extends string> = Text extends `${string}{${infer Place}}${infer Rest}`
  ? FirstPlaceholderWord<Place> | PlaceholderNames<Rest>
  : never;
type ParamsOfTextKey<K extends ProblemTextKey> = Pick<
  ProblemTextParams,
  PlaceholderNames<(typeof PROBLEM_TEXTS)[K][0]> & keyof ProblemTextParams
>;

declare const ruleBrand: unique symbol;

/** A problem's code and params as JSON text, because zod's message for a failed check can only be a text. */
export type ProblemRule = string & { readonly [ruleBrand]: true };

export function rule<K extends ProblemTextKey>(
  key: K,
  ...[params]: [PlaceholderNames<(typeof PROBLEM_TEXTS)[K][0]>] extends [never] ? [] : [ParamsOfTextKey<K>]
): ProblemRule {
  return JSON.stringify([key, params ?? {}]) as ProblemRule;
}

/** Returns `text` as a ProblemRule if the function `rule` made it, otherwise undefined. */
export function castToProblemRule(text: string): ProblemRule | undefined {
  try {
    const [key] = JSON.parse(text) as unknown[];
    return typeof key === 'string' && Object.hasOwn(PROBLEM_TEXTS, key) ? (text as ProblemRule) : undefined;
  } catch {
    return undefined;
  }
}

export function addExistingId(of: ProblemRule, id: string): ProblemRule {
  const [key, params] = parseRule(of);
  return JSON.stringify([key, { ...params, existing_id: id }]) as ProblemRule;
}

function parseRule(of: ProblemRule): [key: ProblemTextKey, params: Partial<ProblemTextParams>] {
  return JSON.parse(of) as [ProblemTextKey, Partial<ProblemTextParams>];
}

export function readTextKey(of: ProblemRule): ProblemTextKey {
  return parseRule(of)[0];
}

export function readCodeAndParams(of: ProblemRule): {
  readonly code: ProblemCode;
  readonly params: Partial<ProblemTextParams>;
} {
  const [key, params] = parseRule(of);
  return { code: extractProblemCode(key), params };
}

function extractProblemCode(key: ProblemTextKey): ProblemCode {
  return key.replace(/\..*/, '') as ProblemCode;
}

const PROBLEM_TEXT_KEYS = Object.keys(PROBLEM_TEXTS) as ProblemTextKey[];

export const ALL_PROBLEM_TEXTS = PROBLEM_TEXT_KEYS.map((key) => [key, ...PROBLEM_TEXTS[key]] as const);

/** Returns a label for each problem code: the code's texts, joined by slashes. */
export function collectProblemLabels(): BilingualLabels {
  const textsByCode = Object.entries(Object.groupBy(ALL_PROBLEM_TEXTS, ([key]) => extractProblemCode(key)));
  return Object.fromEntries(
    textsByCode.map(([code, all]): [string, BilingualLabel] => {
      const english = all.map((text) => text[1]).join(' / ');
      const french = all.map((text) => text[2]).join(' / ');
      return [code, [french, english.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())]];
    }),
  );
}

const PLACEHOLDER_PATTERN = /\{(\w+)(?: (\w+))?\}/g;

export function formatProblemText(of: ProblemRule, language: Language = 'en'): string {
  const [key, params] = parseRule(of);
  const [english, french] = PROBLEM_TEXTS[key];
  const template = language === 'fr' ? addFrenchSpaces(french) : english;
  const put = (_place: string, name: keyof ProblemTextParams, as?: string) =>
    formatParam(params[name] ?? '', as, language);
  return template.replaceAll(PLACEHOLDER_PATTERN, put);
}

/** Puts non-breaking spaces before French punctuation, so that no line begins with a punctuation mark. */
function addFrenchSpaces(french: string): string {
  return french.replaceAll(/ (?=[:;?!»])|(?<=«) /g, '\u00a0');
}

function formatParam(
  value: ProblemTextParams[keyof ProblemTextParams],
  as: string | undefined,
  language: Language,
): string {
  const isFrench = language === 'fr';
  const quoteStatus = (word: string): string => addFrenchSpaces(`« ${findStatusLabel(word)} »`);
  if (typeof value === 'number') {
    if (as === 'year') return String(value).padStart(4, '0');
    const minimumFractionDigits = as === 'decimal' ? 2 : 0;
    if (isFrench) return value.toLocaleString('fr', { minimumFractionDigits, useGrouping: 'min2' });
    return value.toFixed(minimumFractionDigits);
  }
  if (typeof value === 'string' && isFrench && as === 'date') return value.split('-').toReversed().join('/');
  if (typeof value === 'string') return isFrench && as === 'label' ? findStatusLabel(value) : value;
  if (as === 'or') return value.join(isFrench ? ' ou ' : ' or as ');
  if (as !== 'next') return value.join(', ');
  if (value.length === 0) return NEXT_STATUS_TEXTS.none[language];
  const next = isFrench ? `${value.map(quoteStatus).join(', ')}.` : value.join(', ');
  return addFrenchSpaces(NEXT_STATUS_TEXTS.some[language]) + next;
}

function findStatusLabel(word: string): string {
  return STATUS_LABELS[word]?.[0] ?? word;
}
