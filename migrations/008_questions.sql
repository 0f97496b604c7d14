-- What a question needs: slugs by their trigrams.
-- The trigrams of each word with a $ at both of its ends; each once, in order.
create or replace function grams_of(words text) returns text[]
language sql immutable parallel safe as $$
    select coalesce(array_agg(distinct substr('$' || word || '$', place, 3)), '{}')
    from unnest(string_to_array(words, ' ')) as word, generate_series(1, length(word)) as place
$$;

-- The trigrams of a path's last part, without `.md`: of each of its words with a $ at both ends, each once, in order.
create or replace function slug_grams(path text) returns text[]
language sql immutable parallel safe as $$
    select grams_of(trim(regexp_replace(
        regexp_replace(regexp_replace(lower(path), '^.*/', ''), '\.md$', ''), '[^[:alnum:]]+', ' ', 'g')))
$$;

alter table episode add column slug_grams text[] generated always as (slug_grams(path)) stored;
comment on column episode.slug_grams is 'trigrams of the last part of the path, for names spelt wrongly';
create index episode_slug on episode using gin (slug_grams) where path is not null;
