"""How much memory this process occupies, without a library for it."""

import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Counters(ctypes.Structure):
        """PROCESS_MEMORY_COUNTERS of psapi.h."""

        _fields_ = (
            ("cb", wintypes.DWORD),
            ("PageFaultCount", wintypes.DWORD),
            ("PeakWorkingSetSize", ctypes.c_size_t),
            ("WorkingSetSize", ctypes.c_size_t),
            ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
            ("QuotaPagedPoolUsage", ctypes.c_size_t),
            ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
            ("QuotaNonPagedPoolUsage", ctypes.c_size_t),
            ("PagefileUsage", ctypes.c_size_t),
            ("PeakPagefileUsage", ctypes.c_size_t),
        )

    def resident_bytes() -> int:
        """Return the working set of this process in bytes."""
        counters = _Counters(cb=ctypes.sizeof(_Counters))
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        kernel.K32GetProcessMemoryInfo.argtypes = (wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD)
        if not kernel.K32GetProcessMemoryInfo(
            kernel.GetCurrentProcess(), ctypes.byref(counters), counters.cb
        ):
            raise ctypes.WinError(ctypes.get_last_error())
        return int(counters.WorkingSetSize)

elif sys.platform == "linux":
    import os

    _PAGE = os.sysconf("SC_PAGE_SIZE")

    def resident_bytes() -> int:
        """Return the resident set of this process in bytes (proc(5), second field of statm)."""
        # Not ru_maxrss: a child started by vfork inherits the peak of its parent there.
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * _PAGE

else:
    import resource

    def resident_bytes() -> int:
        """Return the largest resident set that this process has had, in bytes (getrusage(2) of macOS)."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
