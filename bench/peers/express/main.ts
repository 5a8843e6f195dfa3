/** Returns a client’s newest claims with Express and pg alone, without tokens, policies, limits or logs. */
import express from 'express';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const text = `
select
    id, client_id, site_id, claim_type, amount, status, tax_year, commune_code, notice_reference, collection_date,
    claim_deadline, submitted_at, response_due_at, decision_date, court_deadline, granted_amount, refund_amount, grounds,
    created_at, updated_at
from public.reclamations
where client_id = $1
order by created_at desc, id desc
limit $2`;

express()
  .get('/api/clients/:clientId/reclamations', async ({ params, query }, response) => {
    const values = [params.clientId, query['limit']];
    const { rows } = await pool.query({ name: 'newest', text, values });
    response.json(rows);
  })
  .listen(Number(process.env['PORT']), '127.0.0.1');
