-- name: active
-- The model whose vectors are searched.
select model, dimensions from vector_space where active;

-- name: note_model
-- Makes a model the active one, unless there is one.
insert into vector_space (model, dimensions, active)
select %(model)s, %(dimensions)s, true
where not exists (select from vector_space where active);

-- name: any_vector
-- Is there any vector yet?
select exists (select from embedding) as found;

-- name: forget_unused
-- While no vector is stored, another model may take the place.
delete from vector_space where active and not exists (select from embedding);

-- name: resize
-- The length of the stored vectors; only while there are none.
alter table embedding alter column vector type halfvec({dimensions});

-- name: column_dimensions
-- The length the table is made for.
select atttypmod as dimensions
from pg_attribute
where attrelid = 'embedding'::regclass and attname = 'vector';
