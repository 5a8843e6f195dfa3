comment on table app.lost_clients is
    'Clients that a user lost and whose claims and open tasks may still be assigned to the user. The service removes '
    'these assignments in batches and then deletes the row.';
comment on column app.lost_clients.user_id is 'The user who lost the client.';
comment on column app.lost_clients.client_id is 'The lost client; it may be deleted since.';
comment on column app.lost_clients.lost_at is 'Time at which the user lost the client.';
comment on column app.lost_clients.unassigned is 'Number of claims and tasks from which the service removed the user.';
