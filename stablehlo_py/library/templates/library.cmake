# cmake -B build && cmake --build build
cmake_minimum_required(VERSION 3.13)
project(PREFIX_NAME C ASM)

add_library(PREFIX_NAME @KIND@
  @FILES@)
set_target_properties(PREFIX_NAME PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  C_VISIBILITY_PRESET hidden
  LINKER_LANGUAGE C
  PUBLIC_HEADER PREFIX_NAME.h
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_source_files_properties(constants.S PROPERTIES COMPILE_OPTIONS -I${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(PREFIX_NAME PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(PREFIX_NAME PRIVATE pthread m@LAPACK@)
target_link_options(PREFIX_NAME PRIVATE -Wl,-z,nodelete) # a thread of a call may end later
