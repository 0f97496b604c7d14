"""The nightly run: what is the same is merged, what contradicts is settled, and every change can be put back.

A step proposes, the journal writes. A step (`step.Step`) reads and yields batches of proposals, and never writes; the
journal (`journal.Journal`) writes each batch in one transaction: the rows of decision tables that it edits, what
follows from them, the changes themselves, and how far the step has looked. So a run may be killed anywhere and taken
up again, and every row can be put back as it was.

To add a step:

1. One file here with a frozen dataclass that has `name`, `waiting` and `propose`; it reads through stores.
2. Its name in `night.STEPS` and `night.StepName`, in the order of the run, and its line in `nightly.steps`.
3. What it decides is rows of a table of its own: `schema.sql`, the four queries and the line in `stores.decisions`, the
   line in `consequences.FOLLOWS` if anything follows from them, the table in `stores/rehearsal.sql`, and in
   `namespaces.sql` so that it goes with its namespace.

A dry run is the same run on temporary copies of the tables (`stores.rehearsal`): what it plans is what a run does.
"""
