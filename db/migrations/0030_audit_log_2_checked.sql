-- Reads the log once, in a lock that stops neither reading nor writing.
alter table public.audit_logs validate constraint audit_logs_earlier;
