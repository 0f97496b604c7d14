"""Reading English without a language model, one question a file.

text ──> language ──> entities ──> mentions ──> clauses ──> statements, kinship ──> reading ──> Extraction
         parse        names        what a       what is      who did what, who       times and
                                   word means   asserted     is whose what           wording added
"""
