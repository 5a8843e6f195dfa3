-- Example data: a firm for local taxes with six invented clients. The commune codes are real INSEE codes. The example
-- data is loaded once, into an embedded database that has no clients.

select
    pg_catalog.set_config('app.actor', 'demonstration', true),
    pg_catalog.set_config('app.action', 'npm start', true);

insert into public.clients (id, company_name, contact_email, address, created_at)
values
    ('c1000000-0000-4000-8000-000000000001', 'Logistique du Rhône SAS', 'fiscalite@logistique-rhone.example', '12 rue des Docks, 69009 Lyon', '2024-01-15 09:00+00'),
    ('c1000000-0000-4000-8000-000000000002', 'Hôtels Belle Rive SA', 'direction@belle-rive.example', '3 promenade des Anglais, 06000 Nice', '2024-02-20 10:30+00'),
    ('c1000000-0000-4000-8000-000000000003', 'Manufacture Vosgienne SARL', 'compta@manufacture-vosges.example', '8 route de Gérardmer, 88000 Épinal', '2024-03-11 14:15+00'),
    ('c1000000-0000-4000-8000-000000000004', 'Cliniques de l’Ouest', 'siege@cliniques-ouest.example', '25 boulevard de la Liberté, 35000 Rennes', '2024-05-06 08:45+00'),
    ('c1000000-0000-4000-8000-000000000005', 'Distribution Nord Europe SA', 'impots@dne.example', '140 avenue de Dunkerque, 59000 Lille', '2024-09-02 11:20+00'),
    ('c1000000-0000-4000-8000-000000000006', 'Domaine de la Casinca SCEA', 'contact@casinca.example', 'Lieu-dit Vescovato, 20215 Vescovato', '2025-01-09 16:05+00');

insert into public.users (id, email, password_hash, name, role, client_access, subject, access_changed_at, created_at)
values
    ('d1000000-0000-4000-8000-000000000001', 'claire.fontaine@cabinet.example', '!', 'Claire Fontaine', 'ADMIN', '{}', 'demonstration|claire', '-infinity', '2024-01-02 08:00+00'),
    ('d1000000-0000-4000-8000-000000000002', 'marc.lefevre@cabinet.example', '!', 'Marc Lefèvre', 'ACCOUNT_MANAGER', '{c1000000-0000-4000-8000-000000000001,c1000000-0000-4000-8000-000000000002,c1000000-0000-4000-8000-000000000003}', 'demonstration|marc', '-infinity', '2024-01-02 08:05+00'),
    ('d1000000-0000-4000-8000-000000000003', 'amelie.durand@cabinet.example', '!', 'Amélie Durand', 'TAX_SPECIALIST', '{c1000000-0000-4000-8000-000000000001,c1000000-0000-4000-8000-000000000002}', 'demonstration|amelie', '-infinity', '2024-01-03 09:00+00'),
    ('d1000000-0000-4000-8000-000000000004', 'sophie.martin@logistique-rhone.example', '!', 'Sophie Martin', 'CLIENT', '{c1000000-0000-4000-8000-000000000001}', 'demonstration|sophie', '-infinity', '2024-01-16 10:00+00');

insert into public.sites (id, client_id, site_name, address, created_at)
values
    ('51000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001', 'Entrepôt de Saint-Priest', '4 rue du Lyonnais, 69800 Saint-Priest', '2024-01-15 09:10+00'),
    ('51000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000001', 'Plateforme de Mâcon', '17 rue des Mûriers, 71000 Mâcon', '2024-01-15 09:20+00'),
    ('51000000-0000-4000-8000-000000000003', 'c1000000-0000-4000-8000-000000000002', 'Hôtel Belle Rive Nice', '3 promenade des Anglais, 06000 Nice', '2024-02-20 10:40+00'),
    ('51000000-0000-4000-8000-000000000004', 'c1000000-0000-4000-8000-000000000002', 'Hôtel Belle Rive Annecy', '21 quai de la Tournette, 74000 Annecy', '2024-02-20 10:50+00'),
    ('51000000-0000-4000-8000-000000000005', 'c1000000-0000-4000-8000-000000000003', 'Usine d’Épinal', '8 route de Gérardmer, 88000 Épinal', '2024-03-11 14:20+00'),
    ('51000000-0000-4000-8000-000000000006', 'c1000000-0000-4000-8000-000000000004', 'Clinique de Rennes', '25 boulevard de la Liberté, 35000 Rennes', '2024-05-06 08:50+00'),
    ('51000000-0000-4000-8000-000000000007', 'c1000000-0000-4000-8000-000000000005', 'Dépôt de Lille', '140 avenue de Dunkerque, 59000 Lille', '2024-09-02 11:30+00'),
    ('51000000-0000-4000-8000-000000000008', 'c1000000-0000-4000-8000-000000000006', 'Cave de Vescovato', 'Lieu-dit Vescovato, 20215 Vescovato', '2025-01-09 16:10+00');

insert into public.cadastres (id, site_id, commune_code, prefix, section, number, area_m2, address, rental_value, reference_year)
values
    ('ca000000-0000-4000-8000-000000000001', '51000000-0000-4000-8000-000000000001', '69290', '000', 'BX', '0142', 18450, '4 rue du Lyonnais', 412300.00, 2025),
    ('ca000000-0000-4000-8000-000000000002', '51000000-0000-4000-8000-000000000001', '69290', '000', 'BX', '0143', 2210, '4 bis rue du Lyonnais', 38950.50, 2025),
    ('ca000000-0000-4000-8000-000000000003', '51000000-0000-4000-8000-000000000002', '71270', '000', 'AC', '0077', 9600, '17 rue des Mûriers', 141200.00, 2024),
    ('ca000000-0000-4000-8000-000000000004', '51000000-0000-4000-8000-000000000003', '06088', '000', 'KX', '0018', 3120, '3 promenade des Anglais', 690500.00, 2025),
    ('ca000000-0000-4000-8000-000000000005', '51000000-0000-4000-8000-000000000005', '88160', '000', 'AB', '0310', 27800, '8 route de Gérardmer', 205400.00, 2024),
    ('ca000000-0000-4000-8000-000000000006', '51000000-0000-4000-8000-000000000006', '35238', '000', 'CD', '0205', 6400, '25 boulevard de la Liberté', 318000.00, 2025),
    ('ca000000-0000-4000-8000-000000000007', '51000000-0000-4000-8000-000000000008', '2B346', '000', '0C', '0451', 41200, 'Lieu-dit Vescovato', 22750.25, 2024);

insert into public.reclamations (
    id, client_id, site_id, claim_type, amount, tax_year, commune_code, notice_reference, collection_date, grounds, created_at
)
values
    ('e1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001', '51000000-0000-4000-8000-000000000001', 'TF', 48210.55, 2024, '69290', '24 69 1234567 01', '2024-08-31', 'Surface pondérée surévaluée : les auvents sont comptés comme surface close.', '2024-10-07 09:30+00'),
    ('e1000000-0000-4000-8000-000000000004', 'c1000000-0000-4000-8000-000000000002', '51000000-0000-4000-8000-000000000003', 'TF', 99875.00, 2024, '06088', '24 06 4455667 12', '2024-08-31', 'Changement d’affectation non pris en compte.', '2024-11-18 15:10+00'),
    ('e1000000-0000-4000-8000-000000000006', 'c1000000-0000-4000-8000-000000000003', '51000000-0000-4000-8000-000000000005', 'TF', 31200.00, 2024, '88160', '24 88 1112223 33', '2024-08-31', 'Bâtiment industriel évalué selon la méthode comptable à tort.', '2024-09-30 09:00+00'),
    ('e1000000-0000-4000-8000-000000000009', 'c1000000-0000-4000-8000-000000000006', '51000000-0000-4000-8000-000000000008', 'TF', 2140.15, 2024, '2B346', '24 2B 0000123 45', '2024-08-31', 'Exonération des bâtiments ruraux (CGI art. 1382).', '2024-12-10 10:10+00');

-- Dates are relative to today, so that in every year some claims can still be filed and some answers are due soon.
insert into public.reclamations (
    id, client_id, site_id, claim_type, amount, tax_year, commune_code, notice_reference, collection_date, grounds, created_at
)
select
    c.id,
    c.client_id,
    c.site_id,
    c.claim_type,
    c.amount,
    y.tax_year,
    c.commune_code,
    pg_catalog.to_char(y.tax_year % 100, 'fm00 ') || c.reference,
    pg_catalog.make_date(y.tax_year, case c.claim_type when 'TF' then 8 else 10 end, 31),
    c.grounds,
    coalesce(
        (s.submitted - interval '13 days') at time zone 'UTC',
        pg_catalog.make_timestamptz(y.tax_year, 11, 10 + pg_catalog.right(c.id::text, 1)::integer, 10, 0, 0, 'UTC')
    )
from (
    values
        ('e1000000-0000-4000-8000-000000000002'::uuid, 'c1000000-0000-4000-8000-000000000001'::uuid, '51000000-0000-4000-8000-000000000001'::uuid, 'CFE', 12940.00, '69290', '69 7654321 09', 'Base d’imposition : équipement cédé en 2023.', null::integer),
        ('e1000000-0000-4000-8000-000000000003', 'c1000000-0000-4000-8000-000000000001', '51000000-0000-4000-8000-000000000002', 'TF', 15330.80, '71270', '71 0098765 44', 'Coefficient de localisation erroné.', 21),
        ('e1000000-0000-4000-8000-000000000005', 'c1000000-0000-4000-8000-000000000002', '51000000-0000-4000-8000-000000000004', 'CFE', 7480.25, '74010', null, null, null),
        ('e1000000-0000-4000-8000-000000000007', 'c1000000-0000-4000-8000-000000000004', '51000000-0000-4000-8000-000000000006', 'TF', 56000.00, '35238', '35 9988776 65', null, null),
        ('e1000000-0000-4000-8000-000000000008', 'c1000000-0000-4000-8000-000000000005', '51000000-0000-4000-8000-000000000007', 'CFE', 18650.40, '59350', '59 5544332 21', 'Cessation partielle d’activité.', 45)
) as c (id, client_id, site_id, claim_type, amount, commune_code, reference, grounds, answer_in)
cross join lateral (select app.paris_today() + c.answer_in - interval '6 months' as submitted) as s
cross join lateral (select extract(year from coalesce(s.submitted, app.paris_today()))::integer - 1 as tax_year) as y;

-- The script moves each claim through its statuses one by one, so that public.reclamation_history has rows.
do $walk$
declare
    claim record;
    step text;
begin
    for claim in
        select *
        from (
            values
                ('e1000000-0000-4000-8000-000000000001'::uuid, '{READY_FOR_REVIEW,APPROVED,SUBMITTED,ACKNOWLEDGED,PARTIALLY_ACCEPTED}'::text[], '2024-10-21 08:00+00'::timestamptz),
                ('e1000000-0000-4000-8000-000000000002', '{READY_FOR_REVIEW}', null),
                ('e1000000-0000-4000-8000-000000000003', '{READY_FOR_REVIEW,APPROVED,SUBMITTED}', (app.paris_today() + 21 - interval '6 months') at time zone 'UTC'),
                ('e1000000-0000-4000-8000-000000000004', '{READY_FOR_REVIEW,APPROVED,SUBMITTED,REJECTED,LITIGATION}', '2024-12-02 10:00+00'),
                ('e1000000-0000-4000-8000-000000000006', '{READY_FOR_REVIEW,APPROVED,SUBMITTED,ACCEPTED,REFUNDED}', '2024-10-10 10:00+00'),
                ('e1000000-0000-4000-8000-000000000007', '{READY_FOR_REVIEW,APPROVED}', null),
                ('e1000000-0000-4000-8000-000000000008', '{READY_FOR_REVIEW,APPROVED,SUBMITTED,REGULARISATION_REQUESTED}', (app.paris_today() + 45 - interval '6 months') at time zone 'UTC'),
                ('e1000000-0000-4000-8000-000000000009', '{WITHDRAWN}', null)
        ) as walk (id, steps, submitted_at)
    loop
        update public.reclamations set submitted_at = claim.submitted_at where id = claim.id;
        foreach step in array claim.steps
        loop
            update public.reclamations
            set
                status = step,
                granted_amount = case step when 'PARTIALLY_ACCEPTED' then 30100.00 when 'ACCEPTED' then 31200.00 else granted_amount end
            where id = claim.id;
        end loop;
    end loop;
end
$walk$;

update public.reclamations
set decision_date = '2025-03-14', decision_received_on = '2025-03-14'
where id = 'e1000000-0000-4000-8000-000000000001';

update public.reclamations
set decision_date = '2025-02-03', refund_amount = 31980.75
where id = 'e1000000-0000-4000-8000-000000000006';

update public.reclamations
set assignee_id = 'd1000000-0000-4000-8000-000000000003'
where id in ('e1000000-0000-4000-8000-000000000001', 'e1000000-0000-4000-8000-000000000004');

update public.reclamations
set assignee_id = 'd1000000-0000-4000-8000-000000000002'
where id = 'e1000000-0000-4000-8000-000000000003';

insert into public.documents (id, reclamation_id, filename, file_path, file_size, mime_type, uploaded_at, sha256, kind)
values
    ('d0000000-0000-4000-8000-000000000001', 'e1000000-0000-4000-8000-000000000001', 'avis-taxe-foncière-2024.pdf', 'demonstration/avis-tf-2024.pdf', 1024, 'application/pdf', '2024-10-07 09:40+00', '\x31cadabf1722c3ff0dd3c1e4510f4f17d4e4f7818fbdea058e9f09e8e9722fb9', 'AVIS'),
    ('d0000000-0000-4000-8000-000000000002', 'e1000000-0000-4000-8000-000000000001', 'mandat.pdf', 'demonstration/mandat.pdf', 1009, 'application/pdf', '2024-10-07 09:42+00', '\x1f3db8d0b086d7ef0e3e9a840c2b26fc700fe297626d5c5efa6e2b333269a314', 'MANDAT'),
    ('d0000000-0000-4000-8000-000000000003', 'e1000000-0000-4000-8000-000000000003', 'relevé-de-surface.csv', 'demonstration/releve-surface.csv', 186, 'text/csv', (app.paris_today() + 9 - interval '6 months') at time zone 'UTC', '\xe6173026c66cf4a1aa3881bb80d65275a405a52bd04614b41b4fc855038def2d', 'AUTRE'),
    ('d0000000-0000-4000-8000-000000000004', 'e1000000-0000-4000-8000-000000000004', 'décision-de-rejet.pdf', 'demonstration/decision-rejet.pdf', 1042, 'application/pdf', '2025-02-11 08:30+00', '\xfa5e2bcd7284a7c647c4081a67bdb17ca40d37316c1676007a5f2e21ce2f4c6b', 'DECISION'),
    ('d0000000-0000-4000-8000-000000000005', 'e1000000-0000-4000-8000-000000000006', 'avis-de-dégrèvement.pdf', 'demonstration/avis-degrevement.pdf', 1005, 'application/pdf', '2025-02-05 16:00+00', '\xb2d814b423fa0c5b9c51d078acd5a6c8dea48533086ac8b414cc3bd5856d2120', 'DECISION');

insert into public.notes (id, client_id, reclamation_id, author_id, text, internal, due_on, assignee_id, done_at, created_at, updated_at)
values
    ('b3000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001', 'e1000000-0000-4000-8000-000000000001', 'd1000000-0000-4000-8000-000000000002', 'Demander à la mairie le relevé des surfaces.', true, '2025-04-04', 'd1000000-0000-4000-8000-000000000003', '2025-04-02 15:00+00', '2025-03-17 09:00+00', '2025-04-02 15:00+00'),
    ('b3000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000001', 'e1000000-0000-4000-8000-000000000001', 'd1000000-0000-4000-8000-000000000002', 'Le dégrèvement partiel est notifié : 30 100 €.', false, null, null, null, '2025-03-17 09:10+00', '2025-03-17 09:10+00'),
    ('b3000000-0000-4000-8000-000000000003', 'c1000000-0000-4000-8000-000000000001', 'e1000000-0000-4000-8000-000000000001', 'd1000000-0000-4000-8000-000000000002', 'Relancer le centre des impôts pour le remboursement.', true, app.paris_today() + 7, 'd1000000-0000-4000-8000-000000000003', null, '2025-05-20 08:00+00', '2025-05-20 08:00+00');

insert into public.partners (id, name, siret, contact_email, phone, address, commission_rate)
values
    ('b1000000-0000-4000-8000-000000000001', 'Apport Conseil Rhône-Alpes', '90123456700013', 'contact@apport-conseil.example', '+33 4 72 00 00 01', '6 place Bellecour, 69002 Lyon', 12.50),
    ('b1000000-0000-4000-8000-000000000002', 'Cabinet Riviera Expertise', '81234567800021', 'bonjour@riviera-expertise.example', '+33 4 93 00 00 02', '14 rue de France, 06000 Nice', 10.00);

insert into public.client_partners (client_id, partner_id)
values
    ('c1000000-0000-4000-8000-000000000001', 'b1000000-0000-4000-8000-000000000001'),
    ('c1000000-0000-4000-8000-000000000003', 'b1000000-0000-4000-8000-000000000001'),
    ('c1000000-0000-4000-8000-000000000002', 'b1000000-0000-4000-8000-000000000002');

insert into public.factures (id, client_id, reclamation_id, issue_date, due_date, service_date, description, amount_excl_tax, vat_rate)
values
    ('f1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000003', 'e1000000-0000-4000-8000-000000000006', '2025-02-28', '2025-03-31', '2025-02-05', 'Honoraires de résultat : taxe foncière 2024, Épinal', 7800.00, 20.00),
    ('f1000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000001', 'e1000000-0000-4000-8000-000000000001', app.paris_today() - 20, app.paris_today() + 10, app.paris_today() - 25, 'Honoraires de résultat : taxe foncière 2024, Saint-Priest', 7525.00, 20.00),
    ('f1000000-0000-4000-8000-000000000003', 'c1000000-0000-4000-8000-000000000002', null, null, null, null, null, 1500.00, 20.00);

update public.factures set status = 'ISSUED' where id = 'f1000000-0000-4000-8000-000000000001';
update public.factures set status = 'ISSUED' where id = 'f1000000-0000-4000-8000-000000000002';
update public.factures set status = 'PAID', paid_at = '2025-03-20 10:00+00' where id = 'f1000000-0000-4000-8000-000000000001';

insert into public.partner_invoices (id, partner_id, client_id, invoice_id, number, issue_date, due_date, amount_excl_tax, vat_rate)
values
    ('b2000000-0000-4000-8000-000000000001', 'b1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000003', 'f1000000-0000-4000-8000-000000000001', 'ACR-2025-017', '2025-04-02', '2025-05-02', 975.00, 20.00),
    ('b2000000-0000-4000-8000-000000000002', 'b1000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000002', null, 'RIV-88', '2025-06-30', '2025-07-30', 410.00, 20.00),
    -- The bill RIV-97 is due in some weeks, so that GET /api/deadlines is never empty.
    ('b2000000-0000-4000-8000-000000000003', 'b1000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000002', null, 'RIV-97', app.paris_today() - 10, app.paris_today() + 20, 265.00, 20.00);

update public.partner_invoices set status = 'VALIDATED' where number = 'ACR-2025-017';
