-- In a transaction of its own: no table is held for it while the rights are applied.
-- Words of claims, in a table beside them: a change of a claim that changes no text writes none of them. It is filled and
-- indexed while nobody uses it; what changes meanwhile is told by xmin, and taken by the next migration.
create function app.words(text text)
    returns tsvector
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    -- Postgres refuses words of more than 2,046 bytes.
    if pg_catalog.octet_length(text) > 2000 then
        text := pg_catalog.regexp_replace(
            text,
            '([^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f]{200})[^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f]+',
            '\1', 'g'
        );
    end if;
    return pg_catalog.array_to_tsvector(
        pg_catalog.array_remove(
            pg_catalog.regexp_split_to_array(text, '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f]+'), ''
        )
    );
end
$function$;
grant execute on function app.words(text) to
    taxclaims_client, taxclaims_tax_specialist, taxclaims_account_manager, taxclaims_scoped_admin, taxclaims_admin, taxclaims_definer;

create table app.claim_words (
    id uuid not null,
    client_id uuid not null,
    words tsvector not null,
    filled_from xid
);
grant insert on app.claim_words to taxclaims_definer;
grant select (id, client_id, search_text, xmin) on public.reclamations to taxclaims_definer;
grant usage on schema app to taxclaims_definer;

set local role taxclaims_definer;
insert into app.claim_words
select r.id, r.client_id, app.words(r.search_text), r.xmin
from public.reclamations as r;
set local role taxclaims_owner;

alter table app.claim_words add primary key (id);
create index claim_words_words_idx on app.claim_words using gin (words) with (gin_pending_list_limit = 512);
