"""What the comparison with TVM is known to find, by the names of the programs: which stages fail, and why.

A program that is named here and works in full is a failure of the comparison, so that the table stays true.
"""

import fnmatch

VALUES = ("run", "same")

# pattern of names: (stages, cause)
GAPS = {
    "relax.slice_scatter": (VALUES, "TVM's program reads behind the end of x1"),
    "llm.prefill.float*": (VALUES, "TVM's program reads behind the end of scale_O"),
    "llm.prefill.sliding.float*": (VALUES, "TVM's program reads behind the end of scale_O"),
    "llm.tree_paged.float*": (VALUES, "TVM's program reads behind the end of scale_O"),
    "schedule.total.5": (VALUES, "TVM's scheduler makes the copy of the input after its use"),
    "schedule.transposed_product.7": (VALUES, "TVM's pad_einsum drops a predicate: the program reads outside of its buffers"),
}


def gap_of(name):
    """(stages, cause) of a program, or None."""
    return next((gap for pattern, gap in GAPS.items() if fnmatch.fnmatchcase(name, pattern)), None)
