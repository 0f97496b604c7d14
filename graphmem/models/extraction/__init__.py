"""Reading English without a language model, one question a file.

language    text in, spaCy's parse out (installed says whether that can be)
entities    which words are names
mentions    whom a word means: a name, the speaker, "Ravi's sister", a "red bike"
clauses     what a clause commits its speaker to: nothing, a fact, a plan, the end of something
statements  who did what; copulas: who is what; kinship: who is whose what
times       from when to when it holds; dates: what "last week" is
wording     the sentence as a third person would say it
reading     all of it in order: a parse in, entities and facts out
"""
