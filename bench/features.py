"""Words a second of Naive Bayes and of the linear SVM: ours and scikit-learn's.

Run it with `python bench/features.py`. Both learn the same rows of the grammar's
sentences; theirs is given them as a sparse matrix. Each figure is the best of three.
"""

from sklearn.feature_extraction import DictVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from lookback.features import FeatureTagger, LinearSVM, NaiveBayes
from lookback.measure import timings
from lookback.text.corpora import grammar, tagged

PAIRS, EPOCHS, TURNS = 1000, 5, 3


def main() -> None:
    sentences = tagged(grammar(PAIRS).train)
    rows = FeatureTagger(NaiveBayes()).rows([s.words for s in sentences])
    labels = [tag for s in sentences for tag in s.tags]
    X = DictVectorizer().fit_transform([dict.fromkeys(row, 1) for row in rows])
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
    print(f"{len(rows)} words, {X.shape[1]} features, {len(set(labels))} classes")
    print(f"{'words a second':20}{'ours':>12}{'sklearn':>12}{'ratio':>10}")
    for name, ours, theirs in (
        ("Naive Bayes", NaiveBayes(0.1), MultinomialNB(alpha=0.1)),
        ("linear SVM", LinearSVM(0.1, epochs=EPOCHS), LinearSVC(C=0.1)),
    ):
        runs = timings(
            lambda model=ours: model.fit(rows, labels),
            lambda model=theirs: model.fit(X, labels),
            repeats=TURNS,
            warmup=0,
        )
        our, their = (len(rows) / run.best for run in runs)
        print(f"{name:20}{our:12,.0f}{their:12,.0f}{our / their:8.2f} x")


if __name__ == "__main__":
    main()
