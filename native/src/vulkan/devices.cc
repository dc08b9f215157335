// A part of the Vulkan library: lists the devices before ggml opens one.

#include "devices.h"

#include <cstdio>
#include <vector>

#include <vulkan/vulkan.h>

#ifdef _WIN32
#define EARSHOT_EXPORT __declspec(dllexport)
#else
#define EARSHOT_EXPORT __attribute__((visibility("default")))
#endif

namespace {

// What ggml-vulkan requires.
constexpr uint32_t kVersion = VK_API_VERSION_1_2;

earshot_vulkan_kind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return EARSHOT_VULKAN_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return EARSHOT_VULKAN_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return EARSHOT_VULKAN_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return EARSHOT_VULKAN_SOFTWARE;
    default:
      return EARSHOT_VULKAN_OTHER;
  }
}

// ggml's kernels read 16-bit numbers from storage buffers.
bool has_16_bit_storage(VkPhysicalDevice device) {
  VkPhysicalDevice16BitStorageFeatures storage{};
  storage.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &storage;
  vkGetPhysicalDeviceFeatures2(device, &features);
  return storage.storageBuffer16BitAccess == VK_TRUE;
}

void describe(VkPhysicalDevice device, earshot_vulkan_device& entry) {
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  vkGetPhysicalDeviceProperties2(device, &properties);
  const VkPhysicalDeviceProperties& facts = properties.properties;
  entry.kind = kind_of(facts.deviceType);
  entry.usable = facts.apiVersion >= kVersion && has_16_bit_storage(device);
  std::snprintf(entry.name, sizeof(entry.name), "%s", facts.deviceName);
  std::snprintf(entry.driver, sizeof(entry.driver), "%s %s (%u)", driver.driverName, driver.driverInfo,
                facts.driverVersion);
}

}  // namespace

extern "C" EARSHOT_EXPORT int earshot_vulkan_devices(earshot_vulkan_device* devices, uint32_t capacity) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = kVersion;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  VkResult result = vkCreateInstance(&info, nullptr, &instance);
  if (result != VK_SUCCESS) return result;
  std::vector<VkPhysicalDevice> found(capacity);
  uint32_t count = capacity;
  result = vkEnumeratePhysicalDevices(instance, &count, found.data());
  if (result == VK_INCOMPLETE) result = VK_SUCCESS;
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) {
    devices[i].index = i;
    describe(found[i], devices[i]);
  }
  vkDestroyInstance(instance, nullptr);
  return result == VK_SUCCESS ? static_cast<int>(count) : result;
}
