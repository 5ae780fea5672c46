# A file may have Relax functions alone.
<<<<<<<< HEAD:tests/golden/accept_relax_alone.py
========
# expect: main(4xf32=1 2 3 4, 4xf32=0) -> 2 4 6 8
>>>>>>>> 8d19f0b (Relax in the tour, the changelog and the check; golden files that run):tests/golden/run_relax_alone.py
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
    return R.add(x, x)
