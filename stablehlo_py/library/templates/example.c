/* Runs @CALL@ once.

     example@WEIGHTS_USAGE@ [INPUT...]

   An INPUT is a file of an array's bytes; inputs that are left out are zeros. Each result is written to a file,
   result0.bin, result1.bin, ... */

#include "PREFIX_NAME.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

static int load(const char *path, void *bytes, size_t count) {
  FILE *file = fopen(path, "rb");
  size_t found = file ? fread(bytes, 1, count, file) : 0;
  int is_whole = file && found == count && fgetc(file) == EOF;
  if (file)
    fclose(file);
  return is_whole;
}

static int save(size_t index, const void *bytes, size_t count) {
  char path[32];
  FILE *file;
  size_t done;
  snprintf(path, sizeof path, "result%zu.bin", index);
  file = fopen(path, "wb");
  done = file ? fwrite(bytes, 1, count, file) : 0;
  return file && !fclose(file) && done == count;
}

int main(int count, char **arguments) {
  const prefix_function *function = @CALL@_info();
  const void **inputs = (const void **)calloc(function->input_count + 1, sizeof *inputs);
  void **outputs = (void **)calloc(function->output_count + 1, sizeof *outputs);
  prefix_options options = PREFIX_OPTIONS;
  int first = 1, status;
  if (!inputs || !outputs)
    return fail("@CALL@", "there is not enough memory");
@OPEN_WEIGHTS@  for (size_t i = 0; i < function->input_count; i++) {
    const prefix_array *input = &function->inputs[i];
    void *bytes = calloc(input->bytes + 1, 1);
    inputs[i] = bytes;
    if (!bytes || (first + (int)i < count && !load(arguments[first + i], bytes, input->bytes)))
      return fail(input->name, "the file of the input cannot be read, or has another size");
  }
  for (size_t i = 0; i < function->output_count; i++) {
    outputs[i] = calloc(function->outputs[i].bytes + 1, 1);
    if (!outputs[i])
      return fail(function->outputs[i].name, "there is not enough memory for the result");
  }
  status = @CALL@(inputs, outputs, &options);
  if (status)
    return fail("@CALL@", prefix_status_text(status));
  for (size_t i = 0; i < function->output_count; i++) {
    if (!save(i, outputs[i], function->outputs[i].bytes))
      return fail("result", "cannot be written");
    printf("result%zu.bin: %s, %zu bytes\n", i, function->outputs[i].element_type, function->outputs[i].bytes);
    free(outputs[i]);
  }
  for (size_t i = 0; i < function->input_count; i++)
    free((void *)inputs[i]);
  free(inputs);
  free(outputs);
@CLOSE_WEIGHTS@  return 0;
}
