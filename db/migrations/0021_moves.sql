-- Which fields a move needs stands beside the move, and the moves of invoices and of partners' bills stand in a table as
-- those of claims do: what refuses a move and what tells which are possible read the same rows.
alter table public.reclamation_transitions
    add column requires text[] not null default '{}';

create table public.invoice_transitions (
    table_name text not null,
    from_status character varying(50) not null,
    to_status character varying(50) not null,
    role text not null,
    requires text[] not null default '{}',
    primary key (table_name, from_status, to_status, role),
    constraint invoice_transitions_table_name_known check (table_name in ('factures', 'partner_invoices')),
    constraint invoice_transitions_role_known check (role in ('ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'))
);

insert into public.invoice_transitions (table_name, from_status, to_status, role)
select move.table_name, move.from_status, move.to_status, mover.role
from (
    values
        ('factures', 'DRAFT', 'ISSUED'),
        ('factures', 'ISSUED', 'PAID'),
        ('factures', 'ISSUED', 'CANCELLED'),
        ('partner_invoices', 'RECEIVED', 'VALIDATED'),
        ('partner_invoices', 'RECEIVED', 'DISPUTED'),
        ('partner_invoices', 'VALIDATED', 'PAID'),
        ('partner_invoices', 'VALIDATED', 'DISPUTED'),
        ('partner_invoices', 'DISPUTED', 'VALIDATED')
) as move (table_name, from_status, to_status)
cross join (values ('ADMIN'), ('ACCOUNT_MANAGER')) as mover (role);

alter table public.invoice_transitions enable row level security;
alter table public.invoice_transitions force row level security;
