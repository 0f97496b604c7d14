// Does the database answer?
//
// Used by   GraphStore.answers
// Returns   one
RETURN 1 AS one
LIMIT 1
