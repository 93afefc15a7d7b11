"""Where words come from: corpora, tokenizers, and what they hand to an idea."""
