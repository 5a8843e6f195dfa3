-- In a transaction of its own: no table is held for it while the rights are applied.
-- Words of claims, in a table beside them: a change of a claim that changes no text writes none of them. It is filled and
-- indexed while nobody uses it; what changes meanwhile is told by xmin, and taken by the next migration. The release before
-- serves beside it: its GET /health accepts no function that it does not know, and no table without forced policies.
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
-- As app.words has it, of which the next migration says more.
insert into app.claim_words
select
    r.id,
    r.client_id,
    pg_catalog.array_to_tsvector(
        pg_catalog.array_remove(
            pg_catalog.regexp_split_to_array(
                case
                    when pg_catalog.octet_length(r.search_text) > 2000 then pg_catalog.regexp_replace(
                        r.search_text,
                        '([^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020]{200})[^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020]+',
                        '\1', 'g'
                    )
                    else r.search_text
                end,
                '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020]+'
            ),
            ''
        )
    ),
    r.xmin
from public.reclamations as r;
set local role taxclaims_owner;

alter table app.claim_words add primary key (id);
create index claim_words_words_idx on app.claim_words using gin (words) with (gin_pending_list_limit = 512);
alter table app.claim_words enable row level security;
alter table app.claim_words force row level security;
