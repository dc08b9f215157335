// What the Vulkan library tells the addon, which is built without Vulkan's headers.
#pragma once

#include <cstdint>

extern "C" {

// In order of preference.
enum earshot_vulkan_kind {
  EARSHOT_VULKAN_DISCRETE,
  EARSHOT_VULKAN_INTEGRATED,
  EARSHOT_VULKAN_VIRTUAL,
  EARSHOT_VULKAN_OTHER,
  // A processor that computes what a graphics processor would.
  EARSHOT_VULKAN_SOFTWARE,
};

struct earshot_vulkan_device {
  // In the order of the Vulkan loader, which GGML_VK_VISIBLE_DEVICES refers to.
  uint32_t index;
  enum earshot_vulkan_kind kind;
  // Whether ggml can use it.
  bool usable;
  char name[256];
  // The driver's name and version.
  char driver[600];
};

// Fills `devices` with up to `capacity` devices and returns their number, or a negative VkResult. Exported by the library.
typedef int (*earshot_vulkan_devices_t)(struct earshot_vulkan_device* devices, uint32_t capacity);
}
