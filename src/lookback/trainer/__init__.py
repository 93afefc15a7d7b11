"""The trainer: recipes, one training loop, trained models, and studies.

recipe, data          what a model is trained with, and on
fit, log, seeds       the loop, what it notes, and where chance comes from
learner               what a trained model is, and what it does, by its kind:
  language, translation, attending, vectors
checkpoint, files     a trained model as a file
study, verify         experiments, measured once and stored
running_table, toys   tables that go through the book; tasks that several chapters share

Names are imported from the file that has them: `from lookback.trainer.fit import fit`.
"""
