"""Runs another library's transforms and tells their times: one JSON object a line, in and out.

{"peer": NAME, "shape": [...], "axes": [...], "dtype": ..., "wavelet": ..., "mode": ..., "levels": N}
    prepares arrays; the answer is {"version": ...}, or {"error": ...}
{"run": "forward" | "inverse", "runs": N}
    the answer is {"seconds": ...} of all runs
"""

import json
import sys
import time


def pywavelets(job):
    import importlib.metadata

    import numpy
    import pywt

    if job["mode"] not in pywt.Modes.modes or job["wavelet"] not in pywt.wavelist(kind="discrete"):
        raise ValueError("no %(wavelet)s with mode %(mode)s" % job)
    x = numpy.random.default_rng(1).standard_normal(job["shape"]).astype(job["dtype"])
    wavelet, mode, levels, axes = pywt.Wavelet(job["wavelet"]), job["mode"], job["levels"], job["axes"]
    if x.ndim == 1:
        forward = lambda: pywt.wavedec(x, wavelet, mode, levels)
        inverse = lambda: pywt.waverec(state, wavelet, mode)
    else:
        forward = lambda: pywt.wavedecn(x, wavelet, mode, levels, axes=axes)
        inverse = lambda: pywt.waverecn(state, wavelet, mode, axes=axes)
    state = forward()
    return importlib.metadata.version("PyWavelets"), {"forward": forward, "inverse": inverse}


def ndwt(job):
    import importlib.metadata

    import ndwt
    import numpy

    name = job["wavelet"]
    for prefix, family in (("haar", "Daubechies1"), ("db", "Daubechies"), ("sym", "Symlet"),
                           ("coif", "Coiflet"), ("bior", "Bior")):
        if name.startswith(prefix):
            name = family + name[len(prefix):].replace(".", "_")
            break
    wavelet = getattr(ndwt.Wavelet, name, None)
    if wavelet is None or job["mode"] not in ("periodization", "symmetric"):
        raise ValueError("no %(wavelet)s with mode %(mode)s" % job)
    if job["dtype"] not in ("float32", "float64"):
        raise ValueError("no transforms of %(dtype)s" % job)
    x = numpy.random.default_rng(1).standard_normal(job["shape"]).astype(job["dtype"])
    back = numpy.empty_like(x)
    how = {"axes": job["axes"], "level": job["levels"]}
    if job["mode"] == "periodization":
        out = numpy.empty_like(x)
        forward = lambda: ndwt.dwt_per(wavelet, x, out=out, **how)
        inverse = lambda: ndwt.idwt_per(wavelet, out, out=back, **how)
    else:
        bc = ndwt.BoundaryCondition.Symmetric
        out = numpy.empty(ndwt.get_dwt_shape(wavelet, x.shape, **how), x.dtype)
        forward = lambda: ndwt.dwt(wavelet, x, bc=bc, out=out, **how)
        inverse = lambda: ndwt.idwt(wavelet, out, back, bc=bc, **how)
    forward()
    return importlib.metadata.version("ndwt"), {"forward": forward, "inverse": inverse}


def main():
    made = {}
    for line in sys.stdin:
        job = json.loads(line)
        try:
            if "peer" in job:
                made = {}
                version, made = {"pywavelets": pywavelets, "ndwt": ndwt}[job["peer"]](job)
                answer = {"version": version}
            else:
                run = made[job["run"]]
                begin = time.perf_counter()
                for _ in range(job["runs"]):
                    run()
                answer = {"seconds": time.perf_counter() - begin}
        except Exception as error:
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)


main()
