"""Words a second of learning: our Naive Bayes and linear SVM, and scikit-learn's.

Both learn the same rows of the grammar's sentences; theirs is given them as a sparse
matrix.
"""

from functools import partial

from run import speeds
from sklearn.feature_extraction import DictVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from lookback.features import FeatureTagger, LinearSVM, NaiveBayes
from lookback.text.corpora import grammar, tagged


def main() -> None:
    sentences = tagged(grammar(1000).train)
    rows = FeatureTagger(NaiveBayes()).rows([s.words for s in sentences])
    labels = [tag for s in sentences for tag in s.tags]
    X = DictVectorizer().fit_transform([dict.fromkeys(row, 1) for row in rows])
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
    models = {
        "Naive Bayes": (NaiveBayes(0.1), MultinomialNB(alpha=0.1)),
        "linear SVM": (LinearSVM(0.1, epochs=5), LinearSVC(C=0.1)),
    }
    fits = {
        name: {
            "ours": partial(ours.fit, rows, labels),
            "scikit-learn": partial(theirs.fit, X, labels),
        }
        for name, (ours, theirs) in models.items()
    }
    speeds("words a second", fits, len(rows))
