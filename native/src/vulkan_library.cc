#include "vulkan_library.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

#include "errors.h"
#include "ggml-backend.h"
#include "vulkan/devices.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <filesystem>

#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace earshot {

namespace {

constexpr uint32_t kMaxDevices = 16;
constexpr const char* kVisibleDevices = "GGML_VK_VISIBLE_DEVICES";
constexpr std::array<const char*, 5> kKinds = {"discrete", "integrated", "virtual", "other", "software"};

[[noreturn]] void fail(const std::string& reason) { throw EngineError(kEngineFailed, reason); }

#ifdef _WIN32
earshot_vulkan_devices_t find_list(const std::string& path) {
  const HMODULE library = LoadLibraryW(std::filesystem::u8path(path).wstring().c_str());
  if (library == nullptr) fail("The Vulkan library does not load: Windows error " + std::to_string(GetLastError()) + ".");
  return reinterpret_cast<earshot_vulkan_devices_t>(GetProcAddress(library, "earshot_vulkan_devices"));
}
void set_variable(const char* name, const std::string& value) { _putenv_s(name, value.c_str()); }
#else
earshot_vulkan_devices_t find_list(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(std::string("The Vulkan library does not load: ") + dlerror());
  return reinterpret_cast<earshot_vulkan_devices_t>(dlsym(library, "earshot_vulkan_devices"));
}
void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }
#endif

// The best device, or the one that the environment names.
earshot_vulkan_device choose(std::vector<earshot_vulkan_device> devices) {
  if (const char* named = std::getenv(kVisibleDevices)) {
    const auto index = static_cast<size_t>(std::strtoul(named, nullptr, 10));
    if (index >= devices.size()) fail(std::string("There is no Vulkan device ") + named + ".");
    return devices[index];
  }
  devices.erase(std::remove_if(devices.begin(), devices.end(), [](const auto& device) { return !device.usable; }),
                devices.end());
  if (devices.empty()) fail("No device of this machine has what the Vulkan library needs.");
  return *std::min_element(devices.begin(), devices.end(),
                           [](const auto& a, const auto& b) { return a.kind < b.kind; });
}

VulkanDevice load(const std::string& path) {
  const earshot_vulkan_devices_t list = find_list(path);
  if (list == nullptr) fail("The Vulkan library is not one of this program.");
  std::vector<earshot_vulkan_device> devices(kMaxDevices);
  const int count = list(devices.data(), kMaxDevices);
  if (count < 0) fail("Vulkan does not start: error " + std::to_string(count) + ".");
  if (count == 0) fail("Vulkan found no device.");
  devices.resize(static_cast<size_t>(count));
  const earshot_vulkan_device device = choose(std::move(devices));
  // ggml leaves software devices out unless they are named.
  set_variable(kVisibleDevices, std::to_string(device.index));
  if (ggml_backend_load(path.c_str()) == nullptr) fail("The Vulkan library could not open the device.");
  return {device.name, device.driver, kKinds.at(device.kind)};
}

}  // namespace

VulkanDevice load_vulkan(const std::string& path) {
  static std::mutex mutex;
  static std::optional<VulkanDevice> loaded;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!loaded) loaded = load(path);
  return *loaded;
}

}  // namespace earshot
