// Windows: the addon imports Node-API from NODE.EXE, but the desktop app's executable has another name. Resolve that import
// to the running executable.

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <delayimp.h>
#include <string.h>

static FARPROC WINAPI bind_to_host(unsigned int event, DelayLoadInfo* info) {
  if (event != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) return nullptr;
  return reinterpret_cast<FARPROC>(GetModuleHandle(nullptr));
}

decltype(__pfnDliNotifyHook2) __pfnDliNotifyHook2 = bind_to_host;
