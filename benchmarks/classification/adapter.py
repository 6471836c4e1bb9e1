"""aeon's own checks of the adapter: `python -m classification.adapter`."""

from __future__ import annotations


def main() -> None:
    from aeon.testing.estimator_checking import check_estimator

    from spheresn.adapters.aeon import AeonESNClassifier

    results = check_estimator(AeonESNClassifier, raise_exceptions=True)
    print(f"{len(results)} checks of aeon passed")


if __name__ == "__main__":
    main()
