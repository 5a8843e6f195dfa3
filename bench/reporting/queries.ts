/**
 * Queries of a BI tool in two forms: through the views of schema reporting, and written by hand for a superuser without
 * policies.
 */
export interface Query {
  readonly name: string;
  readonly reporting: string;
  /**
   * The query written by hand, with which a superuser reads the same rows. In its text, $clients stands for the array
   * of the login’s client ids, and $client and $company stand for the id and the name of one of these clients.
   */
  readonly byHand: string;
}

export const QUERIES: readonly Query[] = [
  {
    name: 'claims: count and sum by status and month',
    reporting: `
      select status, date_trunc('month', created_at), count(*), sum(amount)
      from reporting.reclamations
      group by 1, 2`,
    byHand: `
      select status, date_trunc('month', created_at), count(*), sum(amount)
      from public.reclamations
      where client_id = any ($clients)
      group by 1, 2`,
  },
  {
    name: 'the newest 50 claims',
    reporting: `
      select id, client_id, status, created_at
      from reporting.reclamations
      order by created_at desc
      limit 50`,
    byHand: `
      select id, client_id, status, created_at
      from public.reclamations
      where client_id = any ($clients)
      order by created_at desc
      limit 50`,
  },
  {
    name: 'all four tables, by client',
    reporting: `
      select c.company_name, count(distinct r.id), count(*), sum(d.file_size)
      from reporting.clients as c
      join reporting.sites as s on s.client_id = c.id
      join reporting.reclamations as r on r.site_id = s.id
      join reporting.documents as d on d.reclamation_id = r.id
      group by 1`,
    byHand: `
      select c.company_name, count(distinct r.id), count(*), sum(d.file_size)
      from public.clients as c
      join public.sites as s on s.client_id = c.id
      join public.reclamations as r on r.site_id = s.id
      join public.documents as d on d.reclamation_id = r.id
      where c.id = any ($clients)
      group by 1`,
  },
  {
    name: 'all four tables, the rows of one quarter',
    reporting: `
      select c.company_name, s.site_name, r.status, d.filename
      from reporting.clients as c
      join reporting.sites as s on s.client_id = c.id
      join reporting.reclamations as r on r.site_id = s.id
      join reporting.documents as d on d.reclamation_id = r.id
      where r.created_at >= '2025-10-01'`,
    byHand: `
      select c.company_name, s.site_name, r.status, d.filename
      from public.clients as c
      join public.sites as s on s.client_id = c.id
      join public.reclamations as r on r.site_id = s.id
      join public.documents as d on d.reclamation_id = r.id
      where c.id = any ($clients) and r.created_at >= '2025-10-01'`,
  },
  {
    name: 'documents: count and size by month',
    reporting: `
      select date_trunc('month', uploaded_at), count(*), sum(file_size)
      from reporting.documents
      group by 1`,
    byHand: `
      select date_trunc('month', d.uploaded_at), count(*), sum(d.file_size)
      from public.documents as d
      join public.reclamations as r on r.id = d.reclamation_id
      where r.client_id = any ($clients)
      group by 1`,
  },
  {
    name: 'the newest 50 documents',
    reporting: `
      select id, client_id, filename, uploaded_at
      from reporting.documents
      order by uploaded_at desc
      limit 50`,
    byHand: `
      select d.id, r.client_id, d.filename, d.uploaded_at
      from public.documents as d
      join public.reclamations as r on r.id = d.reclamation_id
      where r.client_id = any ($clients)
      order by d.uploaded_at desc
      limit 50`,
  },
  {
    name: 'the documents of one client',
    reporting: `
      select d.filename, d.uploaded_at
      from reporting.documents as d
      where d.client_id = $client`,
    byHand: `
      select d.filename, d.uploaded_at
      from public.documents as d
      join public.reclamations as r on r.id = d.reclamation_id
      where r.client_id = $client`,
  },
  {
    name: 'claims with company and site, by name',
    reporting: `
      select c.company_name, s.site_name, r.status, r.amount, r.created_at
      from reporting.reclamations as r
      join reporting.clients as c on c.id = r.client_id
      join reporting.sites as s on s.id = r.site_id
      where r.status = 'SUBMITTED' and r.created_at >= '2025-01-01'
      order by c.company_name, s.site_name, r.created_at`,
    byHand: `
      select c.company_name, s.site_name, r.status, r.amount, r.created_at
      from public.reclamations as r
      join public.clients as c on c.id = r.client_id
      join public.sites as s on s.id = r.site_id
      where r.client_id = any ($clients) and r.status = 'SUBMITTED' and r.created_at >= '2025-01-01'
      order by c.company_name, s.site_name, r.created_at`,
  },
  {
    name: 'the claims of one site, found by names',
    reporting: `
      select c.company_name, s.site_name, r.status, r.amount, r.created_at
      from reporting.reclamations as r
      join reporting.clients as c on c.id = r.client_id
      join reporting.sites as s on s.id = r.site_id
      where c.company_name = $company and s.site_name like 'Site 1%'
      order by r.created_at desc`,
    byHand: `
      select c.company_name, s.site_name, r.status, r.amount, r.created_at
      from public.reclamations as r
      join public.clients as c on c.id = r.client_id
      join public.sites as s on s.id = r.site_id
      where r.client_id = any ($clients) and c.company_name = $company and s.site_name like 'Site 1%'
      order by r.created_at desc`,
  },
];
