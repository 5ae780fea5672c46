# While loops whose iterations end in several ways: flags that end them, and what all ways end with.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def find_flag(a: T.Buffer(("n",), "int32"), o: T.Buffer((4,), "int32"), key: T.int32):
        n = T.int32()
        found: T.int32 = 0
        i: T.int32 = 0
        while i < n and found == 0:
            if a[i] == key:
                found = 1
                o[1] = i
            elif a[i] > 90:
                found = 2
            i = i + 1
        o[0] = found
        o[2] = i

    @T.prim_func(s_tir=True)
    def going_more(a: T.Buffer(("n",), "int32"), o: T.Buffer((4,), "int32"), first: T.int32):
        n = T.int32()
        going: T.int32 = first
        i: T.int32 = 0
        s: T.int32 = 0
        while going != 0:
            if i == n:
                going = 0
            else:
                if a[i] % 3 == 0:
                    s = s + a[i]
                    if s > 300:
                        going = 0
                else:
                    s = s - 1
                i = i + 1
        o[0] = going
        o[1] = s
        o[2] = i

    @T.prim_func(s_tir=True)
    def set_and_unset(a: T.Buffer(("n",), "int32"), o: T.Buffer((4,), "int32")):
        n = T.int32()
        going: T.int32 = 1
        i: T.int32 = 0
        while going > 0 and i < n:
            going = 0
            if a[i] % 5 != 0:
                going = 1
            i = i + 1
        o[0] = going
        o[1] = i

    @T.prim_func(s_tir=True)
    def states(a: T.Buffer(("n",), "int32"), o: T.Buffer((4,), "int32")):
        n = T.int32()
        state: T.int32 = 0
        i: T.int32 = 0
        k: T.int32 = 0
        while i < n and state < 3:
            if state == 0:
                if a[i] < 50:
                    state = 1
                else:
                    k = k + a[i]
            elif state == 1:
                if a[i] > 80:
                    state = 2
                else:
                    state = 0
            else:
                if a[i] % 7 == 0:
                    state = 3
            i = i + 1
            k = k + 1
        o[0] = state
        o[1] = i
        o[2] = k

    @T.prim_func(s_tir=True)
    def nested(a: T.Buffer(("n",), "int32"), o: T.Buffer(("n",), "int32")):
        n = T.int32()
        i: T.int32 = 0
        while i < n:
            going: T.int32 = 1
            j: T.int32 = i
            while 1 == going:
                if j == 0:
                    going = 0
                elif a[j - 1] <= a[i]:
                    going = 0
                else:
                    j = j - 1
            if j % 2 == 0:
                o[i] = j
                i = i + 1
            else:
                o[i] = 0 - j
                i = i + 1

    @T.prim_func(s_tir=True)
    def with_loops(a: T.Buffer(("n",), "int32"), o: T.Buffer(("n",), "int32")):
        n = T.int32()
        go: T.int32 = 1
        r: T.int32 = 0
        while go == 1:
            swaps: T.int32 = 0
            for i in range(n - 1):
                if a[i] > a[i + 1]:
                    t: T.int32 = a[i]
                    a[i] = a[i + 1]
                    a[i + 1] = t
                    swaps = swaps + 1
            r = r + 1
            if swaps == 0:
                go = 0
        for i in range(n):
            o[i] = r

    @T.prim_func(s_tir=True)
    def skips(a: T.Buffer(("n",), "int32"), o: T.Buffer((4,), "int32")):
        n = T.int32()
        go: T.int32 = 1
        i: T.int32 = 0
        s: T.int32 = 0
        while go == 1 and i < n:
            i = i + 1
            if a[i - 1] % 4 == 1:
                continue
            if a[i - 1] % 11 == 3:
                go = 0
                continue
            if a[i - 1] % 13 == 4:
                break
            s = s + a[i - 1]
        o[0] = go
        o[1] = i
        o[2] = s

    # A flag that decides of itself in one arm, and of another variable in the other one.
    @T.prim_func(s_tir=True)
    def flag_of_itself(x: T.Buffer((64,), "int32"), o: T.Buffer((4,), "int32")):
        flag: T.bool = x[0] % 2 == 0
        y: T.int32 = 1
        z: T.int32 = 1
        k: T.int32 = 0
        while k < 5:
            if flag:
                flag = T.bool(False)
            else:
                y = 5
            if flag:
                z = y
            else:
                flag = x[k] % 3 == 0
            k = k + 1 + T.min(T.max(x[k], 0), 2)
        o[0] = y
        o[1] = z
        o[2] = k

    @T.prim_func(s_tir=True)
    def flag_once(x: T.Buffer((64,), "int32"), o: T.Buffer((2,), "int32")):
        flag: T.bool = x[0] < 1000000
        y: T.int32 = 1
        if flag:
            flag = T.bool(False)
        else:
            y = 5
        o[0] = y
        o[1] = T.Cast("int32", flag)
