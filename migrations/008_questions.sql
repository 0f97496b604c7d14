-- What a question needs: slugs by their trigrams.
-- The words of a path's last part, without `.md`: what a slug says.
create or replace function slug_text(path text) returns text
language sql immutable parallel safe as $$
    select trim(regexp_replace(regexp_replace(regexp_replace(lower(path), '^.*/', ''), '\.md$', ''), '[^[:alnum:]]+', ' ', 'g'))
$$;

-- The trigrams of each word with a $ at both of its ends; each once, in order.
create or replace function grams_of(words text) returns text[]
language sql immutable parallel safe as $$
    select coalesce(array_agg(distinct substr('$' || word || '$', place, 3)), '{}')
    from unnest(string_to_array(words, ' ')) as word, generate_series(1, length(word)) as place
$$;

-- Its body is bound when it is made: an index is built where names are not looked up.
create or replace function slug_grams(path text) returns text[]
language sql immutable parallel safe
return grams_of(slug_text(path));

-- How alike two sets of trigrams are: those they share, of all they have.
create or replace function trigram_jaccard(ours text[], theirs text[]) returns float8
language sql immutable parallel safe as $$
    select case when cardinality(ours) + cardinality(theirs) = 0 then 0
        else shared::float8 / (cardinality(ours) + cardinality(theirs) - shared) end
    from (select count(*) as shared from unnest(ours) as gram where gram = any(theirs)) as counted
$$;

create index episode_slug on episode using gin (slug_grams(path)) where path is not null;
