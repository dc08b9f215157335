// The Vulkan library beside the addon, which only a portable build has.
#pragma once

#include <string>

namespace earshot {

struct VulkanDevice {
  std::string name;
  std::string driver;
  // "discrete", "integrated", "virtual", "other" or "software"
  std::string kind;
};

// Loads the library and opens its best device for this process, once. A driver may crash or hang: call it only in a process
// that can be lost. Throws engine_failed with the reason if the library, the system's Vulkan loader or a device is missing.
VulkanDevice load_vulkan(const std::string& path);

}  // namespace earshot
