// Runs @CALL@ once: on zeros, or on the files of arrays' bytes that are its arguments. Prints a checksum of
// each result.
//
//     example@WEIGHTS_USAGE@ [INPUT...]

#include "PREFIX_NAME.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <vector>

using Bytes = std::vector<char>;

static Bytes load(const char *path, std::size_t count) {
  Bytes bytes(count);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(count)))
    throw std::runtime_error("an input cannot be read");
  return bytes;
}

static int run(int count, char **arguments) {
  const prefix_function *function = @CALL@_info();
  prefix_options options = PREFIX_OPTIONS;
  int first = 1;
@OPEN_WEIGHTS@  std::vector<Bytes> inputs, outputs;
  std::vector<const void *> from;
  std::vector<void *> to;
  for (std::size_t i = 0; i < function->input_count; i++) {
    const char *path = first + static_cast<int>(i) < count ? arguments[first + i] : nullptr;
    inputs.push_back(path ? load(path, function->inputs[i].bytes) : Bytes(function->inputs[i].bytes));
    from.push_back(inputs.back().data());
  }
  for (std::size_t i = 0; i < function->output_count; i++) {
    outputs.emplace_back(function->outputs[i].bytes);
    to.push_back(outputs.back().data());
  }
  if (int status = @CALL@(from.data(), to.data(), &options))
    throw std::runtime_error(prefix_status_text(status));
  for (std::size_t i = 0; i < outputs.size(); i++) {
    unsigned sum = 0;
    for (char byte : outputs[i])
      sum = sum * 31 + static_cast<unsigned char>(byte);
    std::printf("result %zu: %s, %zu bytes, checksum %08x\n", i, function->outputs[i].element_type,
                outputs[i].size(), sum);
  }
@CLOSE_WEIGHTS@  return 0;
}

int main(int count, char **arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
