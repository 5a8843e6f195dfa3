create or replace trigger identity_changes_hold_tokens
    after insert or update of delivered_at on public.identity_changes
    for each row
    when (new.ends_tokens and new.delivered_at is null)
    execute function app.hold_tokens();

create or replace trigger identity_changes_date_delivery
    after update of delivered_at on public.identity_changes
    for each row
    when (new.ends_tokens and new.delivered_at is not null and old.delivered_at is null)
    execute function app.date_delivery();
