"""Places of the grader's machine in what a student gets."""

import json
import re
import sys
from pathlib import Path

import lockgrader
from lockgrader.export.gradescope import document
from lockgrader.report.feedback import feedback
from lockgrader.result import Result

FOLDERS = re.compile(r"(?<![\w.@/-])/(?:home|root|tmp|work|srv|opt|var|job|lean|usr/lib)/[\w./-]+")


def places(result: Result, *others: Path) -> set[str]:
    """The places that the page and a platform's document name: of them there should be none.

    The page's styles and its player are ours, and equal for all students.

    Arguments:
        result: of a grading. others: folders of the test.
    """
    ours = {*others, Path(lockgrader.__file__).parents[2], Path(sys.prefix), Path.home()} - {
        Path("/")
    }
    page = re.sub(r"<(script|style)>.*?</\1>", "", feedback(result), flags=re.DOTALL)
    got = page + json.dumps(document(result))
    return {str(one) for one in ours if str(one) != "/" and str(one) in got} | set(
        FOLDERS.findall(got)
    )
