// Windows: the addon names NODE.EXE as the program that offers Node-API, but in the desktop app the program
// has another name. Answer the loader's question for it with whatever program is running.

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <delayimp.h>
#include <string.h>

static FARPROC WINAPI bind_to_host(unsigned int event, DelayLoadInfo* info) {
  if (event != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) return nullptr;
  return reinterpret_cast<FARPROC>(GetModuleHandle(nullptr));
}

decltype(__pfnDliNotifyHook2) __pfnDliNotifyHook2 = bind_to_host;
