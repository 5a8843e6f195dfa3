create or replace trigger identity_changes_refuse_user_tokens
    after insert or update of delivered_at on public.identity_changes
    for each row
    when (new.ends_tokens and new.delivered_at is null)
    execute function app.refuse_tokens_until_delivery();

create or replace trigger identity_changes_date_rights_change
    after update of delivered_at on public.identity_changes
    for each row
    when (new.ends_tokens and new.delivered_at is not null and old.delivered_at is null)
    execute function app.date_rights_change_at_delivery();
