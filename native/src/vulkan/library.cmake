# The library for graphics processors.
#
# ggml loads every library with the name of one of its backends into every process. A Vulkan driver may crash or hang the
# process, so this library has another name, and is loaded by its path where a trial has shown that it works.

get_target_property(sources ggml-vulkan SOURCES)
set(patched "${EARSHOT_PATCHED_DIR}/ggml/src/ggml-vulkan/ggml-vulkan.cpp")
list(TRANSFORM sources REPLACE "^ggml-vulkan\\.cpp$" "${patched}")
if(NOT EXISTS "${patched}" OR NOT "${patched}" IN_LIST sources)
  message(FATAL_ERROR "ggml-vulkan has no source ggml-vulkan.cpp to replace with the patched one")
endif()
set_target_properties(ggml-vulkan PROPERTIES SOURCES "${sources}" OUTPUT_NAME earshot_vulkan)
target_sources(ggml-vulkan PRIVATE "${CMAKE_CURRENT_LIST_DIR}/devices.cc")
